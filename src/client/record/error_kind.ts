/**
 * Reasons why a request failed, from the outside in:
 * - `connect`, `tls`: no connection came about;
 * - `timeout`: the request took longer than it may, or no byte of its reply came for too long;
 * - `http_status`: a reply, but not 2xx;
 * - `protocol`: bytes that are no HTTP, no event stream, or beyond a limit;
 * - `stream_error`: the server reported a failure inside a 2xx reply;
 * - `malformed_chunk`: an event that is neither JSON nor `[DONE]`, so tokens may be missing;
 * - `truncated`: the reply stopped without its proper end;
 * - `connection_closed`: the connection closed before any byte of the reply;
 * - `no_content`: a proper end, but no token;
 * - `unexpected_reply`: a valid reply without the content that `--expect-regex` or
 *   `--expect-min-tokens` require;
 * - `cancelled_on_purpose`: ended by `--request-cancellation-rate`, no failure;
 * - `cancelled`: the run was interrupted;
 * - `cut_off`: still running when the grace period ended;
 * - `worker_lost`: the thread that carried it died.
 */
export const ERROR_KINDS = [
  "connect",
  "tls",
  "timeout",
  "http_status",
  "protocol",
  "stream_error",
  "malformed_chunk",
  "truncated",
  "no_content",
  "cancelled",
  "cut_off",
  "worker_lost",
  "unexpected_reply",
  "cancelled_on_purpose",
  "connection_closed",
] as const;

/** See {@linkcode ERROR_KINDS}. */
export type ErrorKind = typeof ERROR_KINDS[number];
