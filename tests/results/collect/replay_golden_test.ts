/** Pages recorded for AIPerf, and the same files made of them: every field, or a reason. */

import assert from "node:assert/strict";
import { metricsOfServer, namedMetricsUrl } from "../../../src/config/plan/servers/metrics_url.ts";
import { resolveMetricsOutput } from "../../../src/config/plan/servers/resolve_server_metrics.ts";
import { FolderSink } from "../../../src/report/export/file_sink.ts";
import {
  readRecording,
  type Recording,
} from "../../../src/results/server_metrics/read_recording.ts";
import { replay } from "../../../src/results/server_metrics/replay.ts";
import { withFolder } from "../../support/artifacts.ts";
import { readFixture } from "../../support/fixtures.ts";
import {
  compareWithGolden,
  GOLDEN_SCENARIOS,
  goldenInput,
  peerWindow,
} from "../../support/golden_scenarios.ts";
import { jsonDifferences } from "../../support/json_difference.ts";
import { readParquet } from "../../support/parquet_rows.ts";
import { runCli } from "../../support/run_cli.ts";

const FORMATS = ["json", "csv", "jsonl", "parquet"];

/** Replays a scenario, or as much of it as `change` makes of it. */
async function replayInto(
  scenario: string,
  folder: string,
  histogramEstimator: string,
  change: (record: Recording) => Promise<Partial<Recording>> | Partial<Recording> = () => ({}),
): Promise<void> {
  const input = new Blob([await Deno.readFile(goldenInput(scenario))]);
  const whole = await readRecording(() => input.stream(), {
    ofServer: (url) => metricsOfServer(url).endpoint.redactedUrl,
    named: (url) => namedMetricsUrl(url, "FILE").endpoint.redactedUrl,
  });
  const record = { ...whole, ...await change(whole) };
  const { sliceDuration } = record;
  const output = resolveMetricsOutput({
    serverMetricsFormats: FORMATS,
    histogramEstimator,
    ...(sliceDuration === undefined ? {} : { sliceDuration }),
  });
  const { written } = await replay(record, output, undefined, new FolderSink(folder), "host");
  assert.deepEqual(written.failure, undefined);
  assert.equal(written.files.length, FORMATS.length);
}

for (const scenario of Object.keys(GOLDEN_SCENARIOS)) {
  Deno.test(`replay makes what AIPerf made of ${scenario}, repaired defects apart`, () =>
    withFolder(async (folder) => {
      const { endNs } = await peerWindow(scenario);
      await replayInto(scenario, folder, "polynomial", () => ({ endNs }));
      const { unexplained, unused } = await compareWithGolden(scenario, folder);
      assert.deepEqual(unexplained, []);
      assert.deepEqual(unused, []);
    }));
}

// deno-lint-ignore no-explicit-any -- what a reader of the files sees
type Json = any;

/** What a scenario's files say of its series, by metric, endpoint and labels. */
async function seriesIn(folder: string): Promise<Map<string, Json>> {
  const { metrics } = JSON.parse(
    await Deno.readTextFile(`${folder}/server_metrics_export.json`),
  ) as Json;
  return new Map(
    Object.entries<Json>(metrics).flatMap(([name, { type, series }]) =>
      series.map((one: Json) => [
        JSON.stringify([name, one.endpoint_url, one.labels]),
        { type, ...one },
      ])
    ),
  );
}

/** Rows of Parquet that hold a value which only has to do with its own moment. */
async function momentaryRows(folder: string): Promise<unknown[]> {
  const { rows } = await readParquet(`${folder}/server_metrics_export.parquet`);
  return rows.filter((row) => ["gauge", "unknown"].includes(row["metric_type"] as string));
}

const RATES = [["rate", "total"], ["count_rate", "count"], ["sum_rate", "sum"]] as const;

for (const scenario of Object.keys(GOLDEN_SCENARIOS)) {
  Deno.test(`replay of ${scenario} takes only totals from behind the end of the phase`, () =>
    withFolder(async (folder) => {
      const into = async (name: string, change: Parameters<typeof replayInto>[3]) => {
        const path = `${folder}/${name}`;
        await Deno.mkdir(path);
        await replayInto(scenario, path, "interval", change);
        return path;
      };
      const peer = await peerWindow(scenario);
      let seconds = NaN;
      const whole = await into("whole", ({ startNs, endNs }) => {
        seconds = Number(endNs - startNs) / 1e9;
        return {};
      });
      const cut = await into("cut", async ({ scrapes, endNs }) => ({
        scrapes: (await Array.fromAsync(scrapes)).filter(({ firstByteNs }) => firstByteNs <= endNs),
      }));
      const later = await into("later", () => ({ endNs: peer.endNs }));

      assert.deepEqual(await momentaryRows(whole), await momentaryRows(cut));
      const [inCut, inLater] = [await seriesIn(cut), await seriesIn(later)];
      for (const [key, series] of await seriesIn(whole)) {
        const { type, stats, timeslices } = series;
        const short = inCut.get(key);
        if (type !== "histogram" || short.stats.count > 0) {
          assert.deepEqual(timeslices, short.timeslices, key);
        }
        if (type === "gauge" || type === "unknown") {
          assert.deepEqual(stats, short.stats, key);
          continue;
        }
        const { stats: all } = inLater.get(key);
        for (const [rate, total] of RATES) {
          assert.equal(stats[total], all[total], key);
          if (rate in stats) assert.equal(stats[rate], stats[total] / seconds, key);
        }
        assert.deepEqual(series.buckets, inLater.get(key).buckets, key);
        assert.equal(stats.p99_estimate, all.p99_estimate, key);
      }
    }));
}

Deno.test("inferometer replay writes the same files as replay", () =>
  withFolder(async (folder) => {
    for (const scenario of Object.keys(GOLDEN_SCENARIOS)) {
      const [own, program] = [`${folder}/${scenario}/own`, `${folder}/${scenario}/program`];
      await Deno.mkdir(own, { recursive: true });
      await replayInto(scenario, own, "interval");
      const { code, stderr } = await runCli([
        ...["replay", goldenInput(scenario), "--artifact-dir", program],
        ...["--server-metrics-formats", ...FORMATS],
      ]);
      assert.equal(code, 0, stderr);
      for (const format of ["json", "csv", "jsonl"]) {
        const name = `server_metrics_export.${format}`;
        const read = (directory: string) => Deno.readTextFile(`${directory}/${name}`);
        assert.equal(await read(program), await read(own), `${scenario}: ${name}`);
      }
      const rows = async (directory: string) =>
        (await readParquet(`${directory}/server_metrics_export.parquet`)).rows;
      assert.deepEqual(await rows(program), await rows(own), scenario);
    }
  }));

/** Of every series of a scenario, what is estimated of a histogram. */
async function estimatesOf(folder: string): Promise<Record<string, Record<string, unknown>[]>> {
  const { metrics } = JSON.parse(await Deno.readTextFile(`${folder}/server_metrics_export.json`));
  const estimates: Record<string, Record<string, unknown>[]> = {};
  for (const [name, { type, series }] of Object.entries<GoldenMetric>(metrics)) {
    if (type !== "histogram") continue;
    estimates[name] = series.map(({ stats }) =>
      Object.fromEntries(Object.entries(stats).filter(([stat]) => /^p\d+_/.test(stat)))
    );
  }
  return estimates;
}

interface GoldenMetric {
  readonly type: string;
  readonly series: readonly { readonly stats: Readonly<Record<string, unknown>> }[];
}

// What the default estimator said when its accuracy was measured: see docs/histograms.md. The exact
// percentiles of these pages are unknown, so that only the bounds are certain.
const DEFAULT_ESTIMATES = readFixture<Record<string, Record<string, Record<string, unknown>[]>>>(
  "server_metrics/default_estimates.json",
);

for (const scenario of Object.keys(DEFAULT_ESTIMATES)) {
  Deno.test(`replay estimates the percentiles of ${scenario} as it did`, () =>
    withFolder(async (folder) => {
      await replayInto(scenario, folder, "interval");
      const differences = [
        ...jsonDifferences(DEFAULT_ESTIMATES[scenario], await estimatesOf(folder)),
      ].filter(({ expected, actual }) =>
        !(Math.abs(Number(expected) - Number(actual)) <= 1e-6 * Math.abs(Number(expected)))
      );
      assert.deepEqual(differences, []);
    }));
}
