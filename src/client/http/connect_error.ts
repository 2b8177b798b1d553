import type { TransportErrorKind } from "./transport.ts";

/** A connection that could not be opened. */
export class ConnectError extends Error {
  override readonly name = "ConnectError";
  readonly kind: TransportErrorKind;

  constructor(kind: TransportErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
