/** Pages recorded for AIPerf, and the same files made of them: every field, or a reason. */

import assert from "node:assert/strict";
import { FolderSink } from "../../src/export/file_sink.ts";
import { metricsOfServer, namedMetricsUrl } from "../../src/plan/metrics_url.ts";
import { resolveMetricsOutput } from "../../src/plan/resolve_server_metrics.ts";
import { readRecording } from "../../src/server_metrics/read_recording.ts";
import { replay } from "../../src/server_metrics/replay.ts";
import { withFolder } from "../support/artifacts.ts";
import { compareWithGolden, GOLDEN_SCENARIOS, goldenInput } from "../support/golden_scenarios.ts";
import { readParquet } from "../support/parquet_rows.ts";
import { runCli } from "../support/run_cli.ts";

const FORMATS = ["json", "csv", "jsonl", "parquet"];

async function replayInto(scenario: string, folder: string): Promise<void> {
  const record = readRecording(await Deno.readFile(goldenInput(scenario)), {
    ofServer: (url) => metricsOfServer(url).endpoint.redactedUrl,
    named: (url) => namedMetricsUrl(url, "FILE").endpoint.redactedUrl,
  });
  const { sliceDuration } = record;
  const output = resolveMetricsOutput({
    serverMetricsFormats: FORMATS,
    ...(sliceDuration === undefined ? {} : { sliceDuration }),
  });
  const { written } = await replay(record, output, undefined, new FolderSink(folder), "host");
  assert.deepEqual(written.failure, undefined);
  assert.equal(written.files.length, FORMATS.length);
}

for (const scenario of Object.keys(GOLDEN_SCENARIOS)) {
  Deno.test(`replay makes what AIPerf made of ${scenario}, repaired defects apart`, () =>
    withFolder(async (folder) => {
      await replayInto(scenario, folder);
      const { unexplained, unused } = await compareWithGolden(scenario, folder);
      assert.deepEqual(unexplained, []);
      assert.deepEqual(unused, []);
    }));
}

Deno.test("inferometer replay writes the same files as replay", () =>
  withFolder(async (folder) => {
    for (const scenario of Object.keys(GOLDEN_SCENARIOS)) {
      const [own, program] = [`${folder}/${scenario}/own`, `${folder}/${scenario}/program`];
      await Deno.mkdir(own, { recursive: true });
      await replayInto(scenario, own);
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
