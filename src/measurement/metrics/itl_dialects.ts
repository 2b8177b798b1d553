/**
 * Time between tokens as different benchmarks define it, computed from the same records.
 *
 * Sources: AIPerf's metrics reference; vLLM's `benchmarks/serve.py`; SGLang's `bench_serving.py`
 * (its latency runs to the last event, the one with the usage included); GuideLLM's
 * `request_stats.py` and `metrics.py` (a request counts as often as it has tokens). All of them see
 * the content chunks that this program counts: chunks without text, which vLLM's benchmark counts,
 * are excluded.
 */

import type { ItlDialectName } from "./itl_dialect_name.ts";
import { FloatColumn } from "../../core/statistics/float_column.ts";
import { summarize, type Summary } from "../../core/statistics/summarize.ts";
import { weightedSummary } from "../../core/statistics/weighted_summary.ts";
import type { RecordMetric } from "./record_metrics.ts";
import {
  decodeNs,
  firstTokenNs,
  latencyNs,
  outputSequenceLength,
  type RequestRecord,
} from "./request_record.ts";
import {
  interTokenSpanNs,
  type TokenCount,
  tokensAfterFirstChunk,
} from "./tokens_after_first_chunk.ts";

/** A row of the table. */
export interface ItlDialect {
  /** Whose it is. */
  readonly tool: string;
  /** Name of the metric in that benchmark. */
  readonly metric: string;
  readonly rule: string;
}

interface RequestDialect extends ItlDialect {
  /** Time of a request that is divided, in nanoseconds; NaN where there is none. */
  readonly spanNs: (record: RequestRecord) => number;
  /** Number of tokens that it is divided by; zero or less, or NaN, where there is none. */
  readonly tokens: (record: RequestRecord) => number;
  /** How often a request counts; each once where that is missing. */
  readonly weight?: (record: RequestRecord) => number;
}

/** A dialect's values, in milliseconds. */
export interface ItlDialectResult extends ItlDialect {
  readonly count: number;
  readonly avg: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly std: number;
}

/** The server's count of output tokens, else another one. */
const serverTokens = (record: RequestRecord, others: number): number =>
  record.completionTokens > 0 ? record.completionTokens : others;
const guidellmTokens = (record: RequestRecord): number => serverTokens(record, record.stampCount);

/** One value for each request. */
const OF_REQUESTS: Readonly<Record<ItlDialectName, RequestDialect>> = {
  inferometer: {
    tool: "inferometer",
    metric: "ITL",
    rule: "(last chunk - first chunk) / tokens after the first chunk",
    spanNs: interTokenSpanNs,
    tokens: (record) => tokensAfterFirstChunk(record).tokens,
  },
  aiperf: {
    tool: "AIPerf",
    metric: "ITL",
    rule: "(last chunk - first chunk) / (output tokens - 1)",
    spanNs: decodeNs,
    tokens: (record) => outputSequenceLength(record) - 1,
  },
  vllm: {
    tool: "vLLM",
    metric: "TPOT",
    rule: "(last chunk - first chunk) / (the server's tokens - 1)",
    spanNs: decodeNs,
    tokens: (record) => serverTokens(record, outputSequenceLength(record)) - 1,
  },
  sglang: {
    tool: "SGLang",
    metric: "TPOT",
    rule: "(last event - first chunk) / (the server's tokens - 1)",
    spanNs: (record) => record.lastEventNs - record.startNs - firstTokenNs(record),
    tokens: (record) => {
      const { requestedTokens } = record;
      const asked = requestedTokens > 0 ? requestedTokens : outputSequenceLength(record);
      return serverTokens(record, asked) - 1;
    },
  },
  guidellm: {
    tool: "GuideLLM",
    metric: "ITL",
    rule: "(last chunk - first chunk) / (the server's tokens - 1), weighted by these",
    spanNs: decodeNs,
    tokens: (record) => guidellmTokens(record) - 1,
    weight: (record) => guidellmTokens(record) - 1,
  },
};

const GUIDELLM_TPOT: RequestDialect = {
  tool: "GuideLLM",
  metric: "TPOT",
  rule: "(last chunk - start) / the server's tokens, weighted by these",
  spanNs: latencyNs,
  tokens: guidellmTokens,
  weight: guidellmTokens,
};

const GAPS = "each gap between two chunks, of all requests together";

/** The rows; those without a formula are of the gaps between chunks. */
const ROWS: readonly (RequestDialect | ItlDialect)[] = [
  OF_REQUESTS.inferometer,
  OF_REQUESTS.aiperf,
  OF_REQUESTS.vllm,
  { tool: "vLLM", metric: "ITL", rule: GAPS },
  OF_REQUESTS.sglang,
  { tool: "SGLang", metric: "ITL", rule: GAPS },
  OF_REQUESTS.guidellm,
  GUIDELLM_TPOT,
];

/** Time between the tokens of a request by a definition, in nanoseconds; NaN without one. */
function dialectNs({ spanNs, tokens }: RequestDialect, record: RequestRecord): number {
  const divisor = tokens(record);
  return divisor > 0 ? spanNs(record) / divisor : NaN;
}

/** Divisor of the time between tokens by a definition, with the limits of what replies leave open. */
export function tokenDivisor(
  name: ItlDialectName = "inferometer",
): (record: RequestRecord) => TokenCount {
  if (name === "inferometer") return tokensAfterFirstChunk;
  return (record) => {
    const tokens = OF_REQUESTS[name].tokens(record);
    return { tokens, least: tokens, most: tokens };
  };
}

/** A metric by another definition, if it is one of the time between tokens. */
export function inDialect(
  metric: RecordMetric,
  name: ItlDialectName = "inferometer",
): RecordMetric {
  if (name === "inferometer") return metric;
  switch (metric.tag) {
    case "inter_token_latency":
      return { ...metric, value: (record) => dialectNs(OF_REQUESTS[name], record) / 1e6 };
    case "output_token_throughput_per_user":
      return {
        ...metric,
        value(record) {
          const seconds = dialectNs(OF_REQUESTS[name], record) / 1e9;
          return seconds === 0 ? NaN : 1 / seconds;
        },
      };
    default:
      return metric;
  }
}

/** The values of all requests of a run in every dialect. */
export class ItlDialectTable {
  readonly #columns = ROWS.map(() => ({ values: new FloatColumn(), weights: new FloatColumn() }));

  /** Adds a valid request. */
  add(record: RequestRecord): void {
    ROWS.forEach((row, index) => {
      if (!("spanNs" in row)) return;
      const value = dialectNs(row, record);
      if (Number.isNaN(value)) return;
      this.#columns[index]?.values.push(value / 1e6);
      if (row.weight !== undefined) this.#columns[index]?.weights.push(row.weight(record));
    });
  }

  /**
   * Returns the values of every dialect that has any.
   * @param gaps between chunks, milliseconds; undefined if there are none
   */
  results(gaps: Summary | undefined): ItlDialectResult[] {
    return ROWS.flatMap((row, index) => {
      const { values, weights } = this.#columns[index] as {
        values: FloatColumn;
        weights: FloatColumn;
      };
      const summary = !("spanNs" in row)
        ? gaps
        : row.weight === undefined
        ? summarize(values.values)
        : weightedSummary(values.values, weights.values);
      if (summary === undefined || summary.count === 0) return [];
      const { count, avg, p50, p90, p95, p99, std } = summary;
      const { tool, metric, rule } = row;
      return [{ tool, metric, rule, count, avg, p50, p90, p95, p99, std }];
    });
  }
}
