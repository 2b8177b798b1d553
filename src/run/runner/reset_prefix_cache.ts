import { createTransport } from "../../client/http/create_transport.ts";
import { NoReplyError } from "../../client/http/get_reply.ts";
import type { Transport } from "../../client/http/transport.ts";
import type { RunPlan, Target } from "../../config/plan/run_plan.ts";
import { askServer, urlBeside } from "../../report/server_info/ask_server.ts";
import { ServerUnavailableError } from "./server_probe.ts";

/** How a server is asked to forget its prefix cache. */
export interface CacheReset {
  /** undefined to try those that are known. */
  readonly path: string | undefined;
  readonly timeoutMs: number;
}

/** The server is busy with something that passes, as AIPerf has it. */
const PASSING: ReadonlySet<number> = new Set([409, 423, 429, 503]);
/** What SGLang answers while requests run or wait. */
const SGLANG_PATH = "/flush_cache";
const SGLANG_BUSY = 400;
/** Paths of vLLM and SGLang. */
const KNOWN_PATHS = ["/reset_prefix_cache", SGLANG_PATH];
const RETRY_BUDGET_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8000;
const MAX_REPLY_BYTES = 1024 * 1024;

/**
 * Asks every server to forget its prefix cache.
 * @returns the servers that offer nothing of the kind, by their addresses
 * @throws {ServerUnavailableError} if one refuses, or has no such path although it was named
 */
export async function resetPrefixCache(
  plan: Pick<
    RunPlan,
    "targets" | "headers" | "caCerts" | "systemCerts" | "clientCert" | "transport"
  >,
  reset: CacheReset,
  interrupt: AbortSignal,
): Promise<string[]> {
  const transport = createTransport(plan.transport, {
    reuse: "never",
    trust: plan,
    nowNs: () => Math.round(performance.now() * 1e6),
  });
  const servers = new Map(plan.targets.map((target) => [originText(target), target]));
  try {
    const missing: string[] = [];
    for (const [server, target] of servers) {
      const done = await resetOne(transport, target, plan.headers, reset, interrupt);
      if (!done) missing.push(server);
    }
    return missing;
  } finally {
    transport.close();
  }
}

/** What a reader of results must know of servers that offer no reset. */
export function prefixCacheNote(servers: readonly string[]): string {
  return `${
    servers.join(", ")
  } has no endpoint for resetting the prefix cache; the cache was not reset`;
}

/** False if the server has none of the paths that are known. */
async function resetOne(
  transport: Transport,
  target: Target,
  headers: RunPlan["headers"],
  { path, timeoutMs }: CacheReset,
  interrupt: AbortSignal,
): Promise<boolean> {
  const deadline = performance.now() + RETRY_BUDGET_MS;
  const paths = path === undefined ? KNOWN_PATHS : [path];
  for (const one of paths) {
    for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(MAX_PAUSE_MS, 2 * pauseMs)) {
      const outcome = await post(transport, target, one, headers, timeoutMs, interrupt);
      if (typeof outcome === "number" && outcome >= 200 && outcome < 300) return true;
      if (path === undefined && (outcome === 404 || outcome === 405)) break;
      const passes = typeof outcome === "string" || PASSING.has(outcome) ||
        (one === SGLANG_PATH && outcome === SGLANG_BUSY);
      if (!passes || interrupt.aborted || performance.now() + pauseMs > deadline) {
        const reason = typeof outcome === "number" ? `it answers HTTP ${outcome}` : outcome;
        throw new ServerUnavailableError(
          `${
            urlBeside(target, one)
          } does not reset the prefix cache: ${reason}; leave out --reset-prefix-cache, or name its path with --reset-kv-cache-path`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return false;
}

/** The status of the reply, or why there is none. */
async function post(
  transport: Transport,
  target: Target,
  path: string,
  headers: RunPlan["headers"],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number | string> {
  try {
    const options = { timeoutMs, maxBytes: MAX_REPLY_BYTES, signal, method: "POST" } as const;
    return (await askServer(transport, target, { headers }, path, options)).status;
  } catch (error) {
    if (error instanceof NoReplyError) return error.message;
    throw error;
  }
}

function originText({ origin }: Target): string {
  return `${origin.protocol}//${origin.host}`;
}
