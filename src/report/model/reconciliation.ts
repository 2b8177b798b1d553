/**
 * Comparison of the client's and the server's measurements. The two sides measure at different
 * points; if a difference exceeds the explanation by that, one side measures something else.
 */

import { distributionOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import type { RoleName } from "../../telemetry/engines/roles.ts";
import { clientFacing } from "./client_facing.ts";
import { MS_PER } from "./milliseconds.ts";
import type { Reconciliation, RequestCounts } from "./profile_report.ts";
import type { RoleFigure } from "./role_figure.ts";
import type { ServerMetricsReport } from "./server_metrics_report.ts";
import type { ServerRoles } from "./server_roles.ts";
import type { SampleTraffic } from "../../measurement/answers/drift_findings.ts";
import { clientTokenMs, serverTokenMs } from "./token_times.ts";
import { withoutSample } from "./without_sample.ts";

/** Largest difference of token counts that needs no explanation. */
const TOKEN_TOLERANCE = 0.02;
/** Largest excess of a server's latency over the client's: their windows are not the same. */
const LATENCY_TOLERANCE = 0.05;
/**
 * Relative difference above which, together with the difference in milliseconds, the network path
 * to the server takes too long.
 */
const NETWORK_OVERHEAD_SHARE = 0.25;
const NETWORK_OVERHEAD_MS = 20;

/** Largest share of the sample of --verify among the requests with which times are compared. */
const SAMPLE_SHARE = 0.01;

const RESTARTED = "the server restarted during the run, its counters began again at zero";

/** Traffic of this client besides the requests that it counts. */
export interface OwnTraffic {
  /** Requests of the warm-up and priming calls, which a scrape window may contain. */
  readonly unmeasuredRequests?: number;
  /** Requests of the sample of --verify; undefined for none. */
  readonly sample?: SampleTraffic | undefined;
  /** Whether a server may count a request several times: more than one choice, or beam search. */
  readonly mayRepeat?: boolean;
}

/** Sources of token counts. */
const CLIENT_TOKENIZER = "client's tokenizer";
const USAGE = "usage in replies";
const SERVER_METRICS = "server metrics";

/**
 * Sets the client's and the server's numbers side by side. Quantities that the servers do not report
 * are left out. Where several layers report one, that of the outermost is used: it counts what
 * clients send.
 * @param ownUrls metrics endpoints of the inference servers themselves: if they have a metric, what
 * others report is not counted a second time
 */
export function reconcile(
  results: MetricResults,
  requests: RequestCounts,
  { roles }: Pick<ServerMetricsReport, "roles">,
  ownUrls: ReadonlySet<string>,
  others: OwnTraffic = {},
): Reconciliation[] {
  const { sample, unmeasuredRequests = 0 } = others;
  const server = (role: RoleName): RoleFigure | undefined =>
    withoutSample(clientFacing(roles, role, ownUrls), role, sample);
  const { restarted } = roles;
  const hasRestarted: HasRestarted = (figure) =>
    figure?.endpoints.some((url) => restarted.has(url)) === true;
  const served = server("requests");
  // Only counts of requests are without the sample.
  const countsOthers = served === undefined && sample !== undefined && sample.requests > 0;
  const load = serverLoad(served ?? server("e2e") ?? server("ttft"), requests, {
    isAmbiguous: countsOthers || roles.pools.length > 0 || others.mayRepeat === true ||
      (roles.figure("retries")?.stats["total"] ?? 0) > 0,
    hasRestarted: hasRestarted(served),
    unmeasuredRequests,
  });
  const [itl, tpot] = [server("itl"), server("tpot")];
  const perRequest = tpot?.perStep ? undefined : tpot;
  const perStep = [itl, tpot].find((figure) => figure?.perStep);
  const perToken = itl?.perStep ? undefined : itl;
  const counts = [
    ...requestRow(requests, served, load, hasRestarted(served), unmeasuredRequests),
    ...tokenRows(results, requests, server, load, hasRestarted),
  ];
  // Times of servers hold those of the sample, which has other lengths.
  if ((sample?.requests ?? 0) > SAMPLE_SHARE * requests.sent) return counts;
  const firstTokens = latencyRows("TTFT", "time_to_first_token", results, server("ttft"), load);
  const laterTokens = [
    ...latencyRows("ITL", "inter_token_latency", results, perRequest, load),
    ...stepRows(results, roles, perStep, load),
    ...(perRequest === undefined ? tokenTimeRows(results, perToken, load) : []),
  ];
  return [
    ...counts,
    ...firstTokens,
    ...withHeldBack(laterTokens, firstTokens, results),
    ...latencyRows("request latency", "request_latency", results, server("e2e"), load),
  ];
}

/**
 * If first tokens are later at the client by the time that the others take less, small writes were
 * held back: tokens arrived together, as with Nagle's algorithm on reused connections.
 */
function withHeldBack(
  rows: readonly Reconciliation[],
  firstTokens: readonly Reconciliation[],
  results: MetricResults,
): readonly Reconciliation[] {
  const ttft = firstTokens.find(({ quantity }) => quantity === "TTFT avg");
  const decodeMs = distributionOf(results, "decode_duration")?.avg;
  if (ttft === undefined || decodeMs === undefined) return rows;
  const lateMs = ttft.client - ttft.server;
  return rows.map((row) => {
    if (row.doubt === undefined || row.server <= row.client) return row;
    const savedMs = decodeMs * (row.server / row.client - 1);
    return savedMs <= lateMs * (1 + LATENCY_TOLERANCE) + 1 ? { ...row, doubt: HELD_BACK } : row;
  });
}

/** Whether an endpoint that a server value comes from restarted during the run. */
type HasRestarted = (figure: RoleFigure | undefined) => boolean;

const CHUNK_GAP = ["chunk gap", "inter_chunk_latency"] as const;

/**
 * Compares times of decode steps. A server counts every gap: so do the client's gaps between chunks,
 * which its ITL, a mean for each request, does not. With drafts, a step has several tokens, and not
 * each step a chunk with text: both sides then have a time per token.
 */
function stepRows(
  results: MetricResults,
  roles: ServerRoles,
  steps: RoleFigure | undefined,
  load: ServerLoad,
): Reconciliation[] {
  const rows = latencyRows(...CHUNK_GAP, results, steps, load);
  const drafts = (["spec_drafts", "spec_draft_tokens"] as const).some((role) =>
    (roles.figure(role)?.stats["total"] ?? 0) > 0
  );
  if (steps === undefined || !drafts) return rows;
  const [client, server] = [clientTokenMs(results), serverTokenMs(roles, steps)];
  if (client === undefined || server === undefined) return rows;
  return [tokenTimeRow(client, server, load), ...rows.filter(({ estimated }) => estimated)];
}

/** Compares times of tokens, which a server weights by tokens; the client's ITL is by request. */
function tokenTimeRows(
  results: MetricResults,
  perToken: RoleFigure | undefined,
  load: ServerLoad,
): Reconciliation[] {
  const rows = latencyRows("ITL", "inter_token_latency", results, perToken, load, CHUNK_GAP);
  const client = clientTokenMs(results);
  return client === undefined
    ? rows
    : rows.map((row) => row.estimated ? row : tokenTimeRow(client, row.server, load));
}

function tokenTimeRow(client: number, server: number, load: ServerLoad): Reconciliation {
  return {
    ...{ quantity: "time per token avg", unit: "ms", client, server, estimated: false },
    doubt: latencyDoubt(client, server, load),
  };
}

function requestRow(
  requests: RequestCounts,
  served: RoleFigure | undefined,
  load: ServerLoad,
  hasRestarted: boolean,
  unmeasuredRequests: number,
): Reconciliation[] {
  const server = served?.stats["total"];
  if (server === undefined) return [];
  const more = server - requests.sent;
  const doubt = more > 0 && hasRestarted
    ? RESTARTED
    : more > 0
    ? load === "others"
      ? "the server also handled requests from other clients"
      : more <= unmeasuredRequests
      ? `the servers also count ${more} warm-up requests or priming calls`
      : `the servers count ${more} more than this client sent`
    : server < requests.succeeded
    ? hasRestarted
      ? RESTARTED
      : "the server counts fewer requests: another instance answered, or its counters lag"
    : undefined;
  const client = requests.succeeded;
  return [{ quantity: "requests", unit: "requests", client, server, estimated: false, doubt }];
}

function tokenRows(
  results: MetricResults,
  requests: RequestCounts,
  server: (role: RoleName) => RoleFigure | undefined,
  load: ServerLoad,
  hasRestarted: HasRestarted,
): Reconciliation[] {
  const prompt = server("prompt_tokens");
  const generated = server("generation_tokens");
  return [
    ...tokenComparison(
      "prompt tokens",
      { usage: "usage_prompt_tokens", counted: "input_sequence_length" },
      results,
      requests,
      prompt?.isPartial ? undefined : prompt?.stats["total"],
      load,
      hasRestarted(prompt),
    ),
    ...tokenComparison(
      "generation tokens",
      { usage: "usage_completion_tokens", counted: "output_sequence_length" },
      results,
      requests,
      generated?.stats["total"],
      load,
      hasRestarted(generated),
    ),
  ];
}

/**
 * Compares the usage of replies with the server's counters, both in the server's tokens, and the
 * client's own count with the usage. Without usage, compares the client's count with the counters.
 */
function tokenComparison(
  quantity: string,
  tags: {
    readonly usage: "usage_prompt_tokens" | "usage_completion_tokens";
    readonly counted: MetricTag;
  },
  results: MetricResults,
  requests: RequestCounts,
  server: number | undefined,
  load: ServerLoad,
  hasRestarted: boolean,
): Reconciliation[] {
  if (server === undefined) return [];
  const usage = distributionOf(results, tags.usage);
  const counted = distributionOf(results, tags.counted);
  const row = { quantity, unit: "tokens", estimated: false };
  if (usage === undefined) {
    if (counted === undefined) return [];
    const client = counted.sum;
    const doubt = tokenDoubt(client, server, requests, CLIENT_TOKENIZER, load, hasRestarted);
    return [{ ...row, client, server, sources: [CLIENT_TOKENIZER, SERVER_METRICS], doubt }];
  }
  const doubt = usage.count < requests.succeeded
    ? `only ${usage.count} of ${requests.succeeded} replies hold usage`
    : tokenDoubt(usage.sum, server, requests, USAGE, load, hasRestarted);
  const sources = [USAGE, SERVER_METRICS] as const;
  const rows: Reconciliation[] = [{ ...row, client: usage.sum, server, sources, doubt }];
  // Without a tokenizer of its own the client has no other count.
  if (counted !== undefined && results.has(`${tags.usage}_diff_pct`)) {
    rows.push({
      ...row,
      client: counted.sum,
      server: usage.sum,
      sources: [CLIENT_TOKENIZER, USAGE],
      doubt: undefined,
    });
  }
  return rows;
}

function tokenDoubt(
  client: number,
  server: number,
  { failed, cancelled, cancelledOnPurpose }: RequestCounts,
  clientSource: string,
  load: ServerLoad,
  hasRestarted: boolean,
): string | undefined {
  if (Math.abs(server - client) <= TOKEN_TOLERANCE * Math.max(server, client)) return undefined;
  if (hasRestarted) return RESTARTED;
  // Requests without a valid reply cost tokens that the client does not count.
  if (failed + cancelled + cancelledOnPurpose > 0) return undefined;
  const tokenizer = clientSource === CLIENT_TOKENIZER ? "another tokenizer" : undefined;
  const reasons = server > client
    ? [load === "others" ? "other clients" : undefined, tokenizer]
    : ["another instance", tokenizer ?? "counters that lag"];
  const known = reasons.filter((reason) => reason !== undefined).join(", or ");
  return `the server counts ${server > client ? "more" : "fewer"}${
    known === "" ? "" : `: ${known}`
  }`;
}

function latencyRows(
  name: string,
  tag: MetricTag,
  results: MetricResults,
  figure: RoleFigure | undefined,
  load: ServerLoad,
  /** Metric that the percentiles are compared with. */
  percentiles: readonly [name: string, tag: MetricTag] = [name, tag],
): Reconciliation[] {
  return timings(figure).flatMap(([statistic, server, serverBounds]) => {
    const [ofName, ofTag] = statistic === "avg" ? [name, tag] : percentiles;
    const result = distributionOf(results, ofTag);
    if (result === undefined) return [];
    const client = result[statistic];
    return [{
      quantity: `${ofName} ${statistic}`,
      unit: "ms",
      client,
      server,
      ...(serverBounds === undefined ? {} : { serverBounds }),
      estimated: statistic !== "avg",
      // Estimates are not doubted: they may be off themselves.
      doubt: statistic === "avg" ? latencyDoubt(client, server, load) : undefined,
    }];
  });
}

/** Mean and percentiles of times in milliseconds; of an estimated one the range of the exact value. */
type Timing = readonly [
  statistic: "avg" | "p50" | "p99",
  valueMs: number,
  boundsMs?: readonly [lower: number, upper: number],
];

function timings(figure: RoleFigure | undefined): Timing[] {
  const { stats = {}, bounds = {}, unit = null } = figure ?? {};
  const toMs = MS_PER.get(unit) ?? 1;
  return (["avg", "p50", "p99"] as const).flatMap((statistic): Timing[] => {
    const name = statistic === "avg" ? "avg" : `${statistic}_estimate`;
    const value = stats[name];
    if (value === undefined) return [];
    const limits = bounds[name];
    return [
      limits === undefined
        ? [statistic, value * toMs]
        : [statistic, value * toMs, [limits[0] * toMs, limits[1] * toMs]],
    ];
  });
}

function latencyDoubt(client: number, server: number, load: ServerLoad): string | undefined {
  if (server > client * (1 + LATENCY_TOLERANCE) + 1) return SLOWER_SERVER[load];
  return client - server > Math.max(NETWORK_OVERHEAD_MS, NETWORK_OVERHEAD_SHARE * server)
    ? "the rest is network or server front-end time"
    : undefined;
}

const HELD_BACK =
  "the first tokens reached the client late and together: the server or a proxy holds small writes back";

/** Whom a server served besides the client's valid requests. */
type ServerLoad = "others" | "failed" | "nobody" | "unknown";

const SLOWER_SERVER: Readonly<Record<ServerLoad, string>> = {
  "others": "the server was slower for other clients",
  "failed": "the server value includes failed requests",
  "nobody": "the server reports more than the client measured, although it had no other client",
  "unknown": "the server reports more than the client measured",
};

/** Reasons that may explain that a server counts more requests than were sent. */
interface OtherCauses {
  /** Pools, retries or several choices count requests again. */
  readonly isAmbiguous: boolean;
  readonly hasRestarted: boolean;
  readonly unmeasuredRequests: number;
}

/**
 * Only a single server that counts more requests than were sent has other clients: of several, one
 * may count what another passed on, and retries count again.
 */
function serverLoad(
  served: RoleFigure | undefined,
  requests: RequestCounts,
  { hasRestarted, isAmbiguous, unmeasuredRequests }: OtherCauses,
): ServerLoad {
  const count = served?.stats["total"] ?? served?.stats["count"];
  const isOne = served?.endpoints.length === 1 && requests.retried === 0 && !isAmbiguous &&
    !hasRestarted;
  if (count !== undefined && count > requests.sent) {
    return isOne && count > requests.sent + unmeasuredRequests ? "others" : "unknown";
  }
  const { failed, cancelled, cancelledOnPurpose } = requests;
  if (failed + cancelled + cancelledOnPurpose > 0) return "failed";
  return isOne ? "nobody" : "unknown";
}
