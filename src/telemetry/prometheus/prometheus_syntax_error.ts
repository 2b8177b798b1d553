/** Exposition text that breaks the rules of its format, and where. */
export class PrometheusSyntaxError extends SyntaxError {
  override readonly name = "PrometheusSyntaxError";
  /** The line, counted from 1. */
  readonly line: number;
  /** The column in UTF-16 code units, counted from 1. */
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(`${message}, at line ${line}, column ${column}`);
    this.line = line;
    this.column = column;
  }
}
