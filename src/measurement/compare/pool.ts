import type { BlockedRun } from "./blocked_run.ts";
import {
  type Dependence,
  dependenceOf,
  effectiveBlocks,
} from "../../core/statistics/dependence.ts";
import type { ResampledStatistic } from "./compared_statistics.ts";

/** Values in ascending order, and the block of each one among all blocks of a pool. */
interface SortedColumn {
  readonly values: Float64Array;
  readonly blocks: Uint16Array;
  /** Values of each block. */
  readonly counts: Float64Array;
}

/**
 * Quantile above which values are also compared for a high percentile, because they are less rare.
 */
const COMMON_QUANTILE = 0.9;

/** The least by which the variance of a rate may be smaller than draws show. */
const LEAST_RATE_FACTOR = 0.1;

/** Runs together, whose statistics can be computed with any weights of their blocks. */
export class Pool {
  readonly #statistics: readonly ResampledStatistic[];
  readonly #columns = new Map<string, SortedColumn>();
  readonly #totals: Readonly<Record<keyof BlockedRun["totals"], Float64Array>>;
  /** The first block of each run, and the end. */
  readonly #bounds: readonly number[];
  /** Number of blocks. */
  readonly blocks: number;

  constructor(runs: readonly BlockedRun[], statistics: readonly ResampledStatistic[]) {
    this.#statistics = statistics;
    this.#bounds = runs.reduce(
      (bounds, { blocks }) => [...bounds, (bounds.at(-1) as number) + blocks],
      [0],
    );
    this.blocks = this.#bounds.at(-1) as number;
    const joined = (name: keyof BlockedRun["totals"]) =>
      Float64Array.from(runs.flatMap(({ totals }) => [...totals[name]]));
    this.#totals = {
      requests: joined("requests"),
      succeeded: joined("succeeded"),
      completed: joined("completed"),
      tokens: joined("tokens"),
      seconds: joined("seconds"),
      cost: joined("cost"),
    };
    for (const { kind, tag } of statistics) {
      if (kind === "quantile" && !this.#columns.has(tag)) {
        this.#columns.set(tag, sortedColumn(runs, tag));
      }
    }
  }

  /** Number of values of a statistic. */
  count({ kind, tag }: ResampledStatistic): number {
    if (kind === "quantile") return this.#columns.get(tag)?.values.length ?? 0;
    return this.#totals.requests.reduce((sum, count) => sum + count, 0);
  }

  /** How uncertain each statistic is because blocks depend on their neighbours. */
  dependences(): Dependence[] {
    const whole = this.compute(new Uint16Array(this.blocks).fill(1));
    return this.#statistics.map((statistic, index) => {
      if (statistic.kind === "quantile") return this.#ofQuantile(statistic);
      const value = whole[index] as number;
      const { requests, succeeded } = this.#totals;
      const deviations = statistic.kind === "errors"
        ? requests.map((count, i) => count - (succeeded[i] as number) - count * value / 100)
        : this.#rateDeviations(statistic, value);
      // Users who wait for each other's replies make slow and fast blocks alternate.
      return this.#dependence(deviations, this.blocks, LEAST_RATE_FACTOR);
    });
  }

  /** How much more came of each block than its time, or its cost, is expected to give. */
  #rateDeviations(
    statistic: ResampledStatistic & { readonly kind: "rate" | "cost" },
    value: number,
  ): Float64Array {
    const { tokens, completed, seconds, cost } = this.#totals;
    const counts = statistic.of === "tokens" ? tokens : completed;
    return statistic.kind === "rate"
      ? counts.map((count, i) => count - (seconds[i] as number) * value)
      : counts.map((count, i) => count - (cost[i] as number) * statistic.each / value);
  }

  #ofQuantile({ tag, quantile }: ResampledStatistic & { readonly kind: "quantile" }): Dependence {
    const column = this.#columns.get(tag) as SortedColumn;
    const above = this.#above(column, quantile);
    const own = this.#dependence(above.deviations, effectiveBlocks(above.counts));
    if (quantile <= COMMON_QUANTILE) return own;
    const common = this.#above(column, COMMON_QUANTILE);
    const { factor } = this.#dependence(common.deviations, this.blocks);
    return factor <= own.factor
      ? own
      : { factor, freedom: Math.max(1, own.freedom * own.factor / factor) };
  }

  /** How many values of each block are above a quantile, and how many more than expected. */
  #above({ values, blocks, counts }: SortedColumn, quantile: number) {
    const above = new Float64Array(this.blocks);
    for (let i = Math.ceil((values.length - 1) * quantile); i < values.length; i++) {
      (above[blocks[i] as number] as number)++;
    }
    return {
      counts: above,
      deviations: above.map((count, i) => count - (counts[i] as number) * (1 - quantile)),
    };
  }

  #dependence(deviations: Float64Array, blocks: number, least = 1): Dependence {
    const series = this.#bounds.slice(1).map((end, run) =>
      deviations.slice(this.#bounds[run], end)
    );
    return dependenceOf(series, blocks, least);
  }

  /** The statistics, NaN where there is nothing to tell. */
  compute(weights: Uint16Array): Float64Array {
    const total = (name: keyof BlockedRun["totals"]): number => {
      const values = this.#totals[name];
      let sum = 0;
      for (let i = 0; i < weights.length; i++) {
        sum += (values[i] as number) * (weights[i] as number);
      }
      return sum;
    };
    return Float64Array.from(this.#statistics, (statistic) => {
      switch (statistic.kind) {
        case "quantile":
          return weightedQuantile(
            this.#columns.get(statistic.tag) as SortedColumn,
            weights,
            statistic.quantile,
          );
        case "rate":
          return total(statistic.of === "tokens" ? "tokens" : "completed") / total("seconds");
        case "cost":
          return total("cost") / total(statistic.of === "tokens" ? "tokens" : "completed") *
            statistic.each;
        case "errors":
          return (1 - total("succeeded") / total("requests")) * 100;
      }
    });
  }
}

function sortedColumn(runs: readonly BlockedRun[], tag: string): SortedColumn {
  const values: number[] = [];
  const blocks: number[] = [];
  let before = 0;
  for (const run of runs) {
    run.sample.columns.get(tag)?.forEach((value, row) => {
      if (Number.isNaN(value)) return;
      values.push(value);
      blocks.push(before + (run.blockOf[row] as number));
    });
    before += run.blocks;
  }
  const order = Uint32Array.from(values.keys())
    .sort((a, b) => (values[a] as number) - (values[b] as number));
  const counts = new Float64Array(before);
  for (const block of blocks) (counts[block] as number)++;
  return {
    values: Float64Array.from(order, (i) => values[i] as number),
    blocks: Uint16Array.from(order, (i) => blocks[i] as number),
    counts,
  };
}

/**
 * Returns the quantile of values weighted by the counts of their blocks, by linear interpolation
 * between the nearest ranks; searched from the nearer end.
 */
function weightedQuantile(
  { values, blocks, counts }: SortedColumn,
  weights: Uint16Array,
  quantile: number,
): number {
  const total = weights.reduce((sum, weight, block) => sum + weight * (counts[block] as number), 0);
  if (total === 0) return NaN;
  const rank = (total - 1) * quantile;
  const lowerRank = Math.floor(rank);
  const fraction = rank - lowerRank;
  const fromTop = quantile > 0.5;
  // The rank that is met first on the way from that end.
  const nearRank = fromTop ? Math.max(0, total - 2 - lowerRank) : lowerRank;
  const step = fromTop ? -1 : 1;
  let near = NaN;
  let seen = 0;
  for (let i = fromTop ? values.length - 1 : 0; i >= 0 && i < values.length; i += step) {
    seen += weights[blocks[i] as number] as number;
    if (Number.isNaN(near) && seen > nearRank) near = values[i] as number;
    if (seen > nearRank + 1) {
      const far = values[i] as number;
      return fromTop ? far + (near - far) * fraction : near + (far - near) * fraction;
    }
  }
  return near;
}
