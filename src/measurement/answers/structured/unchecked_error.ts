/** A check that did not come to an end. */
export class UncheckedError extends Error {
  override readonly name = "UncheckedError";
}
