/** Input that cannot be used: which file, which line and column, and why. */
export class DatasetError extends SyntaxError {
  override readonly name = "DatasetError";
  readonly path: string;
  /** Description of the mistake, without the place. */
  readonly reason: string;
  /** From 1; undefined where it is not about one line. */
  readonly line: number | undefined;
  /** From 1, in UTF-16 units; undefined where it is not about one place of the line. */
  readonly column: number | undefined;

  constructor(path: string, line: number | undefined, message: string, column?: number) {
    const place = [line, column].filter((number) => number !== undefined).map((n) => `:${n}`);
    super(`${path}${place.join("")}: ${message}`);
    this.path = path;
    this.reason = message;
    this.line = line;
    this.column = column;
  }
}
