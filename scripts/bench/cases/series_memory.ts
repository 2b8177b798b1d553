/**
 * What a long scrape costs where every value of every series changes: memory, CPU of taking the
 * pages in, and CPU of the Parquet file. Twenty minutes of three endpoints of 4,000 series are
 * simulated in a process of their own; what they spill grows in proportion, what they keep in memory
 * does not.
 */

import { FolderSink } from "../../../src/report/export/file_sink.ts";
import { serverMetricsParquet } from "../../../src/report/export/server_metrics/server_metrics_parquet.ts";
import type { ScrapeMessage } from "../../../src/telemetry/scrape/messages.ts";
import { MetricsStore } from "../../../src/results/server_metrics/metrics_store.ts";
import type { BenchCase } from "../bench_case.ts";
import type { BenchRow } from "../bench_row.ts";
import { OURS } from "../product.ts";
import { atMost, type Target } from "../target.ts";
import { programOutput } from "../../process/program_output.ts";

const ENDPOINTS = 3;
const SERIES = 4000;
const INTERVAL_SECONDS = 1 / 3;
const SIMULATED_SECONDS = 20 * 60;
const DAY_SECONDS = 24 * 3600;
/** Seconds of pages that the Parquet file is made of: its cost grows with the rows. */
const PARQUET_SECONDS = 30;

/** What the process finds. */
interface Costs {
  readonly peakMegabytes: number;
  readonly takeInSeconds: number;
  readonly spilledBytes: number;
  readonly parquetSeconds: number;
}

const KINDS = ["counters", "floats"] as const;

/** See the module's comment. */
export const seriesMemory: BenchCase = {
  name: "series",
  description: "a long scrape of 12,000 series that all change, scaled to a day",
  async run(context) {
    const rows: BenchRow[] = [];
    for (const kind of KINDS) {
      context.progress(`series: ${SIMULATED_SECONDS / 60} minutes of ${kind}`);
      const costs = await costsOf(kind);
      const row = (label: string, unit: string, value: number, targets: readonly Target[] = []) =>
        rows.push({
          label: `${kind}: ${label}`,
          unit,
          decimals: 3,
          values: new Map([[OURS, [value]]]),
          targets,
          machine: [],
        });
      row("peak memory, however long", "MB", costs.peakMegabytes, [atMost(2000)]);
      row("disk for a day", "GB", costs.spilledBytes / 1e9 / SIMULATED_SECONDS * DAY_SECONDS);
      row("CPU of taking in, a recorded second", "s", costs.takeInSeconds / SIMULATED_SECONDS);
      row("CPU of Parquet, a recorded second", "s", costs.parquetSeconds / PARQUET_SECONDS, [
        atMost(0.03),
      ]);
    }
    return rows;
  },
};

async function costsOf(kind: typeof KINDS[number]): Promise<Costs> {
  const script = new URL(import.meta.url).pathname;
  const args = ["run", "--quiet", "--allow-all", script, kind];
  return JSON.parse(await programOutput(Deno.execPath(), args));
}

/** Pages on which every value is another one than before. */
function* pages(kind: string, seconds: number): Generator<ScrapeMessage> {
  const values = new Float64Array(SERIES);
  const ids = Int32Array.from(values, (_, id) => id);
  const newSeries = Array.from(ids, (id) => ({
    id,
    name: `metric_${Math.floor(id / 20)}_total`,
    labels: [["model", "m"], ["part", String(id)]] as const,
  }));
  for (let number = 0; number * INTERVAL_SECONDS < seconds; number++) {
    const firstByteNs = Math.round(number * INTERVAL_SECONDS * 1e9);
    for (let id = 0; id < SERIES; id++) {
      const random = Math.random();
      values[id] = (values[id] as number) + (kind === "floats" ? random : Math.ceil(random * 40));
    }
    for (let endpoint = 0; endpoint < ENDPOINTS; endpoint++) {
      yield {
        type: "page",
        endpoint,
        page: {
          sentNs: firstByteNs,
          firstByteNs,
          latencyNs: 1e6,
          duplicate: false,
          isWhole: true,
          newSeries: number === 0 ? newSeries : [],
          metadata: undefined,
          ids,
          values: values.slice(),
          problemCount: 0,
        },
        text: undefined,
        contentType: "",
        droppedSeries: 0,
      };
    }
  }
}

async function measure(kind: string): Promise<Costs> {
  const folder = await Deno.makeTempDir();
  const sink = new FolderSink(folder);
  let spilledBytes = 0;
  const scratch = {
    openScratch() {
      const file = sink.openScratch();
      return {
        write(bytes: Uint8Array) {
          spilledBytes += bytes.length;
          return file.write(bytes);
        },
        readInto: (offset: number, bytes: Uint8Array) => file.readInto(offset, bytes),
      };
    },
  };
  const urls = Array.from({ length: ENDPOINTS }, (_, index) => `http://node${index}/metrics`);
  const store = new MetricsStore(urls, { scratch });
  let takeInMs = 0;
  for (const page of pages(kind, SIMULATED_SECONDS)) {
    const startMs = performance.now();
    store.take(page);
    takeInMs += performance.now() - startMs;
  }
  const inMemory = store.endpoints.reduce((sum, { series }) => sum + series.byteLength, 0);
  const status = await Deno.readTextFile("/proc/self/status");
  const peakMegabytes = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024 / 1e6;
  const parquetSeconds = parquetTime(kind, urls);
  await Deno.remove(folder, { recursive: true });
  return {
    peakMegabytes,
    takeInSeconds: takeInMs / 1e3,
    spilledBytes: spilledBytes + inMemory,
    parquetSeconds,
  };
}

function parquetTime(kind: string, urls: readonly string[]): number {
  const store = new MetricsStore(urls);
  for (const page of pages(kind, PARQUET_SECONDS)) store.take(page);
  const startMs = performance.now();
  const file = serverMetricsParquet(store.endpoints, {
    window: { startNs: 0, endNs: PARQUET_SECONDS * 1e9 },
    baseEpochNs: 1_795_237_156_230_500_123n,
    metadata: new Map(),
  });
  for (const _ of file);
  return (performance.now() - startMs) / 1e3;
}

if (import.meta.main) {
  // deno-lint-ignore no-console
  console.log(JSON.stringify(await measure(Deno.args[0] ?? "")));
}
