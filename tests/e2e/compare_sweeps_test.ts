/** Comparisons of whole sweeps, from the command line to the files. */

import assert from "node:assert/strict";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { SWEEP_COMPARISON_SCHEMA } from "../../src/report/export/schemas/sweep_comparison_schema.ts";
import { withFolder } from "../support/artifacts.ts";
import { withMock } from "../support/local_mock.ts";
import { NO_FLUSH, runCli } from "../support/run_cli.ts";
import { schemaProblems } from "../support/schema_problems.ts";

const SMALL = [
  ...["profile", "--model", "mock-model", "--streaming", "--request-count", "24"],
  ...["--no-server-metrics", "--no-canaries", "--osl", "8"],
];

async function cli(args: readonly string[]) {
  return await runCli(args, { env: NO_FLUSH });
}

/** Runs sweeps into folders below one, each against a server of its own. */
async function sweeps(
  folder: string,
  commands: readonly (readonly [name: string, itl: string, args: readonly string[]])[],
): Promise<void> {
  for (const [name, itl, args] of commands) {
    await withMock(
      { ttft: latencyDistribution("5"), itl: latencyDistribution(itl) },
      async ({ url }) => {
        const directory = `${folder}/${name}`;
        const { code, stderr } = await cli([
          ...[...SMALL, "--url", url, "--artifact-dir", directory, ...args],
        ]);
        assert.equal(code, 0, stderr);
      },
    );
  }
}

// deno-lint-ignore no-explicit-any -- what a reader of a file sees
async function comparisonIn(directory: string): Promise<any> {
  const found = JSON.parse(await Deno.readTextFile(`${directory}/compare.json`));
  assert.deepEqual(schemaProblems(SWEEP_COMPARISON_SCHEMA, found), []);
  return found;
}

Deno.test("sweeps are compared point by point and along their frontiers", async () => {
  await withFolder(async (folder) => {
    const isl = ["--isl", "16"];
    await sweeps(folder, [
      ["old", "2", [...isl, "--concurrency", "1,2,4"]],
      ["new", "6", ["--isl", "16,32", "--concurrency", "2,4,8"]],
      ["again", "2", [...isl, "--concurrency", "1,2,4"]],
    ]);
    const output = `${folder}/compared`;
    const run = await cli([
      ...["compare", `${folder}/old,${folder}/again`, `${folder}/new`, "--label", "old", "new"],
      ...["--output-dir", output],
    ]);
    assert.equal(run.code, 0, run.stderr);
    const found = await comparisonIn(output);
    assert.deepEqual([found.a, found.b], ["old", "new"]);
    // The first sweep has one prompt length, which is an option there.
    assert.deepEqual(found.points.map(({ settings }: { settings: unknown }) => settings), [
      { concurrency: 2, isl: 16 },
      { concurrency: 4, isl: 16 },
    ]);
    for (const { differences, runs } of found.points) {
      assert.deepEqual(runs, { a: 2, b: 1 });
      const itl = differences.find(({ metric, statistic }: Record<string, string>) =>
        metric === "inter_token_latency" && statistic === "p50"
      );
      assert.ok(itl.before > 1 && itl.before < 5 && itl.after > 5, JSON.stringify(itl));
    }
    assert.deepEqual(found.only_a, [{ concurrency: 1, isl: 16 }]);
    assert.deepEqual(
      found.only_b.map(({ concurrency, isl }: Record<string, number>) => [concurrency, isl]),
      [[2, 32], [4, 32], [8, 16], [8, 32]],
    );
    assert.match(run.stdout, /note: only old has concurrency=1, isl=16/);
    // A workload that only one side has is on no frontier.
    assert.equal(found.sides.b.length, 3);
    const page = await Deno.readTextFile(`${output}/compare.html`);
    assert.match(page, /id="plot-frontiers"/);
    assert.match(page, /<th scope="row">concurrency=4, isl=16<\/th>/);
    assert.match(page, /default-src 'none'; script-src 'sha256-/);
    assert.ok(page.includes('--label</span> <span class="word">old'), "the command is repeated");
    assert.match(
      await Deno.readTextFile(`${output}/compare.md`),
      /concurrency=4, isl=16 \| ITL p50/,
    );
  });
});

Deno.test("only two sweeps are compared, and a sweep not with a run", async () => {
  await withFolder(async (folder) => {
    await sweeps(folder, [["a", "1", ["--concurrency", "1,2"]]]);
    const mixed = await cli(["compare", `${folder}/a`, `${folder}/a/concurrency_1`]);
    assert.equal(mixed.code, 2);
    assert.match(mixed.stderr, /concurrency_1 is not a sweep: compare sweeps with sweeps/);
    const three = await cli([
      ...["compare", `${folder}/a`, `${folder}/a`, `${folder}/a`, "--label", "x", "y", "z"],
    ]);
    assert.equal(three.code, 2);
    assert.match(three.stderr, /Two sweeps are compared, not 3/);
    const points = await cli([
      ...["compare", `${folder}/a/concurrency_1`, `${folder}/a/concurrency_2`],
    ]);
    assert.equal(points.code, 0, "single points are runs");
  });
});
