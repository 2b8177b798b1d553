/** The law of merging: however the records of a run are divided, the files are those of the run. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { distributionOf } from "../../../src/measurement/metrics/metric_results.ts";
import { levelsOfFolder } from "../../../src/results/collect/levels_of_folder.ts";
import { openRunFolder } from "../../../src/results/collect/run_folder.ts";
import { mergeRun } from "../../../src/results/merge/merge_run.ts";
import { withFolder } from "../../support/artifacts.ts";
import { startLocalMock } from "../../support/local_mock.ts";
import { partitionRun } from "../../support/partitioned_run.ts";
import { runCli } from "../../support/run_cli.ts";

/** The files of a folder by their names. */
function filesIn(folder: string): Map<string, string> {
  const names = [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile).map(({ name }) =>
    name
  );
  return new Map(
    names.sort().map((name) => [
      name,
      new TextDecoder("latin1").decode(Deno.readFileSync(`${folder}/${name}`)),
    ]),
  );
}

/** Runs whose results have everything that results can have; these stand for addresses. */
const [OTHER, EXPORTER] = ["OTHER", "EXPORTER"];
const RUNS: readonly (readonly [string, readonly string[]])[] = [
  ["slices, warm-up, metrics of servers and GPUs, objectives and labels", [
    ...["--streaming", "--concurrency", "4", "--request-count", "60", "--osl", "8"],
    ...["--slice-duration", "0.05", "--warmup-request-count", "6", "--workers", "2"],
    ...["--server-metrics-flush-period", "0.1", "--export-http-trace", "--tag", "gpu=h100"],
    ...["--goodput", "time_to_first_token:100 inter_token_latency:50"],
    ...["--gpu-telemetry", EXPORTER, "--itl-dialects"],
    ...["--slo", "ttft.p99<1s", "--server-metrics-formats", "json", "csv", "parquet", "jsonl"],
  ]],
  ["failures and cancellations of an open loop, under a prefix, with whole replies", [
    ...["--streaming", "--request-rate", "300", "--request-count", "60", "--osl", "4"],
    ...["--profile-export-prefix", "mine", "--no-server-metrics", "--export-level", "raw"],
    ...["--max-error-rate", "1", "--request-cancellation-rate", "20"],
    ...["--request-cancellation-delay", "0.01"],
  ]],
  ["sessions at two servers, some of which end with a failure", [
    ...[
      "--url",
      OTHER,
      "--streaming",
      "--num-sessions",
      "10",
      "--session-turns-mean",
      "4",
      "--osl",
      "4",
    ],
    ...["--concurrency", "4", "--no-server-metrics", "--max-error-rate", "1"],
  ]],
  ["no streaming, no lines", [
    ...["--concurrency", "2", "--request-count", "10", "--osl", "4", "--export-level", "summary"],
    ...["--use-server-token-count", "--no-server-metrics", "--max-error-rate", "1"],
  ]],
];

Deno.test("mergeRun makes the files of a run of any division of its records, byte for byte", async (t) => {
  using mock = await startLocalMock(["--faults", "500:0.1", "malformed:0.1", "--seed", "3"]);
  using other = await startLocalMock(["--faults", "500:0.1", "--seed", "4"]);
  const places = new Map([[OTHER, other.url], [EXPORTER, `${mock.url}/dcgm/metrics`]]);
  for (const [name, args] of RUNS) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        const whole = `${folder}/whole`;
        const run = await runCli([
          ...["profile", "--url", mock.url, "--artifact-dir", whole],
          ...args.map((arg) => places.get(arg) ?? arg),
        ]);
        assert.notEqual(run.code, 2, run.stderr);
        const expected = filesIn(whole);
        let merged = 0;
        await fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 1, max: 6 }),
            fc.array(fc.nat(), { minLength: 1, maxLength: 40 }),
            async (count, lots) => {
              const place = `${folder}/merged-${merged++}`;
              await partitionRun(whole, place, {
                count,
                shardOf: (place) => (lots[place % lots.length] as number) % count,
              });
              const { incomplete, failure, report } = await mergeRun(place, {
                expectShards: count,
                allowMissing: false,
              });
              assert.equal(incomplete, undefined);
              assert.equal(failure, undefined);
              assert.deepEqual(filesIn(place), expected);
              // As a thread of its own does, where requests are many.
              const { gaps, levels } = levelsOfFolder(await openRunFolder(place));
              assert.deepEqual(
                gaps.summary.count > 0 ? gaps.summary : undefined,
                distributionOf(report.results, "inter_chunk_latency"),
              );
              assert.deepEqual(
                levels,
                [...report.results.values()].flatMap((result) =>
                  "level" in result ? [[result.metric.tag, result.level]] : []
                ),
              );
              await Deno.remove(place, { recursive: true });
            },
          ),
          { numRuns: 10 },
        );
      }));
  }
});
