/** A reply that breaks HTTP/1.1's framing, or a limit set on it. */
export class ProtocolError extends SyntaxError {
  override readonly name = "ProtocolError";
}
