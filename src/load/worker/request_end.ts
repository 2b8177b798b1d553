import type { ConnectFault } from "../../client/http/transport.ts";
import type { ErrorKind } from "../../client/record/error_kind.ts";

/** Outcome by which an ended request is counted. */
export type Outcome = "succeeded" | "failed" | "cancelled";

/** Properties of a request's end on which the load depends. */
export interface RequestEnd {
  /** Why it failed; undefined if it did not. */
  readonly kind: ErrorKind | undefined;
  /** Status of its reply; 0 if there was none. */
  readonly status: number;
  /** The fault that kept its connection from being opened, where one is known. */
  readonly fault?: ConnectFault | undefined;
  /** Error message for readers, without secrets; no decision depends on it. */
  readonly message: string;
}

/** Ends that are caused by the client or have an unknown cause. */
const SILENT: ReadonlySet<ErrorKind | undefined> = new Set<ErrorKind>([
  ...["timeout", "cancelled", "cut_off", "worker_lost", "cancelled_on_purpose"] as const,
]);

/**
 * Returns whether the end shows that the server was absent or present; undefined if it shows
 * neither.
 */
export function signOf({ kind, status, fault }: RequestEnd): "absent" | "present" | "nothing" {
  if (SILENT.has(kind)) return "nothing";
  if (kind === "connect" || kind === "tls") {
    return fault === "no_descriptor" ? "nothing" : "absent";
  }
  // It accepted the connection, and closed it before a reply.
  if (kind === "connection_closed") return "absent";
  return kind === "truncated" && status === 0 ? "absent" : "present";
}

/** Whether the user that sent the request should pause before the next one. */
export function needsPause(end: RequestEnd): boolean {
  return end.kind === "connect" || end.kind === "tls" || signOf(end) === "absent";
}

/**
 * Returns what to do if every request is refused like this one; undefined if it was not refused.
 */
export function adviceOn({ kind, status, fault }: RequestEnd): string | undefined {
  if (fault === "refused") return "start the server, or check --url";
  if (kind !== "http_status") return undefined;
  if (status === 401 || status === 403) return "check --api-key";
  return status === 404 ? "check --url, --endpoint-type and --model" : undefined;
}

/** Returns the outcome by which the request is counted. */
export function outcomeOf({ kind }: RequestEnd): Outcome {
  if (kind === undefined) return "succeeded";
  return kind === "cancelled" || kind === "cancelled_on_purpose" ? "cancelled" : "failed";
}

/**
 * Adds the path that a server does not have to the message of its refusal. The path precedes the
 * server's words, which may be longer than what a terminal shows.
 */
export function withPath(message: string, path: string): string {
  const [head = "", ...said] = message.split(": ");
  const asked = `${head}: asked for ${path.replace(/\?.*/s, "")}, check --url and --endpoint-type`;
  return said.length === 0 ? asked : `${asked}; the server said: ${said.join(": ")}`;
}
