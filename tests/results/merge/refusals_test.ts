/** Shards that are missing, broken, cut off or another run's: refused by name, or told in every file. */

import assert from "node:assert/strict";
import { manifestText, readManifest } from "../../../src/results/collect/run_manifest.ts";
import { RunFolderError } from "../../../src/results/collect/run_folder.ts";
import { claimFolder, releaseFolder } from "../../../src/report/export/folder_claim.ts";
import { mergeRun } from "../../../src/results/merge/merge_run.ts";
import { SCHEMAS } from "../../../src/report/export/schemas/schemas.ts";
import { withFolder } from "../../support/artifacts.ts";
import { withMock } from "../../support/local_mock.ts";
import { partitionRun } from "../../support/partitioned_run.ts";
import { runProfile } from "../../support/profile_run.ts";
import { runCli } from "../../support/run_cli.ts";
import { schemaProblems } from "../../support/schema_problems.ts";

const STRICT = { expectShards: 3, allowMissing: false };
const LENIENT = { expectShards: 3, allowMissing: true };

/** A run of 30 requests in three shards of 10, in `shards/` below the folder, another one beside it. */
async function withShards(test: (shards: string, folder: string) => Promise<void>): Promise<void> {
  await withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const load = ["--url", url, "--streaming", "--osl", "4", "--concurrency", "3"];
      await runProfile(`${folder}/whole`, [
        ...[...load, "--request-count", "30", "--slice-duration", "0.05", "--slo", "ttft.p99<9s"],
      ]);
      await partitionRun(`${folder}/whole`, `${folder}/shards`, {
        count: 3,
        shardOf: (place) => place % 3,
      });
      await test(`${folder}/shards`, folder);
    }));
}

function filesIn(directory: string): string[] {
  return [...Deno.readDirSync(directory)].filter(({ isFile }) => isFile).map(({ name }) => name);
}

function onlyFolderIn(directory: string): string {
  const [{ name }] = [...Deno.readDirSync(directory)] as [Deno.DirEntry];
  return `${directory}/${name}`;
}

async function refusalText(directory: string, options: typeof STRICT): Promise<string> {
  const error = await mergeRun(directory, options).then(() => undefined, (error) => error);
  assert.ok(error instanceof RunFolderError, String(error));
  assert.ok(!error.message.includes("\n"), error.message);
  return error.message;
}

async function refusal(directory: string, options = STRICT): Promise<string> {
  const message = await refusalText(directory, options);
  const written = await Deno.stat(`${directory}/profile_export_aiperf.json`).catch(() => undefined);
  assert.equal(written, undefined, "nothing is written");
  return message;
}

Deno.test("mergeRun refuses what is wrong by name, and writes nothing", () =>
  withShards(async (shards, folder) => {
    const second = `${shards}/shard-0001-of-0003`;
    const records = `${second}/run/records.bin`;
    const manifest = `${second}/shard.json`;
    const text = await Deno.readTextFile(manifest);

    assert.match(await refusal(`${folder}/none`), /none: No such folder/);
    assert.match(
      await refusal(folder),
      /holds no shards: --shard makes folders like shard-0000-of-/,
    );
    assert.match(await refusal(`${second}/`), /is one shard: name the folder that contains all/);
    assert.match(
      await refusal(shards, { expectShards: 4, allowMissing: false }),
      /shard-0000-of-0003, .*--expect-shards is 4/,
    );

    await Deno.rename(second, `${folder}/away`);
    assert.match(
      await refusal(shards),
      /shard-0001-of-0003: it is missing: --allow-missing merges/,
    );
    await Deno.rename(`${folder}/away`, second);

    const bytes = await Deno.readFile(records);
    await Deno.writeFile(records, bytes.with(bytes.length - 1, 1 ^ (bytes.at(-1) as number)));
    assert.match(await refusal(shards), /shard-0001-of-0003: run\/records\.bin was changed/);
    await Deno.writeFile(records, bytes.subarray(0, -3));
    assert.match(await refusal(shards), /shard-0001-of-0003: run\/records\.bin has \d+ bytes/);
    await Deno.writeFile(records, bytes);

    await Deno.remove(manifest);
    assert.match(await refusal(shards), /shard-0001-of-0003: it has no shard\.json: .*was killed/);
    await Deno.writeTextFile(manifest, text.slice(0, 50));
    assert.match(await refusal(shards), /shard-0001-of-0003: shard\.json: It is not JSON/);
    await Deno.writeTextFile(manifest, text.replace('"index": 1', '"index": 2'));
    assert.match(
      await refusal(shards),
      /shard-0001-of-0003: its shard\.json is that of shard 2 of 3/,
    );
    const others: [string, string, RegExp][] = [
      ["inferometer/", "inferometer/9", /: the version in shard\.json is .*9.*, that in run\/run/],
      ['"seed": ', '"seed": 1', /: the seed in shard\.json is 1\d*, that in run\/run\.json \d+/],
      ['"requests": ', '"requests": 9', /: the number of requests in shard\.json is 9\d*, that in/],
    ];
    for (const [from, to, message] of others) {
      await Deno.writeTextFile(manifest, text.replace(from, to));
      assert.match(await refusal(shards), message);
    }
    await Deno.writeTextFile(manifest, text);

    const many = `${folder}/many`;
    for (let index = 0; index < 5; index++) {
      await Deno.mkdir(`${many}/shard-000${index}-of-0005`, { recursive: true });
    }
    assert.match(
      await refusal(many, { expectShards: 3, allowMissing: false }),
      /many holds shard-0000-of-0005, \S+, \S+ and 2 more shards, but --expect-shards is 3$/,
    );

    await Deno.mkdir(`${shards}/shard-0000-of-0002`);
    assert.match(
      await refusal(shards, { expectShards: 3, allowMissing: true }),
      /shard-0000-of-0002, but --expect-shards is 3/,
    );
    await Deno.remove(`${shards}/shard-0000-of-0002`);

    assert.ok(await claimFolder(second));
    assert.match(await refusal(shards, LENIENT), /shard-0001-of-0003: .*still at work: wait until/);
    await releaseFolder(second);

    assert.ok(await claimFolder(shards));
    assert.match(
      await refusal(shards),
      /Another process is writing into it: wait .*, or, if there is none, remove \.inferometer-claim/,
    );
    await releaseFolder(shards);

    // What a merge that was killed has left.
    await Deno.writeTextFile(`${shards}/.inferometer-claim`, "");
    await mergeRun(shards, STRICT);
    assert.ok(!filesIn(shards).includes(".inferometer-claim"));
  }));

Deno.test("report says which shard of a merged run was changed since", () =>
  withShards(async (shards) => {
    const summary = `${shards}/profile_export_aiperf.json`;
    const records = `${shards}/shard-0001-of-0003/run/records.bin`;
    await mergeRun(shards, STRICT);
    const merged = await Deno.readTextFile(summary);
    const bytes = await Deno.readFile(records);
    // A digit of a request's ID: nothing that a reader would find wrong.
    const place = bytes.length - 100;
    await Deno.writeFile(records, bytes.with(place, 1 ^ (bytes[place] as number)));
    const { code, stdout, stderr } = await runCli(["report", shards]);
    const problem = "shard-0001-of-0003: run/records.bin was changed: its sha256 is not that of " +
      "shard.json";
    assert.equal(code, 1);
    assert.equal(stderr, `error: ${shards}: ${problem}\n`);
    assert.match(
      stdout.replaceAll(/\s+/g, " "),
      /INCOMPLETE, shard-0001-of-0003: run\/records\.bin/,
    );
    const json = JSON.parse(await Deno.readTextFile(summary));
    assert.deepEqual([json.incomplete, json.is_complete, json.ended_early_reason], [
      ...[problem, false, "shard_lost"],
    ]);

    await Deno.remove(`${shards}/shard-0001-of-0003/run/records.bin`);
    assert.match((await runCli(["report", shards])).stderr, /shard-0001-of-0003: .* are missing/);
    await Deno.writeFile(records, bytes);
    assert.equal((await runCli(["report", shards])).code, 0);
    assert.equal(await Deno.readTextFile(summary), merged);
  }));

Deno.test("mergeRun leaves out a killed shard whose records nobody can read, and counts cut ones", () =>
  withShards(async (shards) => {
    const second = `${shards}/shard-0001-of-0003`;
    const records = `${second}/run/records.bin`;
    const bytes = await Deno.readFile(records);
    await Deno.remove(`${second}/shard.json`);
    // A disk that lost its last blocks.
    await Deno.writeFile(records, bytes.subarray(0, -3));
    const cut = await mergeRun(shards, LENIENT);
    assert.match(
      cut.incomplete ?? "",
      /shard 1 of 3 is cut .*after 0 requests, with 100\.0 % of its/,
    );
    assert.equal(cut.report.requests.succeeded, 20);
    assert.equal(cut.report.endReason, "shard_lost");
    // One that changed them: what cannot be trusted is as good as lost.
    const begin = bytes.indexOf(10) + 1 + 4;
    await Deno.writeFile(records, bytes.map((byte, at) => at >= begin ? 255 : byte));
    assert.match(await refusalText(shards, STRICT), /shard-0001-of-0003/);
    const damaged = await mergeRun(shards, LENIENT);
    assert.deepEqual(
      [damaged.incomplete, damaged.report.requests.succeeded],
      [cut.incomplete, 20],
    );
    // Its clock was measured before its phases began, and moves what it left.
    const run = readManifest(await Deno.readTextFile(`${second}/run/run.json`));
    const phases = run.phases.map((phase) => ({ ...phase, clockAheadMs: 2500 }));
    await Deno.writeTextFile(`${second}/run/run.json`, manifestText({ ...run, phases }));
    await mergeRun(shards, LENIENT);
    const { parts } = readManifest(await Deno.readTextFile(`${shards}/run/run.json`));
    assert.deepEqual(parts?.map(({ shiftNs }) => shiftNs), [0, -2.5e9, 0]);
    // Killed before it had written anything, or its disk is damaged.
    for (const unreadable of [new Uint8Array(), bytes.slice(1)]) {
      await Deno.writeFile(records, unreadable);
      assert.match(
        await refusalText(shards, STRICT),
        /its records cannot be read: run\/records\.bin/,
      );
      const { incomplete } = await mergeRun(shards, LENIENT);
      assert.match(incomplete ?? "", /^shard 1 of 3 is broken and left out: 33\.3 % of the plan/);
    }
  }));

Deno.test("mergeRun refuses shards of other runs, allowed or not", () =>
  withShards(async (_, folder) => {
    const changes = {
      version: { product: "inferometer/0.0.9" },
      plan: { planHash: "0123456789abcdef" },
    };
    for (const [what, changed] of Object.entries(changes)) {
      const place = `${folder}/other-${what}`;
      await partitionRun(`${folder}/whole`, place, {
        count: 3,
        shardOf: (place) => place % 3,
        changed: (manifest, index) => index === 2 ? { ...manifest, ...changed } : manifest,
      });
      for (const options of [STRICT, LENIENT]) {
        assert.match(
          await refusal(place, options),
          new RegExp(`shard-0002-of-0003 is no part of the run of shard-0000.*: its ${what} is `),
        );
      }
    }
  }));

Deno.test("mergeRun tells what a shard could not write, as where its disk is full", () =>
  withShards(async (_, folder) => {
    const shards = `${folder}/full`;
    await partitionRun(`${folder}/whole`, shards, {
      count: 3,
      shardOf: (place) => place < 5 ? 1 : place % 2 * 2,
      // What comes last is not written, either.
      changed: (manifest, index) => index === 1 ? { ...manifest, summary: undefined } : manifest,
    });
    assert.match(
      await refusal(shards),
      /full: shard-0001-of-0003: it could not write all of its records: --allow-missing/,
    );
    const { failure, incomplete } = await mergeRun(shards, LENIENT);
    assert.equal(failure, undefined);
    assert.equal(
      incomplete,
      "shard 1 of 3 is not written to the end, after 5 requests, with 50.0 % of its part undone: " +
        "16.7 % of the plan was not measured",
    );
  }));

Deno.test("mergeRun says in every file which shards are missing, and scales nothing", () =>
  withShards(async (shards) => {
    await Deno.remove(`${shards}/shard-0001-of-0003`, { recursive: true });
    await Deno.truncate(`${shards}/shard-0002-of-0003/run/records.bin`, 20);
    const { incomplete, report } = await mergeRun(shards, LENIENT);
    assert.equal(
      incomplete,
      "shard 1 of 3 is missing; shard 2 of 3 is broken and left out: 66.7 % of the plan was not " +
        "measured",
    );
    assert.equal(report.requests.succeeded, 10);
    assert.equal(report.isComplete, false);
    const names = filesIn(shards);
    assert.ok(names.length >= 9, names.join());
    for (const name of names) {
      if (name === "inputs.json") continue; // what was asked, not what was found
      const text = await Deno.readTextFile(`${shards}/${name}`);
      const lines = name.endsWith(".jsonl") ? text.trimEnd().split("\n") : [text];
      for (const line of lines) {
        if (name.endsWith("_timeslices.csv")) continue; // a table without a place for it
        assert.match(line.replaceAll(/\s+/g, " "), /shard 1 of 3 is missing/i, name);
      }
    }
    const json = JSON.parse(await Deno.readTextFile(`${shards}/profile_export_aiperf.json`));
    assert.equal(json.incomplete, incomplete);
    assert.equal(json.is_complete, false);
    for (const [name, schema] of SCHEMAS) {
      if (!names.includes(name)) continue;
      const text = await Deno.readTextFile(`${shards}/${name}`);
      const values = name.endsWith(".jsonl")
        ? text.trimEnd().split("\n").map((line) => JSON.parse(line))
        : [JSON.parse(text)];
      for (const value of values) assert.deepEqual(schemaProblems(schema, value), [], name);
    }
    const again = await runCli(["report", shards]);
    assert.match(again.stdout, /INCOMPLETE, shard 1 of 3 is missing/);
    const manifest = await Deno.readTextFile(`${shards}/run/run.json`);
    assert.match(manifest, /"checksum": /);
    const merged = readManifest(manifest);
    assert.equal(merged.isChanged, undefined);
    assert.deepEqual(merged.parts, [{ folder: "shard-0000-of-0003", shiftNs: 0 }]);
  }));

Deno.test("the commands that read a run read a merged one", () =>
  withShards(async (shards, folder) => {
    const hint = await runCli(["report", shards]);
    assert.equal(hint.code, 2);
    assert.match(hint.stderr, /holds shards of a run: inferometer merge .* makes one result/);
    const merged = await runCli(["merge", shards, "--expect-shards", "3"]);
    assert.equal(merged.code, 0, merged.stderr);
    assert.match(merged.stdout, /30 requests, none failed/);
    const page = await Deno.readFile(`${shards}/report.html`);
    for (
      const args of [
        ["report", shards],
        ["compare", `${folder}/whole`, shards],
        ["gate", shards, "--slo", "ttft.p99<9s"],
        ["recompute", shards, "--goodput", "ttft:100", "--artifact-dir", `${folder}/recomputed`],
        ["plot", shards],
        ["bundle", shards, "--output", `${folder}/run.zip`],
        ["bundle", shards, "--anonymize-hosts", "--output", `${folder}/hidden.zip`],
        ["runs", folder],
      ]
    ) {
      const { code, stderr } = await runCli(args);
      assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
    }
    assert.deepEqual(await Deno.readFile(`${shards}/report.html`), page);
    for (const name of ["run.zip", "hidden.zip"]) {
      const unpacked = `${folder}/${name}.d`;
      const { success } = await new Deno.Command("python3", {
        args: ["-m", "zipfile", "-e", `${folder}/${name}`, unpacked],
      }).output();
      assert.ok(success);
      const { code, stderr, stdout } = await runCli(["report", onlyFolderIn(unpacked)]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /30 requests, none failed/);
    }
    await Deno.remove(`${shards}/shard-0002-of-0003`, { recursive: true });
    const gone = await runCli(["report", shards]);
    assert.equal(gone.code, 2);
    assert.match(
      gone.stderr,
      /shard-0002-of-0003: The records of this shard are a part of the run/,
    );
  }));
