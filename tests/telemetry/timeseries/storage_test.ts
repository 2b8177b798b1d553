/** What a day of scrapes takes, from the bytes of a shorter one. */

import assert from "node:assert/strict";
import type { SampleSeries } from "../../../src/telemetry/prometheus/exposition.ts";
import { EndpointSeries } from "../../../src/telemetry/timeseries/endpoint_series.ts";
import { ScalarSeries } from "../../../src/telemetry/timeseries/series.ts";

const SCRAPES = 20_000;
const SERIES = 400;
const DAY_SCRAPES = 24 * 3600 * 3;
const DAY_SERIES = 3 * 4000;
const MOST_BYTES = 2e9;

/** How a series moves from one scrape to the next. */
interface Motion {
  /** Share of the series that move so. */
  readonly share: number;
  /** Share of the scrapes at which the value is another one. */
  readonly changes: number;
  next(value: number, random: number): number;
}

/**
 * A server with several models under load: of its series, three in four belong to models, routes,
 * and errors that do not occur; the rest are mostly buckets, which grow by whole numbers.
 */
const MOTIONS: readonly Motion[] = [
  { share: 0.75, changes: 0, next: (value) => value },
  { share: 0.2, changes: 0.6, next: (value, random) => value + Math.ceil(random * 40) },
  { share: 0.02, changes: 0.8, next: (value, random) => value + Math.ceil(random * 5000) },
  { share: 0.01, changes: 0.6, next: (value, random) => value + random },
  { share: 0.015, changes: 0.5, next: (_, random) => Math.floor(random * 64) },
  { share: 0.005, changes: 0.5, next: (_, random) => random },
];

/** The same numbers every time. */
function randomNumbers(): () => number {
  let state = 1;
  return () => (state = state * 48_271 % 2_147_483_647) / 2_147_483_647;
}

function motionsOf(count: number): Motion[] {
  const motions: Motion[] = [];
  let upTo = 0;
  for (const motion of MOTIONS) {
    upTo += motion.share * count;
    while (motions.length < Math.round(upTo)) motions.push(motion);
  }
  return motions;
}

Deno.test("EndpointSeries keeps a day of three large endpoints in less than 2 GB", () => {
  const random = randomNumbers();
  const motions = motionsOf(SERIES);
  const newSeries: SampleSeries[] = motions.map((_, id) => ({
    id,
    name: "metric",
    labels: [["id", String(id)]],
  }));
  const ids = Int32Array.from(motions, (_, id) => id);
  const values = new Float64Array(SERIES);
  const endpoint = new EndpointSeries();
  for (let scrape = 0; scrape < SCRAPES; scrape++) {
    motions.forEach(({ changes, next }, id) => {
      if (random() < changes) values[id] = next(values[id] as number, random());
    });
    const firstByteNs = Math.round(scrape * 1e9 / 3);
    endpoint.add({
      sentNs: firstByteNs,
      firstByteNs,
      latencyNs: 0,
      duplicate: false,
      isWhole: true,
      newSeries: scrape === 0 ? newSeries : [],
      metadata: scrape === 0 ? [] : undefined,
      ids,
      values,
      problemCount: 0,
    });
  }
  let bytes = 0;
  for (const series of endpoint.series) {
    assert.ok(series instanceof ScalarSeries);
    bytes += series.values.byteLength;
  }
  const perCell = bytes / SCRAPES / SERIES;
  const day = perCell * DAY_SCRAPES * DAY_SERIES;
  assert.ok(day < MOST_BYTES, `${perCell} bytes for each scrape of a series, ${day} in a day`);
  // As plain doubles it would be eight, so the test does test something.
  assert.ok(perCell > 0.1, `${perCell} bytes for each scrape of a series`);
});
