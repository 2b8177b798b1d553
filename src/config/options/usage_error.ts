/** Something that the user asked for and that cannot be done: the run does not start. */
export class UsageError extends RangeError {
  override readonly name = "UsageError";
  /** The option concerned, as written on the command line; undefined if none. */
  readonly option: string | undefined;

  constructor(option: string | undefined, message: string) {
    super(option === undefined ? message : `${option}: ${message}`);
    this.option = option;
  }
}
