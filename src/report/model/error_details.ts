import { ERROR_KINDS, type ErrorKind } from "../../client/record/error_kind.ts";

/** The reason why a request failed, as files and tables show it. */
export interface ErrorDetails {
  readonly kind: ErrorKind;
  /** HTTP status if that is why, else null. */
  readonly status: number | null;
  /** The reason phrase of the status, or the kind. */
  readonly type: string;
  /** The server's message, or the client's. */
  readonly message: string;
}

/**
 * Takes a failure's message apart.
 * @param errorKind index into the kinds of errors
 * @param status the reply's status; it only counts if it is why the request failed
 */
export function errorDetails(errorKind: number, status: number, message: string): ErrorDetails {
  const kind = ERROR_KINDS[errorKind] as ErrorKind;
  if (kind !== "http_status") return { kind, status: null, type: kind, message };
  return { kind, status, type: reasonOf(status, message), message: bodyOf(message) };
}

/** The reason phrase in a message `HTTP 503 Service Unavailable: body`. */
function reasonOf(status: number, message: string): string {
  const match = /^HTTP \d+ ([^:,]+)/.exec(message);
  return match?.[1] ?? `HTTP ${status}`;
}

/** The server's words in such a message; the message itself if there are none. */
function bodyOf(message: string): string {
  const colon = message.indexOf(": ");
  return colon < 0 ? message : message.slice(colon + 2);
}
