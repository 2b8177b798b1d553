/** Input that cannot be used: which file, which line, and why. */
export class DatasetError extends SyntaxError {
  override readonly name = "DatasetError";
  readonly path: string;
  /** From 1; undefined where it is not about one line. */
  readonly line: number | undefined;

  constructor(path: string, line: number | undefined, message: string) {
    super(`${path}${line === undefined ? "" : `:${line}`}: ${message}`);
    this.path = path;
    this.line = line;
  }
}
