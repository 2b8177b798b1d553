import type { OutgoingRequest } from "./transport.ts";

const encoder = new TextEncoder();

/** The request as it goes over the wire in HTTP/1.1: head and body in one piece. */
export function requestBytes(request: OutgoingRequest): Uint8Array<ArrayBuffer> {
  let bodyLength = 0;
  for (const piece of request.body) bodyLength += piece.length;
  const length = request.method === "POST" ? `Content-Length: ${bodyLength}\r\n` : "";
  const head = `${request.method} ${request.path} HTTP/1.1\r\nHost: ${request.origin.host}\r\n` +
    `${request.headerLines}${length}\r\n`;
  let bytes = new Uint8Array(head.length + bodyLength);
  const { read, written } = encoder.encodeInto(head, bytes);
  let offset = written;
  if (read !== head.length || written !== head.length) {
    // A character beyond ASCII takes more bytes than it counts in the string.
    const encoded = encoder.encode(head);
    bytes = new Uint8Array(encoded.length + bodyLength);
    bytes.set(encoded);
    offset = encoded.length;
  }
  for (const piece of request.body) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}
