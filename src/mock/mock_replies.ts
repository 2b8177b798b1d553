import { wholeReply } from "../client/http/reply_text.ts";
import type { FaultKind } from "./mock_options.ts";

/** Number of bytes missing from a reply that breaks off. */
const CUT_BYTES = 20;

/** The bytes of a reply that is no stream, as far as they are sent. */
export function wholeBytes(
  { contentType, body }: { readonly contentType: string; readonly body: string | Uint8Array },
  fault: FaultKind | undefined,
): Uint8Array {
  if (fault === "in-band") {
    return jsonReply("200 OK", { "error": { "message": "Injected fault in-band", "code": 500 } });
  }
  if (fault === "malformed") return wholeReply("200 OK", contentType, body.slice(0, -CUT_BYTES));
  const bytes = wholeReply("200 OK", contentType, body);
  return fault === undefined ? bytes : bytes.subarray(0, bytes.length - CUT_BYTES);
}

/** A reply that is a JSON value. */
export function jsonReply(status: string, value: unknown): Uint8Array {
  return wholeReply(status, "application/json", JSON.stringify(value));
}

/** A reply that reports an error, as servers of this kind do. */
export function errorReply(
  status: string,
  message: string,
  headers: readonly string[] = [],
): Uint8Array {
  const code = Number(status.slice(0, 3));
  const error = { "message": message, "type": "mock_error", "code": code };
  return wholeReply(status, "application/json", JSON.stringify({ "error": error }), headers);
}
