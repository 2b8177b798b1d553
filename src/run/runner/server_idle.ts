import { createTransport } from "../../client/http/create_transport.ts";
import { getReply, NoReplyError } from "../../client/http/get_reply.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { USER_AGENT } from "../../config/plan/version.ts";
import { USUAL_PATH } from "../../telemetry/engines/engines.ts";
import { pageEngines } from "../../telemetry/engines/page_engines.ts";
import { roleSeries } from "../../telemetry/engines/role_series.ts";
import { ROLE_NAMES, ROLES } from "../../telemetry/engines/roles.ts";
import { parseExposition } from "../../telemetry/prometheus/parse_exposition.ts";
import { alternativeUrls, headerLinesOf } from "../../telemetry/scrape/metrics_endpoint.ts";

/** A place whose metrics tell how much a server has to do. */
export type WatchedEndpoint = Pick<
  NonNullable<RunPlan["serverMetrics"]>["endpoints"][number],
  "origin" | "path" | "authorization" | "headers"
>;

/** Roles of requests that are served or wait, in any layer. */
const BUSY_ROLES = ROLE_NAMES.filter((name) => ROLES[name].isBusy);

const POLL_MS = 50;
const ASK_MS = 5000;
/** Time that a server gets to answer when the wait is over. */
const LEAST_ASK_MS = 100;
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

/** How a wait for idle servers ended. */
export type Idleness = "idle" | "unknown" | "busy";

/** Whether a scrape shows that nothing runs or waits; undefined if it shows neither. */
export function pageIsIdle(page: string): boolean | undefined {
  const samples = parseExposition(page).families.flatMap(({ name, type, samples }) =>
    samples.map(({ labels, value }) => ({ name, type, value, labels: Object.entries(labels) }))
  );
  const values = [...pageEngines(samples)].flatMap(([engine, metrics]) =>
    BUSY_ROLES.flatMap((role) => roleSeries(engine, metrics, role)?.series ?? [])
  );
  return values.length === 0 ? undefined : values.every(({ value }) => !(value > 0));
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
  const deadline = performance.now() + timeoutMs;
  const ask = async (endpoint: WatchedEndpoint, path: string) => {
    const leftMs = Math.max(LEAST_ASK_MS, deadline - performance.now());
    try {
      const { status, text } = await getReply(transport, endpoint.origin, path, {
        headerLines:
          `Accept: text/plain;version=0.0.4, */*;q=0.1\r\nAccept-Encoding: identity\r\n` +
          `User-Agent: ${USER_AGENT}\r\n${headerLinesOf(endpoint)}`,
        timeoutMs: Math.min(ASK_MS, leftMs),
        maxBytes: MAX_PAGE_BYTES,
        signal: interrupt,
      });
      return status === 200 ? pageIsIdle(text) : undefined;
    } catch (error) {
      if (!(error instanceof NoReplyError)) throw error;
      return undefined;
    }
  };
  const askAtAnyPath = async (endpoint: WatchedEndpoint) => {
    for (const path of [endpoint.path, ...alternativeUrls(endpoint.path)]) {
      const isIdle = await ask(endpoint, path);
      if (isIdle !== undefined) return { endpoint: { ...endpoint, path }, isIdle };
    }
    return { endpoint, isIdle: undefined };
  };
  try {
    for (let asked = endpoints; !interrupt.aborted;) {
      const answers = await Promise.all(asked.map(askAtAnyPath));
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
  return targets.map(({ origin, authorization }) => ({ origin, path: USUAL_PATH, authorization }));
}
