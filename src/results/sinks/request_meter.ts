/**
 * The metrics of requests as OpenTelemetry's conventions for generative AI have them, and the
 * product's own, cumulative from the start of the run: a message that is lost is made good by the
 * next one. Only requests of the profiling phase count, and none that was cancelled.
 */

import {
  firstTokenNs,
  isCancelled,
  isValid,
  latencyNs,
  outputSequenceLength,
  type RequestRecord,
} from "../../measurement/metrics/request_record.ts";
import { interTokenNs } from "../../measurement/metrics/tokens_after_first_chunk.ts";
import { BucketCounter } from "./bucket_counter.ts";
import type { OtlpContext } from "./otlp_context.ts";
import { attributeList, type Attributes, type OtlpObject } from "./otlp_message.ts";

/** Bounds that the conventions name for durations, in seconds. */
const DURATION_BOUNDS = Array.from({ length: 14 }, (_, i) => 0.01 * 2 ** i);
/** Those for numbers of tokens. */
const TOKEN_BOUNDS = Array.from({ length: 14 }, (_, i) => 4 ** i);
/** Those for times to first chunks and between chunks. */
const CHUNK_BOUNDS = [
  ...[0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
];
/** Cumulative counts, by OTLP. */
const CUMULATIVE = 2;

interface Instrument {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly bounds: readonly number[];
}

const INSTRUMENTS = {
  duration: {
    name: "gen_ai.client.operation.duration",
    unit: "s",
    description: "From the start of a request to its last content, or to its failure",
    bounds: DURATION_BOUNDS,
  },
  tokens: {
    name: "gen_ai.client.token.usage",
    unit: "{token}",
    description: "Tokens that requests and replies had",
    bounds: TOKEN_BOUNDS,
  },
  firstChunk: {
    name: "gen_ai.client.operation.time_to_first_chunk",
    unit: "s",
    description: "From the start of a request to the first content of its reply",
    bounds: CHUNK_BOUNDS,
  },
  betweenChunks: {
    name: "gen_ai.client.operation.time_per_output_chunk",
    unit: "s",
    description: "Between two chunks of content of a reply",
    bounds: CHUNK_BOUNDS,
  },
  interToken: {
    name: "inferometer.inter_token_latency",
    unit: "s",
    description: "Mean time between the tokens of a reply after its first chunk",
    bounds: CHUNK_BOUNDS,
  },
} as const satisfies Record<string, Instrument>;

type InstrumentKey = keyof typeof INSTRUMENTS;

/** See the module's comment. */
export class RequestMeter {
  readonly #context: OtlpContext;
  readonly #histograms = new Map<
    InstrumentKey,
    Map<string, { attributes: Attributes; buckets: BucketCounter }>
  >();
  readonly #requests = new Map<string, { attributes: Attributes; count: number }>();
  #firstNs = Infinity;
  #lastNs = -Infinity;

  constructor(context: OtlpContext) {
    this.#context = context;
  }

  /** Whether nothing has been counted yet. */
  get isEmpty(): boolean {
    return this.#requests.size === 0;
  }

  /** Counts a request. */
  add(record: RequestRecord): void {
    if (record.phase === 0 || isCancelled(record) || Number.isNaN(record.startNs)) return;
    const attributes = this.#context.attributesOf(record);
    const key = JSON.stringify(Object.values(attributes));
    const counted = this.#requests.get(key);
    if (counted === undefined) this.#requests.set(key, { attributes, count: 1 });
    else counted.count++;
    this.#firstNs = Math.min(this.#firstNs, record.startNs);
    this.#lastNs = Math.max(this.#lastNs, record.endNs);
    const valid = isValid(record);
    const note = (instrument: InstrumentKey, value: number, more?: Attributes): void =>
      this.#note(instrument, key, attributes, value, more);
    note("duration", (valid ? latencyNs(record) : record.endNs - record.startNs) / 1e9);
    if (!valid) return;
    note("firstChunk", firstTokenNs(record) / 1e9);
    note("interToken", interTokenNs(record) / 1e9);
    note("tokens", inputTokens(record), { "gen_ai.token.type": "input" });
    note("tokens", outputTokens(record), { "gen_ai.token.type": "output" });
    const { chunkNs } = record;
    for (let i = 1; i < chunkNs.length; i++) {
      note("betweenChunks", ((chunkNs[i] as number) - (chunkNs[i - 1] as number)) / 1e9);
    }
  }

  /** What has been counted, as parts of a message. */
  metrics(): OtlpObject[] {
    const times = {
      "startTimeUnixNano": this.#context.epoch(this.#firstNs),
      "timeUnixNano": this.#context.epoch(this.#lastNs),
    };
    const metrics: OtlpObject[] = [...this.#histograms].map(([instrument, series]) => {
      const { name, unit, description, bounds } = INSTRUMENTS[instrument];
      const dataPoints = [...series.values()].map(({ attributes, buckets }) => ({
        "attributes": attributeList(attributes),
        ...times,
        "count": String(buckets.count),
        "sum": buckets.sum,
        "min": buckets.min,
        "max": buckets.max,
        "bucketCounts": buckets.counts.map(String),
        "explicitBounds": bounds,
      }));
      const histogram = { "dataPoints": dataPoints, "aggregationTemporality": CUMULATIVE };
      return { "name": name, "unit": unit, "description": description, "histogram": histogram };
    });
    return [...metrics, {
      "name": "inferometer.requests",
      "unit": "{request}",
      "description": "Completed requests; error.type names the kind of failure",
      "sum": {
        "dataPoints": [...this.#requests.values()].map(({ attributes, count }) => ({
          "attributes": attributeList(attributes),
          ...times,
          "asInt": String(count),
        })),
        "aggregationTemporality": CUMULATIVE,
        "isMonotonic": true,
      },
    }];
  }

  #note(
    instrument: InstrumentKey,
    key: string,
    attributes: Attributes,
    value: number,
    more?: Attributes,
  ): void {
    if (Number.isNaN(value)) return;
    let series = this.#histograms.get(instrument);
    if (series === undefined) this.#histograms.set(instrument, series = new Map());
    const seriesKey = more === undefined ? key : `${key} ${Object.values(more).join()}`;
    let entry = series.get(seriesKey);
    if (entry === undefined) {
      const buckets = new BucketCounter(INSTRUMENTS[instrument].bounds);
      entry = { attributes: { ...attributes, ...more }, buckets };
      series.set(seriesKey, entry);
    }
    entry.buckets.add(value);
  }
}

/** Tokens of the prompt: by the server's count, or by ours where it has none. */
export function inputTokens({ promptTokens, inputTokens }: RequestRecord): number {
  return Number.isNaN(promptTokens) ? inputTokens : promptTokens;
}

/** Tokens of the reply, likewise. */
export function outputTokens(record: RequestRecord): number {
  const { completionTokens } = record;
  return Number.isNaN(completionTokens) ? outputSequenceLength(record) : completionTokens;
}
