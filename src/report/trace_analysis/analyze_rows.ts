import { GrowingColumn } from "../../core/statistics/growing_column.ts";
import { summarize, type Summary } from "../../core/statistics/summarize.ts";
import { PrefixCache } from "./prefix_cache.ts";
import type { CacheResult, TraceAnalysis, TracePrefixes, TraceTimes } from "./trace_analysis.ts";
import { UseCounts } from "./use_counts.ts";
import type { AnalysedRow } from "./trace_rows.ts";

/** Intervals of a trace, at most. */
const MAX_INTERVALS = 120;
/** Requests of an interval, on average and at least. */
const MEAN_REQUESTS = 10;
/** Widths of intervals, in seconds. */
const WIDTHS = [
  ...[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300],
  ...[600, 1800, 3600, 7200, 21_600, 86_400, 604_800],
];

/** Settings of an analysis. */
export interface AnalysisSettings {
  readonly file: string;
  readonly format: string;
  /** Returns the tokens of a block; asked for when the first row has come. */
  blockSize(): number;
  /** Sizes of caches in tokens. */
  readonly cacheTokens: readonly number[];
}

const floats = () => new GrowingColumn((length) => new Float64Array(length));

/** Reads the rows of a trace once; memory grows by some numbers for each row and each different block. */
export async function analyzeRows(
  rows: AsyncIterable<AnalysedRow>,
  settings: AnalysisSettings,
): Promise<TraceAnalysis> {
  const inputs = floats();
  const outputs = floats();
  const times = new TimeColumns();
  const sessions = new Set<string>();
  const prefixes = new PrefixColumns(settings);
  let requests = 0;
  let single = 0;
  for await (const { session, timestampMs, inputTokens, outputTokens, hashIds } of rows) {
    requests++;
    if (session === undefined) single++;
    else sessions.add(session);
    if (inputTokens !== undefined) inputs.push(inputTokens);
    if (outputTokens !== undefined) outputs.push(outputTokens);
    if (timestampMs !== undefined) times.add(timestampMs, inputTokens, outputTokens);
    if (hashIds !== undefined && hashIds.length > 0 && inputTokens !== undefined) {
      prefixes.add(hashIds, inputTokens);
    }
  }
  return {
    "file": settings.file,
    "format": settings.format,
    "requests": requests,
    "conversations": sessions.size + single,
    "input_length": summaryOf(inputs),
    "output_length": summaryOf(outputs),
    "time": times.finish(),
    "prefix_cache": prefixes.finish(),
  };
}

function summaryOf(column: GrowingColumn<Float64Array<ArrayBuffer>>): Summary | null {
  return column.length === 0 ? null : summarize(column.values);
}

class TimeColumns {
  readonly #ms = floats();
  readonly #inputs = floats();
  readonly #outputs = floats();

  add(ms: number, inputTokens = 0, outputTokens = 0): void {
    this.#ms.push(ms);
    this.#inputs.push(inputTokens);
    this.#outputs.push(outputTokens);
  }

  finish(): TraceTimes | null {
    const times = this.#ms.values;
    if (times.length === 0) return null;
    let first = Infinity;
    let last = -Infinity;
    for (const time of times) {
      first = Math.min(first, time);
      last = Math.max(last, time);
    }
    const seconds = (last - first) / 1000;
    // A peak among a few requests would be chance.
    const least = Math.min(seconds, seconds / times.length * MEAN_REQUESTS);
    const width = WIDTHS.find((width) => seconds / width < MAX_INTERVALS && width >= least) ??
      Math.ceil(seconds / MAX_INTERVALS);
    const count = Math.floor(seconds / width) + 1;
    const columns = [0, 1, 2].map(() => new Array<number>(count).fill(0));
    const [requests = [], inputTokens = [], outputTokens = []] = columns;
    times.forEach((time, i) => {
      const at = Math.min(count - 1, Math.floor((time - first) / 1000 / width));
      requests[at] = (requests[at] as number) + 1;
      inputTokens[at] = (inputTokens[at] as number) + (this.#inputs.values[i] as number);
      outputTokens[at] = (outputTokens[at] as number) + (this.#outputs.values[i] as number);
    });
    // As many intervals between requests as there are, less one.
    const mean = seconds === 0 ? 0 : (times.length - 1) / seconds;
    return {
      "duration_s": seconds,
      "requests_per_s": mean,
      "interval_s": width,
      // Of few intervals, the trace fills the last one only in part.
      "peak_requests_per_s": requests.reduce((most, one) => Math.max(most, one / width), mean),
      "intervals": {
        "requests": requests,
        "input_tokens": inputTokens,
        "output_tokens": outputTokens,
      },
    };
  }
}

class PrefixColumns {
  readonly #settings: AnalysisSettings;
  readonly #uses = new UseCounts();
  /** Hits of a cache without eviction. */
  readonly #infinite = new HitColumn();
  #caches: readonly {
    readonly tokens: number;
    readonly cache: PrefixCache;
    readonly hits: HitColumn;
  }[] = [];
  /** Tokens of a block; 0 before the first row. */
  #blockSize = 0;
  #tokens = 0;
  #blocks = 0;

  constructor(settings: AnalysisSettings) {
    this.#settings = settings;
  }

  #begin(): void {
    const blockSize = this.#blockSize = this.#settings.blockSize();
    this.#caches = this.#settings.cacheTokens.map((tokens) => ({
      tokens,
      cache: new PrefixCache(Math.floor(tokens / blockSize)),
      hits: new HitColumn(),
    }));
  }

  add(hashIds: readonly number[], inputTokens: number): void {
    if (this.#blockSize === 0) this.#begin();
    this.#tokens += inputTokens;
    this.#blocks += hashIds.length;
    const known = hashIds.findIndex((id) => !this.#uses.has(id));
    const size = this.#blockSize;
    this.#infinite.add((known < 0 ? hashIds.length : known) * size, inputTokens);
    for (const { cache, hits } of this.#caches) hits.add(cache.serve(hashIds) * size, inputTokens);
    for (const id of new Set(hashIds)) this.#uses.add(id);
  }

  finish(): TracePrefixes | null {
    if (this.#blocks === 0) return null;
    let once = 0;
    let most = 0;
    let uses = 0;
    for (const count of this.#uses.counts()) {
      if (count === 1) once++;
      else uses += count;
      most = Math.max(most, count);
    }
    const shared = this.#uses.size - once;
    return {
      "block_size": this.#blockSize,
      "blocks": this.#blocks,
      "unique_blocks": this.#uses.size,
      "blocks_used_once": once,
      "mean_uses_of_shared_blocks": shared === 0 ? null : uses / shared,
      "most_uses_of_a_block": most,
      "infinite_cache": this.#infinite.finish(this.#tokens),
      "caches": this.#caches.map(({ tokens, hits }) => ({
        "size_tokens": tokens,
        ...hits.finish(this.#tokens),
      })),
    };
  }
}

class HitColumn {
  readonly #rates = floats();
  #hitTokens = 0;

  /** @param blockTokens tokens of the existing blocks; the last one may not be full */
  add(blockTokens: number, inputTokens: number): void {
    const hits = Math.min(inputTokens, blockTokens);
    this.#hitTokens += hits;
    this.#rates.push(inputTokens === 0 ? 0 : hits / inputTokens);
  }

  finish(tokens: number): CacheResult {
    return {
      "hit_rate": tokens === 0 ? 0 : this.#hitTokens / tokens,
      "hit_tokens": this.#hitTokens,
      "hit_rate_of_requests": summarize(this.#rates.values),
    };
  }
}
