import type { OutgoingRequest } from "./transport.ts";

const encoder = new TextEncoder();

/** The request as it goes over the wire in HTTP/1.1: head and body in one piece. */
export function requestBytes(request: OutgoingRequest): Uint8Array<ArrayBuffer> {
  const { body } = request;
  const length = request.method === "POST" ? `Content-Length: ${body.length}\r\n` : "";
  const head = `${request.method} ${request.path} HTTP/1.1\r\nHost: ${request.origin.host}\r\n` +
    `${request.headerLines}${length}\r\n`;
  // A head beyond latin1 needs up to three bytes a character.
  const bytes = new Uint8Array(head.length + body.length);
  const { read, written } = encoder.encodeInto(head, bytes);
  if (read === head.length && written === head.length) {
    bytes.set(body, written);
    return bytes;
  }
  const encoded = encoder.encode(head);
  const longer = new Uint8Array(encoded.length + body.length);
  longer.set(encoded);
  longer.set(body, encoded.length);
  return longer;
}
