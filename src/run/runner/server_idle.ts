import { createTransport } from "../../client/http/create_transport.ts";
import { getReply, NoReplyError } from "../../client/http/get_reply.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { USER_AGENT } from "../../config/plan/version.ts";
import { parseExposition } from "../../telemetry/prometheus/parse_exposition.ts";

/** A place whose metrics tell how much a server has to do. */
export type WatchedEndpoint = Pick<
  NonNullable<RunPlan["serverMetrics"]>["endpoints"][number],
  "origin" | "path" | "authorization"
>;

/** Gauges of requests that are served or wait, by the servers that expose them. */
const BUSY_GAUGES: ReadonlySet<string> = new Set([
  ...["vllm:num_requests_running", "vllm:num_requests_waiting"],
  ...["vllm_num_requests_running", "vllm_num_requests_waiting"],
  ...["sglang:num_running_reqs", "sglang:num_queue_reqs"],
  ...["sglang_num_running_reqs", "sglang_num_queue_reqs"],
  ...["trtllm_num_requests_running", "trtllm_num_requests_waiting"],
  ...["dynamo_frontend_inflight_requests", "dynamo_frontend_queued_requests"],
  ...["llamacpp:requests_processing", "llamacpp:requests_deferred"],
  ...["tgi_queue_size", "tgi_batch_current_size", "nv_inference_pending_request_count"],
]);

const POLL_MS = 50;
const ASK_MS = 5000;
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

/** How a wait for idle servers ended. */
export type Idleness = "idle" | "unknown" | "busy";

/** Whether a metrics page says that nothing runs or waits; undefined where it says neither. */
export function pageIsIdle(page: string): boolean | undefined {
  let isKnown = false;
  for (const { name, samples } of parseExposition(page).families) {
    if (!BUSY_GAUGES.has(name)) continue;
    for (const { value } of samples) {
      isKnown = true;
      if (value > 0) return false;
    }
  }
  return isKnown ? true : undefined;
}

/**
 * Waits until no server says that it has something to do.
 * @returns `unknown` where none of them tells, `busy` where one still was when the time was over
 */
export async function serversIdle(
  endpoints: readonly WatchedEndpoint[],
  access: Pick<RunPlan, "caCerts" | "systemCerts" | "clientCert" | "transport">,
  timeoutMs: number,
  interrupt: AbortSignal,
): Promise<Idleness> {
  const transport = createTransport(access.transport, {
    reuse: "pooled",
    trust: access,
    nowNs: () => Math.round(performance.now() * 1e6),
  });
  const ask = async ({ origin, path, authorization }: WatchedEndpoint) => {
    const key = authorization === undefined ? "" : `Authorization: ${authorization}\r\n`;
    try {
      const { status, text } = await getReply(transport, origin, path, {
        headerLines:
          `Accept: text/plain;version=0.0.4, */*;q=0.1\r\nAccept-Encoding: identity\r\n` +
          `User-Agent: ${USER_AGENT}\r\n${key}`,
        timeoutMs: ASK_MS,
        maxBytes: MAX_PAGE_BYTES,
        signal: interrupt,
      });
      return status === 200 ? pageIsIdle(text) : undefined;
    } catch (error) {
      if (!(error instanceof NoReplyError)) throw error;
      return undefined;
    }
  };
  const deadline = performance.now() + timeoutMs;
  try {
    for (let asked = endpoints; !interrupt.aborted;) {
      const answers = await Promise.all(asked.map(async (endpoint) => ({
        endpoint,
        isIdle: await ask(endpoint),
      })));
      const known = answers.filter(({ isIdle }) => isIdle !== undefined);
      if (known.length === 0) return "unknown";
      if (known.every(({ isIdle }) => isIdle)) return "idle";
      if (performance.now() >= deadline) return "busy";
      // Those that tell nothing will not begin to.
      asked = known.map(({ endpoint }) => endpoint);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return "unknown";
  } finally {
    transport.close();
  }
}

/** Where the servers of a plan tell how much they have to do. */
export function watchedEndpoints({ serverMetrics, targets }: RunPlan): WatchedEndpoint[] {
  if (serverMetrics !== undefined) return [...serverMetrics.endpoints];
  return targets.map(({ origin, authorization }) => ({ origin, path: "/metrics", authorization }));
}
