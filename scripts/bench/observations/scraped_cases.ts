import type { HistogramWindow } from "../../../src/core/statistics/histogram/histogram_window.ts";
import { randomStream } from "../../../src/core/statistics/random_stream.ts";
import { type BucketLayout, type LayoutName, LAYOUTS } from "./bucket_layouts.ts";
import type { Observation } from "./processes.ts";
import type { Shape, ShapeGroups } from "./shapes.ts";

/** How a shape is run: from a handful of observations to hundreds per scrape. */
interface Pace {
  /** Observations per second. */
  readonly rate: number;
  readonly intervalSeconds: number;
  readonly scrapes: number;
}

const PACES: readonly Pace[] = [
  { rate: 2, intervalSeconds: 0.333, scrapes: 300 },
  { rate: 30, intervalSeconds: 0.333, scrapes: 300 },
  { rate: 300, intervalSeconds: 0.333, scrapes: 240 },
  { rate: 6, intervalSeconds: 1, scrapes: 200 },
  { rate: 1, intervalSeconds: 0.5, scrapes: 240 },
  { rate: 60, intervalSeconds: 5, scrapes: 60 },
  { rate: 120, intervalSeconds: 0.1, scrapes: 400 },
  { rate: 15, intervalSeconds: 2, scrapes: 120 },
];
/** Between 8 and 40 observations in all. */
const TINY_PACES: readonly Pace[] = [
  { rate: 0.3, intervalSeconds: 0.333, scrapes: 80 },
  { rate: 1, intervalSeconds: 1, scrapes: 12 },
  { rate: 3, intervalSeconds: 0.333, scrapes: 20 },
  { rate: 10, intervalSeconds: 5, scrapes: 1 },
];
/** Paces that each shape is tried at per seed. */
const PACES_PER_SEED = 4;
/** Shapes move by up to this factor from case to case, so that no bound is at a lucky place. */
const MAX_JITTER = 2;

/** A run whose observations are known, as scrapes show it. */
export interface ScrapedCase {
  readonly group: string;
  readonly shape: string;
  readonly layout: LayoutName;
  /** Observations per scrape. */
  readonly perScrape: number;
  readonly window: HistogramWindow;
  /** In ascending order. */
  readonly observations: Float64Array;
}

/** Runs every shape at several paces in several layouts. */
export function* scrapedCases(
  groups: ShapeGroups,
  seeds: readonly number[],
): Generator<ScrapedCase> {
  for (const [group, shapes] of Object.entries(groups)) {
    for (const shape of shapes) {
      for (const seed of seeds) yield* runsOf(group, shape, seed);
    }
  }
}

function* runsOf(group: string, shape: Shape, seed: number): Generator<ScrapedCase> {
  const { name, process, layouts, length, rates } = shape;
  const choice = randomStream(seed, `pace of ${group}/${name}`);
  const paces = length === "tiny" ? TINY_PACES : shuffled(PACES, choice);
  for (let run = 0; run < PACES_PER_SEED; run++) {
    const pace = paces[run] as Pace;
    const rate = rates?.[run % rates.length] ?? pace.rate;
    const layout = layouts[Math.floor(choice() * layouts.length)] as LayoutName;
    const { bounds, scale: typical }: BucketLayout = LAYOUTS[layout];
    const random = randomStream(seed, `${group}/${name}/${layout}/${run}`);
    // What lies beyond the last bound is meant to be some share, not none and not all.
    const jitter = layout === "vllmShort" ? 1 : MAX_JITTER ** (2 * random() - 1);
    const scale = typical * jitter;
    const bucket = bounds.findIndex((bound) => bound >= scale);
    const { intervalSeconds, scrapes } = pace;
    const observations = process({
      random,
      seconds: scrapes * intervalSeconds,
      rate,
      scale,
      bucket: [bounds[bucket - 1] ?? 0, bounds[bucket] ?? scale * 2],
    });
    if (observations.length === 0) continue;
    yield {
      group,
      shape: name,
      layout,
      perScrape: rate * intervalSeconds,
      window: scraped(observations, bounds, pace),
      observations: Float64Array.from(observations, ([, value]) => value).sort(),
    };
  }
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values.map((value) => ({ value, place: random() }))
    .sort((a, b) => a.place - b.place).map(({ value }) => value);
}

function scraped(
  observations: readonly Observation[],
  finiteBounds: readonly number[],
  { intervalSeconds, scrapes }: Pace,
): HistogramWindow {
  const bounds = [...finiteBounds, Infinity];
  const width = bounds.length;
  const length = scrapes + 1;
  const cumulative = new Float64Array(length * width);
  const sums = new Float64Array(length);
  const counts = new Float64Array(length);
  let next = 0;
  for (let row = 1; row < length; row++) {
    cumulative.copyWithin(row * width, (row - 1) * width, row * width);
    sums[row] = sums[row - 1] as number;
    counts[row] = counts[row - 1] as number;
    for (; next < observations.length; next++) {
      const [at, value] = observations[next] as Observation;
      if (at > row * intervalSeconds && row + 1 < length) break;
      sums[row] = (sums[row] as number) + value;
      counts[row] = (counts[row] as number) + 1;
      for (let b = width - 1; b >= 0 && value <= (bounds[b] as number); b--) {
        cumulative[row * width + b] = (cumulative[row * width + b] as number) + 1;
      }
    }
  }
  return {
    bounds: bounds.map((bound) => bound === Infinity ? "+Inf" : String(bound)),
    upperBounds: Float64Array.from(bounds),
    length,
    cumulative,
    sums,
    counts,
  };
}
