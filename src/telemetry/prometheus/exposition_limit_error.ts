/** A page that crosses a limit set on pages; nothing of it is used. */
export class ExpositionLimitError extends RangeError {
  override readonly name = "ExpositionLimitError";
}
