/** The page `docs/metrics.md`, made from the catalog of client metrics. */

import {
  NETWORK_ADJUSTED_METRICS,
  NETWORK_RTT,
} from "../../src/measurement/metrics/network_metrics.ts";
import { LEVEL_METRICS } from "../../src/measurement/metrics/level_metrics.ts";
import { SESSION_METRICS, SESSION_TOTALS } from "../../src/measurement/metrics/session_metrics.ts";
import type { Metric, MetricFlag } from "../../src/measurement/metrics/metric.ts";
import {
  ERROR_ISL,
  INTER_CHUNK_LATENCY,
  RECORD_METRICS,
} from "../../src/measurement/metrics/record_metrics.ts";
import {
  COST_METRICS,
  COUNT_METRICS,
  RATE_METRICS,
  SHARE_METRICS,
  TOTAL_METRICS,
} from "../../src/measurement/metrics/run_metrics.ts";
import { EFFICIENCY_METRICS } from "../../src/telemetry/gpu/gpu_efficiency.ts";
import { LEFT_OUT_KEYS, LEFT_OUT_METRICS, type LeftOut } from "./left_out.ts";

const INTRODUCTION =
  `<!-- Made from the catalog of metrics by scripts/build_generated.ts, not by hand. -->

# Metrics

Names, units and formulas of all client metrics, as they appear in files, \`--slo\` and
\`--goodput\`. For example, \`time_to_first_token\` in \`profile_export_aiperf.json\`:

\`\`\`json
{ "unit": "ms", "avg": 51.3, "p50": 50.8, "p90": 53.8, "p99": 56.2, "min": 49.9, "max": 58.1, "std": 1.4, "count": 320 }
\`\`\`

- Names, headers, units and formulas are AIPerf's. inferometer has additional metrics.
- A metric without a value is absent from the files, never zero.
- Percentiles are exact, with linear interpolation between neighbours.

## Definitions

- The **start** of a request is just before its first byte is passed to a connection, or before
  connecting if a new connection is needed. The **intended start** is the time that the arrival
  process planned.
- A **content chunk** is an event whose text (answer, reasoning or tool call) is not empty. Role-only
  events, usage and \`[DONE]\` are not content chunks. The **first token** is the first content
  chunk, the **end** is the last one, or the whole body without streaming.
- Rates divide by the benchmark's duration: from the first start of any request, failed ones
  included, to the last end of any request.
- Rates of a time slice divide by the length of the slice; the last slice ends with the run. Its
  \`benchmark_duration\` is that of its own requests.
- Statistics under AIPerf's keys cover the whole run. \`steady_state\` has those of the
  [steady state](publishing.md#measure-the-steady-state).

## Closed connections and stalls

A server may close an idle connection while a request travels to it. If a reused connection closes
before any byte of the reply, the time since the write decides:

| close after the write                              | result                                      |
| -------------------------------------------------- | ------------------------------------------- |
| within 20 ms, or three times the connect if longer | resent once on a new connection (\`retried\`) |
| later                                              | failed with \`connection_closed\`, not resent |

TTFT and latency of a resent request start at the first attempt. A stream without a byte for 10
minutes fails with \`timeout\` (\`--stall-timeout\`). AIPerf resends no request and has no such limit:
\`--defaults aiperf\` behaves likewise. With \`--transport fetch\`, Deno 2.9 resends without counting.
`;

const BETWEEN_TOKENS = `## Time between tokens

\`inter_token_latency\` of a request is the time from its first to its last content chunk, divided by
the tokens that came after the first chunk. Where each chunk brings one token, that is AIPerf's formula,
all tokens but one. The divisor is the first of these that the reply provides:

1. Where chunks carry usage (\`--per-chunk-usage\`), the server's count at the last content chunk minus
   the count at the first.
2. Otherwise, the tokens that chunks brought minus the tokens of the first chunk. Reasoning tokens that
   usage names and no chunk brought are left out. If the server counts one token more than the chunks
   can have brought, it is the token that ended the reply.

Tokens of the first chunk are counted from its text if chunks bring several (1.2 tokens per chunk or
more), or estimated from its share of the text if only the server counts tokens. The client's count is
replaced by the server's where it cannot be of the same tokens: fewer tokens than chunks, or more than
the server generated. The divisor is at least the number of later chunks, so that ITL never exceeds the
longest gap between chunks. What the reply leaves open widens the bounds of \`measurement_error\`.

\`interactivity\` is pooled: tokens after the first chunks of all requests, divided by the time in which
they came. The console, reports and sweeps show it as tokens/s/user. The mean of
\`output_token_throughput_per_user\` (1 / ITL of each request, AIPerf's key) follows the few requests
whose chunks came almost at once: it can exceed what the server generates by a factor of 20.

Other tools use other definitions. \`--itl-dialects\` reports them next to each other in the console,
the JSON file (\`itl_dialects\`), the CSV file and the report. \`inferometer recompute DIR --itl-dialect
vllm\` applies one of them to a run.

| tool     | its name    | definition                                                                             |
| -------- | ----------- | -------------------------------------------------------------------------------------- |
| AIPerf   | ITL         | (last chunk - first chunk) / (output tokens - 1) of each request                       |
| vLLM     | TPOT        | AIPerf's formula with the server's count of tokens, if it reports one                  |
| vLLM     | ITL         | each gap between two chunks, of all requests together: \`inter_chunk_latency\`           |
| SGLang   | TPOT        | (last event of the stream - first chunk) / (the server's tokens, else those asked for - 1) |
| SGLang   | ITL         | each gap between two chunks                                                            |
| GuideLLM | ITL         | as vLLM's TPOT; a request counts as often as it has tokens after the first             |
| GuideLLM | TPOT        | (last chunk - start) / the server's tokens; a request counts as often as it has tokens |

Chunks without text, such as role-only events, are ignored; vLLM's program counts them. SGLang's
program divides gaps by a chunk's tokens for its own servers with speculative decoding; inferometer
does not.
`;

const SESSIONS = `## Sessions

Metrics of runs whose sessions have several turns. Distributions are those of completed sessions from
their beginning: the end of the run cuts others off, and they would have been longer. In objectives,
\`session.duration\` is \`session_duration\`, and so on.

- \`session_duration\` = last end - first start of requests that are not in the background. It is the
  sum of \`session_model_time\` (in requests), \`session_tool_time\`, \`session_user_time\` and
  \`session_agent_time\` (gaps, by who works in them) and \`session_wait_time\` (from when a request was
  due until it was sent). They are measured along the critical path: from the last end back over the
  event that each request waited for last. \`session_tree_duration\` includes the background: agents for which no other
  agent waits.
- \`session_ttfu\` = first token of the first request of the agent that the user talks to - start.
- \`session_own_error\` = duration - duration of a client that sends each request punctually and
  receives the same replies. The lateness of requests that others hide does not add up.
- \`session_tokens_new\` = input tokens - ideal cached tokens. Ideal are the whole blocks that an earlier
  request of the same session has from the beginning of its prompt. Blocks have the size that servers
  report, else \`--isl-block-size\` (default 16).
- \`session_hit_rate\` = cached tokens / prompt tokens, both by usage; \`session_ideal_hit_rate\` = ideal cached
  tokens / input tokens, by prompts with recorded histories, with replies in live ones;
  \`session_hit_share\` = the part of the ideal tokens that came from the cache. Of each request at
  most its ideal tokens count: what the cache has from other sessions is in \`session_hit_rate\`
  only. All three are sums over all sessions.
- \`session_parallelism\` = sum of the times of a session's requests / time with at least one in flight.
- \`sessions_per_second\` = completed sessions / benchmark duration; \`jobs_per_hour\` = 3600 times that;
  \`jobs_per_hour_per_tree\` divides it by the mean number of sessions in progress.
- \`session_completed_rate\` = completed / (completed + failed); \`session_cut_off_rate\` = sessions cut
  off by the end of the run / all. If that exceeds 20 %, objectives on durations are inconclusive.

Confidence intervals take the session as the unit, because its requests are not independent samples. They
need 5 sessions; \`sessions.no_intervals\` has the reason if there are none.

Requests by depth and by kind of agent have objectives as well: \`depth0.ttft.p99<2s\`,
\`agent.explore.itl.p95<30ms\`, \`depth1.hit_rate>=80%\` (\`ttft\`, \`itl\`, \`latency\`, \`isl\`, \`osl\`,
\`hit_rate\`). The user talks to the agent at depth 0.
`;

const COST = `## Cost

\`--cost-per-hour\` is the price per hour of all servers together, in any currency:

- \`total_cost\` = price x benchmark duration in seconds / 3600;
- \`cost_per_million_output_tokens\` = \`total_cost\` / output tokens x 1,000,000; likewise for input
  tokens, and for both together (\`cost_per_million_tokens\`);
- \`cost_per_request\` = \`total_cost\` / valid requests; \`cost_per_good_request\` = \`total_cost\` /
  requests that met \`--goodput\`.

Each metric divides the whole price, so the prices of input and output tokens do not add up. A server
below full load appears more expensive than it is. The CSV file has two decimals, as AIPerf's; small
prices are exact in the JSON.
`;

const NETWORK = `## Network latency

With \`--network-latency-automatic\` or \`--network-latency-mean\`, \`network_adjusted_*\` of a request
is its latency minus \`network_rtt\`, at least zero.
`;

const ENERGY = `## Energy

If GPU telemetry is available: ${
  EFFICIENCY_METRICS.map(({ name }) => `\`${name}\``).join(", ")
}, with the prefix \`nvidia_\` or \`amd_\`. See [GPU telemetry](gpu.md) for units and formulas.
`;

const OVER_TIME = `## Over time

Levels, weighted by how long they lasted: \`effective_*\` over the benchmark's duration, \`active_*\`
over the part of it with such work. Requests in flight count from their start to their last content, failed ones to their
failure. Prefill lasts from the start of a request to its first token, decode from there to its last token.
Tokens are distributed evenly over each, so percentiles describe the server. AIPerf distributes them
between the client's reads. Time slices do not have these metrics.
`;

const LEFT_OUT = `## What AIPerf has and inferometer does not

\`effective_latency\` requires a request rate: without one it would equal \`request_latency\`.
\`http_req_chunks_received\` includes the read that contains the head.
`;

/** When a metric is there, by the flags that restrict it. */
const CONDITIONS: Partial<Record<MetricFlag, string>> = {
  STREAMING_ONLY: "streaming",
  PRODUCES_TOKENS_ONLY: "replies have tokens",
  TOKENIZES_INPUT_ONLY: "prompts have tokens",
  SUPPORTS_IMAGE_ONLY: "prompts carry images",
  SUPPORTS_REASONING: "replies carry reasoning",
  GOODPUT: "`--goodput`",
  HTTP_TRACE_ONLY: "the socket transport",
  USAGE_DIFF_ONLY: "tokens are counted here as well",
  ARRIVAL_PROCESS_ONLY: "a request rate",
  COST_ONLY: "`--cost-per-hour`",
  NEEDS_CORRECT_ONLY: "`--goodput-needs-correct`",
  ERROR_ONLY: "requests failed",
};

/** What stands in `docs/metrics.md`. */
export function metricsPage(): string {
  return [
    INTRODUCTION,
    "## Request metrics\n",
    "Distributions in summaries, values of each record in `profile_export.jsonl`.\n",
    tableOf([...RECORD_METRICS, INTER_CHUNK_LATENCY, ERROR_ISL, ...NETWORK_ADJUSTED_METRICS]),
    BETWEEN_TOKENS,
    "## Run metrics\n",
    tableOf([
      ...Object.values<Metric>(RATE_METRICS),
      ...Object.values<Metric>(SHARE_METRICS),
      ...Object.values<Metric>(COUNT_METRICS),
      ...TOTAL_METRICS,
    ]),
    SESSIONS,
    tableOf([...SESSION_METRICS, ...Object.values<Metric>(SESSION_TOTALS)]),
    COST,
    tableOf(Object.values<Metric>(COST_METRICS)),
    NETWORK,
    tableOf([NETWORK_RTT]),
    ENERGY,
    OVER_TIME,
    tableOf(LEVEL_METRICS),
    LEFT_OUT,
    "Metrics:\n",
    ...LEFT_OUT_METRICS.map(leftOutLine),
    "\nKeys and files:\n",
    ...LEFT_OUT_KEYS.map(leftOutLine),
    "",
  ].join("\n");
}

function leftOutLine({ names, why }: LeftOut): string {
  return `- ${names.map((name) => `\`${name}\``).join(", ")}: ${why}.`;
}

function tableOf(metrics: readonly Metric[]): string {
  const tags = new Set<string>();
  const rows = metrics.flatMap(({ tag, header, unit, flags }) => {
    if (tags.has(tag)) return [];
    tags.add(tag);
    const conditions = flags.flatMap((flag) => CONDITIONS[flag] ?? []);
    return [`| \`${tag}\` | ${header} | ${unit} | ${conditions.join(", ")} |`];
  });
  return `| tag | header | unit | available when |\n| --- | --- | --- | --- |\n${
    rows.join("\n")
  }\n`;
}
