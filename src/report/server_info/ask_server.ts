import { type GetReply, getReply } from "../../client/http/get_reply.ts";
import type { Transport } from "../../client/http/transport.ts";
import { accessHeaderLines } from "../../config/plan/access_header_lines.ts";
import type { ServerAccess } from "../../config/plan/server_access.ts";
import type { Target } from "../../config/plan/run_plan.ts";

/** Bounds of a question. */
export interface AskOptions {
  readonly timeoutMs: number;
  /** Longest reply that is read. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** @default "GET" */
  readonly method?: "GET" | "POST";
}

/** Headers for a request to a server: the headers of the run, including its credentials. */
export type AskAccess = Pick<ServerAccess, "headers">;

/**
 * Requests a path of the server, relative to its endpoint, with the headers of the run.
 * @throws {NoReplyError}
 */
export function askServer(
  transport: Transport,
  target: Target,
  access: AskAccess,
  path: string,
  { timeoutMs, maxBytes, signal, method = "GET" }: AskOptions,
): Promise<GetReply> {
  return getReply(transport, target.origin, pathBeside(target, path), {
    headerLines: accessHeaderLines(access, target),
    timeoutMs,
    maxBytes,
    method,
    ...(signal === undefined ? {} : { signal }),
  });
}

/** A path of the server, in the folder in which its API stands. */
function pathBeside({ path }: Target, wanted: string): string {
  const base = path.replace(/\?.*$/, "").replace(/\/v1\/[^?]*$/, "");
  const folder = base === path || base.includes("/v1") ? "" : base;
  return folder + wanted;
}

/** Returns the URL of a path, redacted for display. */
export function urlBeside(target: Target, path: string): string {
  return `${target.origin.protocol}//${target.origin.host}${pathBeside(target, path)}`;
}
