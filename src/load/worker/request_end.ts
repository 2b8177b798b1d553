import type { ConnectFault } from "../../client/http/transport.ts";
import type { ErrorKind } from "../../client/record/error_kind.ts";

/** As what a request counts that has ended. */
export type Outcome = "succeeded" | "failed" | "cancelled";

/** How a request ended, as far as the load goes by it. */
export interface RequestEnd {
  /** Why it failed; undefined if it did not. */
  readonly kind: ErrorKind | undefined;
  /** Status of its reply; 0 if there was none. */
  readonly status: number;
  /** The fault that kept its connection from being opened, where one is known. */
  readonly fault?: ConnectFault | undefined;
  /** What was wrong with it, without secrets: for readers, nothing is decided by it. */
  readonly message: string;
}

/** Ends that are the client's doing, or that nobody knows the reason of. */
const SILENT: ReadonlySet<ErrorKind | undefined> = new Set<ErrorKind>([
  ...["timeout", "cancelled", "cut_off", "worker_lost", "cancelled_on_purpose"] as const,
]);

/** What the end says of the server: it was not there, it answered, or nothing. */
export function signOf({ kind, status, fault }: RequestEnd): "absent" | "present" | "nothing" {
  if (SILENT.has(kind)) return "nothing";
  if (kind === "connect" || kind === "tls") {
    return fault === "no_descriptor" ? "nothing" : "absent";
  }
  // It accepted the connection, and closed it before a reply.
  if (kind === "connection_closed") return "absent";
  return kind === "truncated" && status === 0 ? "absent" : "present";
}

/** Whether the user who sent it does well to wait before the next request. */
export function needsPause(end: RequestEnd): boolean {
  return end.kind === "connect" || end.kind === "tls" || signOf(end) === "absent";
}

/** What to do where every request is refused like this one; undefined if it was not refused. */
export function adviceOn({ kind, status, fault }: RequestEnd): string | undefined {
  if (fault === "refused") return "start the server, or check --url";
  if (kind !== "http_status") return undefined;
  if (status === 401 || status === 403) return "check --api-key";
  return status === 404 ? "check --url, --endpoint-type and --model" : undefined;
}

/** As what the request counts. */
export function outcomeOf({ kind }: RequestEnd): Outcome {
  if (kind === undefined) return "succeeded";
  return kind === "cancelled" || kind === "cancelled_on_purpose" ? "cancelled" : "failed";
}
