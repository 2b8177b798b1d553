import assert from "node:assert/strict";
import { writeSyntheticShards } from "../../../scripts/bench/synthetic_shards.ts";
import { distributionOf } from "../../../src/measurement/metrics/metric_results.ts";
import { FolderSink } from "../../../src/report/export/file_sink.ts";
import { mergeRun } from "../../../src/results/merge/merge_run.ts";
import { type LevelsClient, startLevels } from "../../../src/results/collect/levels_client.ts";
import { levelsOfFolder } from "../../../src/results/collect/levels_of_folder.ts";
import { reportRun } from "../../../src/results/collect/report_run.ts";
import { openRunFolder } from "../../../src/results/collect/run_folder.ts";

const OPTIONS = { expectShards: 2, allowMissing: false };

async function foundBy(client: LevelsClient | undefined): Promise<unknown> {
  assert.ok(client !== undefined);
  try {
    return await client.found;
  } finally {
    client.end();
  }
}

Deno.test("reportRun writes the same, whoever finds the levels and the gaps", async () => {
  const directory = await Deno.makeTempDir();
  const written = async (): Promise<unknown> => ({
    json: await Deno.readTextFile(`${directory}/profile_export_aiperf.json`),
    csv: await Deno.readTextFile(`${directory}/profile_export_aiperf.csv`),
    page: await Deno.readTextFile(`${directory}/report.html`),
  });
  try {
    await writeSyntheticShards(directory, { shards: 2, requests: 60, chunks: 4, withLines: false });
    await mergeRun(directory, OPTIONS);
    const expected = await written();
    const folder = await openRunFolder(directory);
    const found = levelsOfFolder(folder);
    for (const one of [found, undefined]) {
      const client = { found: Promise.resolve(one), end() {} };
      await Deno.remove(`${directory}/report.html`);
      await reportRun(folder, new FolderSink(directory), client);
      assert.deepEqual(await written(), expected);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("startLevels has a thread find what the report says", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await writeSyntheticShards(directory, { shards: 2, requests: 60, chunks: 4, withLines: false });
    const { report } = await mergeRun(directory, OPTIONS);
    const expected = [...report.results.values()].flatMap((result) =>
      "level" in result ? [[result.metric.tag, result.level]] : []
    );
    assert.equal(expected.length, 13);
    const folder = await openRunFolder(directory);
    const aside = levelsOfFolder(folder);
    assert.deepEqual(aside.levels, expected);
    const summary = distributionOf(report.results, "inter_chunk_latency");
    assert.deepEqual(aside.gaps, { summary, isExact: true });
    assert.equal(startLevels(folder), undefined, "So few are not worth a thread");
    if (navigator.hardwareConcurrency < 2) return;
    assert.deepEqual(await foundBy(startLevels(folder, 1)), aside);
    // What nobody can read, the thread cannot either, and says so.
    const gone = { ...folder, directory: `${directory}/gone` };
    assert.equal(await foundBy(startLevels(gone, 1)), undefined);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
