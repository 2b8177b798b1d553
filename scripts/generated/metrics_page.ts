/** The page `docs/metrics.md`, made from the catalog of client metrics. */

import {
  NETWORK_ADJUSTED_METRICS,
  NETWORK_RTT,
} from "../../src/measurement/metrics/network_metrics.ts";
import { LEVEL_METRICS } from "../../src/measurement/metrics/level_metrics.ts";
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

# Client metrics

Names, headers, units and formulas are those of AIPerf's metrics reference; metrics that it does not
have are marked there as ours by their names. A metric that has no value in a run is absent from the
files, never zero in its place. Percentiles are exact, by linear interpolation between neighbours.

Definitions that everything hangs on:

- The **start** of a request is just before the first byte of it is handed to a connection, or before
  connecting when a new connection is needed. The **intended start** is what the arrival process
  asked for.
- A **content chunk** is an event whose text (answer, reasoning or tool call) is not empty; role-only
  events, usage and \`[DONE]\` are none. The **first token** is the first content chunk, the **end**
  the last one (without streaming: the whole body).
- Rates divide by the benchmark's duration: from the first request's start, also of one that failed,
  to the last valid response. Those of a slice divide by the slice's length, that of the last one up
  to the run's end; its \`benchmark_duration\` is that of its own requests.
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

Other tools mean other things. With \`--itl-dialects\` the console, the JSON file (\`itl_dialects\`), the
CSV file and the page have them side by side; \`inferometer recompute DIR --itl-dialect vllm\` reports a
run by one of them.

| tool     | there it is | definition                                                                             |
| -------- | ----------- | -------------------------------------------------------------------------------------- |
| AIPerf   | ITL         | (last chunk - first chunk) / (output tokens - 1) of each request                       |
| vLLM     | TPOT        | the same with the server's count of tokens, where it reports one                       |
| vLLM     | ITL         | each gap between two chunks, of all requests together: \`inter_chunk_latency\`           |
| SGLang   | TPOT        | (last event of the stream - first chunk) / (the server's tokens, else those asked for - 1) |
| SGLang   | ITL         | each gap between two chunks                                                            |
| GuideLLM | ITL         | as vLLM's TPOT; a request counts as often as it has tokens after the first             |
| GuideLLM | TPOT        | (last chunk - start) / the server's tokens; a request counts as often as it has tokens |

Chunks without text, such as one that only names the role, are none here; vLLM's program counts them.
SGLang's divides gaps by a chunk's tokens for its own servers with speculative decoding; that is not
done here.
`;

const COST = `## What it costs

By \`--cost-per-hour\`, the price of an hour of all servers together, in any currency:

- \`total_cost\` = price x benchmark duration in seconds / 3600;
- \`cost_per_million_output_tokens\` = \`total_cost\` / output tokens x 1,000,000; likewise for input
  tokens, and for both together (\`cost_per_million_tokens\`);
- \`cost_per_request\` = \`total_cost\` / valid requests; \`cost_per_good_request\` = \`total_cost\` /
  requests that met \`--goodput\`.

Each divides the whole price, so the prices of input and output tokens do not add up. A server that
was not under full load looks dearer than it is. The CSV file has two decimals of every figure, as
AIPerf's: small prices are exact in the JSON.
`;

const NETWORK = `## The network's share

With \`--network-latency-automatic\` or \`--network-latency-mean\`: \`network_adjusted_*\` of a request is
its latency less \`network_rtt\`, zero at least.
`;

const ENERGY = `## Energy

Where GPUs tell of themselves: ${
  EFFICIENCY_METRICS.map(({ name }) => `\`${name}\``).join(", ")
}, with \`nvidia_\` or \`amd_\` before them. [GPUs](gpu.md) has units and formulas.
`;

const OVER_TIME = `## Over time

What stands at a level at every moment of a run, each level weighted by how long it lasted:
\`effective_*\` over the benchmark's duration, \`active_*\` over the part of it in which there was
such work. Requests in flight count from their start to their last content, failed ones to their
failure. A request prefills from its start to its first token and decodes from there to its last one;
its tokens are spread evenly over either, so percentiles describe the server. (AIPerf spreads them
between the client's reads, whose distances make its percentiles.) Time slices have none of these.
`;

const LEFT_OUT = `## What AIPerf has and inferometer does not

\`effective_latency\` is there with a request rate alone: without one nothing waits before its start,
and it would repeat \`request_latency\`. \`http_req_chunks_received\` counts the read that brought the
head, too.
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
  ERROR_ONLY: "requests failed",
};

/** What stands in `docs/metrics.md`. */
export function metricsPage(): string {
  return [
    INTRODUCTION,
    "## Of each request\n",
    "In summaries as a distribution, in `profile_export.jsonl` as a value of each record.\n",
    tableOf([...RECORD_METRICS, INTER_CHUNK_LATENCY, ERROR_ISL, ...NETWORK_ADJUSTED_METRICS]),
    BETWEEN_TOKENS,
    "## Of the run\n",
    tableOf([
      ...Object.values<Metric>(RATE_METRICS),
      ...Object.values<Metric>(SHARE_METRICS),
      ...Object.values<Metric>(COUNT_METRICS),
      ...TOTAL_METRICS,
    ]),
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
  return `| tag | header | unit | there with |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
}
