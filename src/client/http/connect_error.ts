import type { ConnectFault, TransportErrorKind } from "./transport.ts";

/** A connection that could not be opened. */
export class ConnectError extends Error {
  override readonly name = "ConnectError";
  readonly kind: TransportErrorKind;
  /** The fault, where the operating system names one that matters to the run. */
  readonly fault: ConnectFault | undefined;

  constructor(kind: TransportErrorKind, message: string, fault?: ConnectFault) {
    super(message);
    this.kind = kind;
    this.fault = fault;
  }
}
