/** Runs that have lost a part of their evidence, as whatever reads them sees it. */

import assert from "node:assert/strict";
import { GATE_SCHEMA } from "../../src/report/export/schemas/gate_schema.ts";
import { mergeRun } from "../../src/results/merge/merge_run.ts";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { withFolder } from "../support/artifacts.ts";
import { withMock } from "../support/local_mock.ts";
import { partitionRun } from "../support/partitioned_run.ts";
import { PROFILE } from "../support/profile_run.ts";
import { runCli } from "../support/run_cli.ts";
import { schemaProblems } from "../support/schema_problems.ts";

const RECORDS = "run/records.bin";
const SUMMARY = "profile_export_aiperf.json";
const LINES = "profile_export.jsonl";
const OBJECTIVE = ["--slo", "ttft.p99<60s"];

async function copied(from: string, to: string): Promise<string> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copied(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
  return to;
}

async function change(path: string, changed: (bytes: Uint8Array) => Uint8Array): Promise<void> {
  await Deno.writeFile(path, changed(await Deno.readFile(path)));
}

/** In the last block of a file. */
function flipped(bytes: Uint8Array): Uint8Array {
  bytes[bytes.length - 9] = (bytes.at(-9) as number) ^ 1;
  return bytes;
}

async function gateOf(folder: string) {
  const gate = JSON.parse(await Deno.readTextFile(`${folder}/gate/gate.json`));
  assert.deepEqual(schemaProblems(GATE_SCHEMA, gate), []);
  return gate;
}

/** Two runs of some blocks each. */
function withRuns(test: (one: string, two: string, folder: string) => Promise<void>) {
  return withMock({ ttft: latencyDistribution("40") }, ({ url }) =>
    withFolder(async (folder) => {
      for (const name of ["one", "two"]) {
        const { code, stderr } = await runCli([
          ...[...PROFILE, "--url", url, "--streaming", "--concurrency", "2", "--osl", "4"],
          ...["--request-count", "40", "--artifact-dir", `${folder}/${name}`],
        ]);
        assert.equal(code, 0, stderr);
      }
      await test(`${folder}/one`, `${folder}/two`, folder);
    }));
}

Deno.test("no verdict is given on damaged records without saying so", (t) =>
  withRuns(async (one, two, folder) => {
    const damages: readonly (readonly [
      name: string,
      damage: (run: string) => Promise<void>,
      text: RegExp,
    ])[] = [
      ["records", (run) => change(`${run}/${RECORDS}`, flipped), /\d+ of 40 records lost/],
      [
        "end",
        (run) => change(`${run}/${RECORDS}`, (bytes) => bytes.slice(0, -20)),
        /\d+ of 40 records lost/,
      ],
      [
        "canaries",
        (run) => change(`${run}/run/canaries.bin`, flipped),
        /run\/canaries\.bin is damaged/,
      ],
      [
        "mixed",
        (run) => Deno.copyFile(`${two}/${RECORDS}`, `${run}/${RECORDS}`),
        /run\/records\.bin is of another run/,
      ],
      [
        "manifest",
        async (run) => {
          const text = await Deno.readTextFile(`${run}/run/run.json`);
          await Deno.writeTextFile(
            `${run}/run/run.json`,
            text.replace(/"seed": \d+/, '"seed": 77'),
          );
        },
        /run\/run\.json was modified/,
      ],
    ];
    for (const [name, damage, text] of damages) {
      await t.step(name, async () => {
        const run = await copied(one, `${folder}/damaged/${name}`);
        await damage(run);
        const { code, stderr, stdout } = await runCli(["gate", run, ...OBJECTIVE]);
        assert.equal(code, 1, stderr);
        assert.match(stdout, /INCONCLUSIVE/);
        assert.doesNotMatch(stdout, /\bmet\b/);
        assert.match(stderr, text);
        assert.match(stderr, /--allow-damaged/);
        const gate = await gateOf(run);
        assert.deepEqual([gate.met, gate.damage_allowed], [false, false]);
        assert.match(gate.damaged.join(), text);

        const allowed = await runCli(["gate", run, ...OBJECTIVE, "--allow-damaged"]);
        assert.equal(allowed.code, 0, allowed.stderr);
        assert.match(allowed.stderr, text);
        const judged = await gateOf(run);
        assert.deepEqual([judged.met, judged.damage_allowed], [true, true]);
        assert.match(judged.damaged.join(), text);

        const against = await runCli([
          ...["gate", one, "--baseline", run, "--max-regression", "900%"],
        ]);
        assert.equal(against.code, 1, against.stderr);
        assert.match((await runCli(["compare", one, run])).stdout.replace(/\s+/g, " "), text);
        for (const command of ["plot", "bundle"]) {
          const { code, stderr } = await runCli([command, run]);
          assert.deepEqual([code, text.test(stderr)], [0, true], `${command}: ${stderr}`);
        }
        const again = await runCli(["recompute", run, "--goodput", "latency:9", "--to", "60"]);
        assert.match(again.stderr, text);
        const { notes } = JSON.parse(await Deno.readTextFile(`${run}-recomputed/${SUMMARY}`));
        assert.match(notes.join("\n"), text);
        const { runs } = JSON.parse((await runCli(["runs", run, "--json"])).stdout);
        assert.match(runs[0].damage.join(), text);
        assert.match((await runCli(["runs", run])).stdout, /DAMAGED/);
      });
    }
    await t.step("a whole run has none", async () => {
      assert.equal((await runCli(["gate", one, ...OBJECTIVE])).code, 0);
      assert.equal((await gateOf(one)).damaged, undefined);
      const { runs } = JSON.parse((await runCli(["runs", one, "--json"])).stdout);
      assert.deepEqual(runs[0].damage, []);
    });
    await t.step("a changed first line ends the gate, also in a folder of runs", async () => {
      const run = await copied(one, `${folder}/heads/one`);
      await change(`${run}/${RECORDS}`, (bytes) => {
        const place = new TextDecoder().decode(bytes.subarray(0, 4000)).indexOf('"startNs"');
        bytes[place + 1] = (bytes[place + 1] as number) ^ 1;
        return bytes;
      });
      await copied(two, `${folder}/heads/two`);
      const summary = `${folder}/summary.md`;
      const env = { "GITHUB_STEP_SUMMARY": summary };
      const { code, stderr } = await runCli(["gate", run, ...OBJECTIVE], { env });
      assert.equal(code, 1);
      assert.match(await Deno.readTextFile(summary), /inconclusive, the run is damaged/);
      assert.match(stderr, /^error: .*records\.bin: Its first line is damaged: .*\n$/);
      assert.equal((await gateOf(run)).met, false);
      const pooled = await runCli([
        ...["gate", `${folder}/heads`, "--baseline", one, "--max-regression", "900%"],
      ]);
      assert.equal(pooled.code, 1, pooled.stdout);
      assert.notEqual((await runCli(["report", run])).code, 0);
    });
  }));

Deno.test("no verdict is given on a merged run with a damaged or missing shard", (t) =>
  withRuns(async (one, _two, folder) => {
    const merged = `${folder}/merged`;
    await partitionRun(one, merged, { count: 2, shardOf: (place) => place % 2 });
    await mergeRun(merged, { expectShards: 2, allowMissing: false });
    const whole = await runCli(["gate", merged, ...OBJECTIVE]);
    assert.equal(whole.code, 0, whole.stderr);
    const shard = "shard-0001-of-0002";
    const damages: readonly (readonly [string, (run: string) => Promise<void>])[] = [
      ["flipped", (run) => change(`${run}/${shard}/${RECORDS}`, flipped)],
      ["removed", (run) => Deno.remove(`${run}/${shard}`, { recursive: true })],
    ];
    for (const [name, damage] of damages) {
      await t.step(name, async () => {
        const run = await copied(merged, `${folder}/shards/${name}`);
        await damage(run);
        const { code, stderr } = await runCli(["gate", run, ...OBJECTIVE]);
        assert.equal(code, 1, stderr);
        assert.match(stderr, new RegExp(shard));
        const gate = await gateOf(run);
        assert.equal(gate.met, false);
        assert.match(gate.damaged.join(), new RegExp(shard));
        const compared = await runCli(["compare", one, run]);
        assert.match(compared.stdout.replace(/\s+/g, ""), new RegExp(shard));
      });
    }
  }));

Deno.test("lines of requests are held against the summary where there are no records", (t) =>
  withRuns(async (one, _two, folder) => {
    await Deno.remove(`${one}/run`, { recursive: true });
    const damages: readonly (readonly [
      name: string,
      changed: (lines: string) => string | Promise<string>,
      text: RegExp,
    ])[] = [
      ["doubled", (lines) => lines + lines, /has 40 requests more than once/],
      ["empty", () => "", /has 0 lines of 40 successful requests/],
      ["shorter", (lines) => lines.split("\n").slice(7).join("\n"), /has 33 lines of 40/],
      [
        "slower",
        (lines) =>
          lines.replace(
            /("request_latency":\{"value":)[\d.]+/g,
            (_, head) => `${head}99`,
          ),
        /mean latency of 99\.00 ms/,
      ],
    ];
    for (const [name, changed, text] of damages) {
      await t.step(name, async () => {
        const run = await copied(one, `${folder}/lines/${name}`);
        const lines = await Deno.readTextFile(`${run}/${LINES}`);
        await Deno.writeTextFile(`${run}/${LINES}`, await changed(lines));
        const { code, stderr } = await runCli(["gate", run, ...OBJECTIVE]);
        assert.equal(code, 1, stderr);
        assert.match(stderr, text);
        const compared = await runCli(["compare", one, run]);
        assert.match(compared.stdout.replace(/\s+/g, " "), text);
        assert.equal(compared.code, name === "empty" ? 1 : 0, compared.stderr);
        const imported = await runCli(["import", run, "--artifact-dir", `${folder}/i-${name}`]);
        assert.match(imported.stderr, text);
        const { runs } = JSON.parse((await runCli(["runs", run, "--json"])).stdout);
        assert.match(runs[0].damage.join(), text);
      });
    }
    await t.step("lines as they were written are whole", async () => {
      assert.equal((await runCli(["gate", one, ...OBJECTIVE])).code, 0);
      const { code, stdout } = await runCli([
        ...["gate", one, "--baseline", one, "--max-regression", "5%"],
      ]);
      assert.equal(code, 0, stdout);
    });
  }));
