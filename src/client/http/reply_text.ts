/** Replies as they go over the wire, for servers: the mock server's, and those of rehearsals. */

const encoder = new TextEncoder();

/** The head of a reply of that status. */
function replyHead(status: string, headers: readonly string[]): string {
  return `HTTP/1.1 ${status}\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`;
}

/** A whole reply that is no stream. */
export function wholeReply(
  status: string,
  contentType: string,
  body: string | Uint8Array,
  headers: readonly string[] = [],
): Uint8Array<ArrayBuffer> {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const head = replyHead(status, [
    `Content-Type: ${contentType}`,
    `Content-Length: ${bytes.length}`,
    ...headers,
  ]);
  const whole = new Uint8Array(head.length + bytes.length);
  encoder.encodeInto(head, whole);
  whole.set(bytes, head.length);
  return whole;
}

/** The head of a reply whose body comes in {@linkcode chunkText}s and ends with {@linkcode LAST_CHUNK}. */
export function streamHead(contentType: string): string {
  return replyHead("200 OK", [
    `Content-Type: ${contentType}`,
    "Cache-Control: no-cache",
    "Transfer-Encoding: chunked",
  ]);
}

/**
 * A chunk of a chunked body.
 * @param byteLength the text's, where it is known already
 */
export function chunkText(text: string, byteLength: number = utf8Length(text)): string {
  return `${byteLength.toString(16)}\r\n${text}\r\n`;
}

/** End of a chunked body. */
export const LAST_CHUNK = "0\r\n\r\n";

/** The bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}
