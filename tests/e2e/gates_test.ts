/** Gates and comparisons as a user has them: exit codes, lines, files. */

import assert from "node:assert/strict";
import { dirname } from "node:path";
import { GATE_SCHEMA } from "../../src/report/export/schemas/gate_schema.ts";
import { COMPARISON_SCHEMA } from "../../src/report/export/schemas/comparison_schema.ts";
import { withFolder } from "../support/artifacts.ts";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { schemaProblems } from "../support/schema_problems.ts";
import { writeExportedRun } from "../support/exported_run.ts";
import { independentLoad } from "../../scripts/bench/observations/simulated_runs.ts";
import { withMock } from "../support/local_mock.ts";
import { PROFILE, runProfile } from "../support/profile_run.ts";
import { NO_FLUSH, runCli } from "../support/run_cli.ts";

const LOAD = ["--streaming", "--concurrency", "4", "--osl", "6"];

async function cli(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return await runCli(args, { env: { ...NO_FLUSH, ...env } });
}

/** The bytes of the files of a folder and those in it, by their paths. */
async function filesBelow(folder: string, path = ""): Promise<[string, Uint8Array][]> {
  const files: [string, Uint8Array][] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${path}`)) {
    if (isDirectory) files.push(...await filesBelow(folder, `${path}${name}/`));
    else files.push([path + name, await Deno.readFile(`${folder}/${path}${name}`)]);
  }
  return files;
}

/** The bytes of a folder's files, by their names. */
async function contents(folder: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (isFile) files.set(name, await Deno.readTextFile(`${folder}/${name}`));
  }
  return files;
}

Deno.test("profile exits with 3 when an objective is missed, and says so everywhere", async () => {
  await withMock({}, async ({ url }) => {
    await withFolder(async (folder) => {
      const summary = `${folder}/summary.md`;
      await Deno.writeTextFile(summary, "before\n");
      const args = (...slos: string[]) => [
        // Long enough for some scrapes: a gauge has no value without one.
        ...["profile", "--url", url, ...LOAD, "--request-count", "200"],
        ...["--server-metrics-interval", "20ms"],
        ...["--artifact-dir", `${folder}/run`, "--overwrite", "--slo", ...slos],
      ];
      const env = { "GITHUB_STEP_SUMMARY": summary };
      const met = await cli(
        args("ttft.p99<60s", "error_rate<0.1%", "server.kv_cache_usage.max<=1", "goodput>0.001"),
        env,
      );
      assert.equal(met.code, 0, met.stderr);
      assert.match(met.stdout, /^slo {5}ttft\.p99 < 60 s .* met/m);
      const missed = await cli(
        args("ttft.p99<60s", "latency.p50<0ms", "server.kv_cache_usage.max<0"),
        env,
      );
      assert.equal(missed.code, 3, missed.stderr);
      assert.match(missed.stdout, /latency\.p50 < 0 ms .* MISSED/);

      const run = await contents(`${folder}/run`);
      const json = JSON.parse(run.get("gate.json") as string);
      assert.deepEqual(schemaProblems(GATE_SCHEMA, json), []);
      assert.equal(json.met, false);
      assert.deepEqual(json.gates.map(({ met }: { met: boolean }) => met), [true, false, false]);
      const junit = run.get("junit.xml") as string;
      assert.match(junit, /<testsuite [^>]*tests="3" failures="2"/);
      assert.equal(junit.match(/<failure /g)?.length, 2);
      const markdown = await Deno.readTextFile(summary);
      assert.ok(markdown.startsWith("before\n"));
      assert.match(markdown, /all 4 gates met/);
      assert.match(markdown, /2 of 3 gates missed/);
      assert.ok(markdown.endsWith(run.get("gate.md") as string));

      // What is asked of it later stands beside that.
      const later = await cli(["gate", `${folder}/run`, "--slo", "latency<60s"]);
      assert.equal(later.code, 0, later.stderr);
      assert.match(later.stdout, /^.*run\/gate\/: gate\.json, gate\.md, junit\.xml$/m);
      assert.deepEqual(await contents(`${folder}/run`), run);
      // A name that is right elsewhere is missed here, as it is what no server tells any more.
      const elsewhere = await cli([
        "gate",
        `${folder}/run`,
        "--slo",
        "server.num_queue_reqs.max<1",
      ]);
      assert.equal(elsewhere.code, 3, elsewhere.stderr);
      assert.match(elsewhere.stdout, /no server reports "num_queue_reqs"/);
      const unknown = await cli(["gate", `${folder}/run`, "--slo", "server.kv_cache_usge.max<1"]);
      assert.equal(unknown.code, 2, unknown.stdout);
      assert.match(unknown.stderr, /did you mean "kv_cache_usage"/);

      // The report makes the very same files again.
      assert.equal((await cli(["report", `${folder}/run`])).code, 0);
      assert.deepEqual(await contents(`${folder}/run`), run);
    });
  });
});

Deno.test("profile refuses objectives that it cannot have before anything is sent", async () => {
  const refused: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [["--streaming", "--slo", "tttf.p99<5ms"], /did you mean "ttft"/],
    [["--slo", "ttft.p99<5ms"], /"ttft.p99" has no value without --streaming/],
    [["--no-server-metrics", "--slo", "server.x.max<5"], /without the servers' metrics/],
    [["--slo", "server.kv_cache_usge.max<1"], /did you mean "kv_cache_usage"/],
    [["--slo", "server.nix.max<1"], /No server reports "nix", there are vllm:/],
    [["--slo", "server.waiting.total<1"], /"waiting" is a gauge and has no total/],
    [["--abort-on-slo"], /--abort-on-slo: Needs --slo/],
    [["--ab", "a:1", "b:1", "--slo", "latency<1s"], /--slo: Cannot be used together with --ab/],
    [["--ab", "a:1"], /Two servers are compared: got 1/],
  ];
  await withMock({}, async ({ url, stats }) => {
    await withFolder(async (folder) => {
      for (const [args, message] of refused) {
        const target = args.includes("--ab") ? [] : ["--url", url];
        const { code, stderr } = await cli([
          ...["profile", ...target, ...args, "--artifact-dir", `${folder}/artifacts/run`],
        ]);
        assert.equal(code, 2, stderr);
        assert.match(stderr, message);
        // Nothing is left of what was made for the run.
        assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
      }
      assert.equal((await stats()).requests, 0);
    });
  });
});

Deno.test("--abort-on-slo ends a run that cannot meet an objective any more", async () => {
  await withMock(
    { ttft: latencyDistribution("5"), itl: latencyDistribution("1") },
    async ({ url }) => {
      await withFolder(async (folder) => {
        const { code, stdout, stderr, artifacts } = await runProfile(folder, [
          ...["--url", url, ...LOAD, "--request-count", "5000"],
          ...["--slo", "ttft.p99<1us", "--abort-on-slo"],
        ]);
        assert.equal(code, 3, stderr);
        assert.match(stderr, /ends early: ttft\.p99 < 1 us can no longer be met/);
        assert.match(stdout, /ENDED EARLY/);
        assert.ok(artifacts.json.requests.sent < 5000);
        assert.match(artifacts.json.ended_early, /can no longer be met/);
        assert.equal(artifacts.json.ended_early_reason, "slo_unreachable");
        const gateReason = async (path: string) =>
          JSON.parse(await Deno.readTextFile(`${folder}/${path}`)).ended_early_reason;
        assert.equal(await gateReason("gate.json"), "slo_unreachable");
        await cli(["gate", folder, "--slo", "error_rate<1%"]);
        assert.equal(await gateReason("gate/gate.json"), "slo_unreachable");
      });
    },
  );
});

Deno.test("gate and compare read runs of every kind", async () => {
  await withMock({}, async ({ url }) => {
    await withFolder(async (folder) => {
      const runs = ["one", "two", "lines", "killed"].map((name) => `${folder}/${name}`);
      const [one, two, lines, killed] = runs as [string, string, string, string];
      for (const [run, seed] of [[one, "1"], [two, "2"]] as const) {
        const { code, stderr } = await cli([
          ...[...PROFILE, "--url", url, ...LOAD, "--request-count", "60"],
          ...["--random-seed", seed, "--artifact-dir", run, "--slo", "latency<0ms"],
        ]);
        assert.equal(code, 3, stderr);
      }
      // As AIPerf leaves it: no records of ours.
      await Deno.mkdir(lines);
      for (const name of ["profile_export.jsonl", "profile_export_aiperf.json"]) {
        await Deno.copyFile(`${one}/${name}`, `${lines}/${name}`);
      }
      // As a kill leaves it, with the very same requests.
      for (const [name, bytes] of await filesBelow(one)) {
        await Deno.mkdir(dirname(`${killed}/${name}`), { recursive: true });
        await Deno.writeFile(`${killed}/${name}`, bytes);
      }
      const manifest = JSON.parse(await Deno.readTextFile(`${killed}/run/run.json`));
      delete manifest.summary;
      await Deno.writeTextFile(`${killed}/run/run.json`, JSON.stringify(manifest));

      // What the run was made with does not count.
      for (const run of [one, lines, killed]) {
        const allowed = run === killed ? ["--allow-damaged"] : [];
        const { code, stderr } = await cli(["gate", run, "--slo", "ttft.p99<60s", ...allowed]);
        assert.equal(code, 0, `${run}: ${stderr}`);
        assert.equal((await cli(["gate", run, "--slo", "ttft.p99<0s", ...allowed])).code, 3, run);
      }
      const against = ["--baseline", one, "--max-regression"];
      assert.equal((await cli(["gate", lines, ...against, "5%"])).code, 0);
      const json = JSON.parse(await Deno.readTextFile(`${lines}/gate/gate.json`));
      assert.deepEqual(schemaProblems(GATE_SCHEMA, json), []);
      assert.deepEqual(new Set(json.gates.map(({ kind }: { kind: string }) => kind)).size, 1);

      const outputDir = `${folder}/out`;
      const same = await cli(["compare", one, lines, killed, "--output-dir", outputDir]);
      assert.equal(same.code, 0, same.stderr);
      assert.doesNotMatch(same.stdout, /\b(better|worse)\b/);
      assert.match(same.stdout, /is partial: it was killed/);
      assert.match(same.stdout, /^.*out\/: comparison\.json, comparison\.md, compare\.html\n$/m);
      const page = await Deno.readTextFile(`${outputDir}/compare.html`);
      assert.match(page, /<h1>lines, killed compared with one<\/h1>/);
      assert.match(page, /killed is partial: it was killed/);
      assert.match(page, /Both runs have the same plan/);
      const comparison = JSON.parse(await Deno.readTextFile(`${outputDir}/comparison.json`));
      assert.deepEqual(schemaProblems(COMPARISON_SCHEMA, comparison), []);
      // Lines tell the same as records.
      for (const { metric, before, after } of comparison.comparisons[0].differences) {
        assert.ok(Math.abs(after - before) <= 1e-4 * before, metric);
      }
      const seeds = await cli(["compare", one, two]);
      assert.doesNotMatch(seeds.stdout, /plans are not the same/);
      assert.match(seeds.stdout, /not significant$/m);
      const pooled = await cli(["compare", `${one},${lines}`, two]);
      assert.equal(pooled.code, 0, pooled.stderr);
    });
  });
});

Deno.test("gate fails on a server that got slower, and says what cannot be read", async () => {
  await withFolder(async (folder) => {
    // How fast a real server is on a busy machine is no matter of this test.
    const load = independentLoad(400, 8);
    await writeExportedRun(`${folder}/fast`, load.run(1, 1));
    await writeExportedRun(`${folder}/slow`, load.run(2, 2));
    const [fast, slow] = [`${folder}/fast`, `${folder}/slow`];
    const worse = await cli(["gate", slow, "--baseline", fast, "--max-regression", "5%"]);
    assert.equal(worse.code, 3, worse.stderr);
    assert.match(worse.stdout, /at most 5 % worse .* MISSED/);
    assert.match(worse.stdout, /own error was not measured/);
    const better = await cli(["gate", fast, "--baseline", slow, "--max-regression", "5%"]);
    assert.equal(better.code, 0, better.stdout);
    // Times of which nobody knows how exact they are prove nothing.
    const strict = await cli([
      ...["gate", fast, "--baseline", slow, "--max-regression", "5%", "--require-valid"],
    ]);
    assert.equal(strict.code, 3, strict.stdout);
    assert.match((await cli(["compare", fast, slow])).stdout, /% +worse$/m);
    const refused: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [["gate", fast], /--slo or --baseline is required/],
      [["gate", `${folder}/none`, "--slo", "latency<1s"], /^error: [^:]+none: No such folder$/m],
      [["gate", `${fast}/profile_export.jsonl`, "--slo", "latency<1s"], /jsonl: Not a folder$/m],
      [["gate", folder, "--slo", "latency<1s"], /gate takes one run with --slo: .* has 2/],
      [["gate", fast, "--baseline", slow], /--baseline: Needs --max-regression/],
      [["gate", fast, "--baseline", slow, "--max-regression", "0.05"], /a percentage such as 5%/],
      [["compare", fast], /At least two runs are needed/],
      [["compare", fast, slow, "--label", "x"], /One name for each run/],
      [["compare", fast, slow, "--label", "x", "x"], /two different names/],
    ];
    for (const [args, message] of refused) {
      const { code, stderr } = await cli(args);
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
    }
  });
});

Deno.test("profile --ab measures two servers in turns", async () => {
  await withMock({ ttft: latencyDistribution("2") }, async (a) => {
    await withMock({ ttft: latencyDistribution("60") }, async (b) => {
      await withFolder(async (folder) => {
        const directory = `${folder}/ab`;
        const { code, stdout, stderr } = await cli([
          ...["profile", "--no-server-metrics", "--ab", a.url, b.url, ...LOAD],
          ...["--request-count", "80", "--ab-blocks", "2", "--artifact-dir", directory],
        ]);
        assert.equal(code, 0, stderr);
        assert.deepEqual(
          [...stdout.matchAll(/^block \d of 4: ([ab]), 40 of 40/gm)].map(([, side]) => side),
          ["a", "b", "b", "a"],
        );
        assert.match(stdout, /compare +a -> b/);
        assert.match(stdout, /2 blocks a side took turns/);
        for (const server of [a, b]) assert.equal((await server.stats()).requests, 80);
        // Both sides of a pair send the same, and the next pair something else.
        const inputs = async (block: string) =>
          await Deno.readTextFile(`${directory}/${block}/inputs.json`);
        assert.equal(await inputs("a/01"), await inputs("b/01"));
        assert.notEqual(await inputs("a/01"), await inputs("a/02"));
        const again = await cli(["compare", `${directory}/a`, `${directory}/b`]);
        assert.match(again.stdout, /compare +a -> b/);
      });
    });
  });
});
