/** `inferometer report`: the summary files of a run made again from its records. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { endOf, PROFILE } from "../support/profile_run.ts";
import { runCli, spawnCli } from "../support/run_cli.ts";
import { until } from "../support/until.ts";

/** The files of a folder by name; those that `report` makes again are of these endings. */
function filesIn(folder: string): Map<string, Uint8Array> {
  const names = [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile)
    .map(({ name }) => name).sort();
  return new Map(names.map((name) => [name, Deno.readFileSync(`${folder}/${name}`)]));
}

const SUMMARY =
  /(_aiperf|_timeslices|^mine)\.(json|csv)$|server_metrics.*\.(json|csv|parquet)$|report\.html$/;

/** Runs whose results have everything that results can have. */
const RUNS: readonly (readonly [string, readonly string[]])[] = [
  ["slices, warm-up and server metrics", [
    ...["--streaming", "--concurrency", "4", "--request-count", "40", "--osl", "8"],
    ...["--slice-duration", "0.05", "--warmup-request-count", "4"],
    ...["--server-metrics-flush-period", "0.1"],
    ...["--goodput", "time_to_first_token:100 inter_token_latency:50"],
  ]],
  ["failures of an open loop, under a prefix", [
    ...["--streaming", "--request-rate", "200", "--request-count", "40", "--osl", "4"],
    ...["--profile-export-prefix", "mine", "--no-server-metrics", "--export-level", "raw"],
  ]],
  ["sessions, some of which end with a failure", [
    ...["--streaming", "--num-sessions", "8", "--session-turns-mean", "4", "--osl", "4"],
    ...["--concurrency", "4", "--no-server-metrics"],
  ]],
  ["no streaming, no lines, flat server metrics", [
    ...["--concurrency", "2", "--request-count", "10", "--osl", "4", "--export-level", "summary"],
    ...["--server-metrics-json-layout", "flat", "--server-metrics-formats", "json", "jsonl"],
    ...["--use-server-token-count", "--server-metrics-flush-period", "0.1"],
  ]],
];

Deno.test("report makes the summary files of a run again, byte for byte", async (t) => {
  using mock = await startLocalMock(["--faults", "500:0.2", "malformed:0.1", "--seed", "3"]);
  for (const [name, args] of RUNS) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        const run = await runCli([
          ...["profile", "--url", mock.url, "--artifact-dir", `${folder}/a`, ...args],
        ]);
        assert.equal(run.code, 0, run.stderr);
        const before = filesIn(`${folder}/a`);
        const remade = [...before.keys()].filter((name) => SUMMARY.test(name));
        assert.ok(remade.length >= 2, remade.join(" "));
        for (const name of remade) await Deno.remove(`${folder}/a/${name}`);
        // The folder may have been moved.
        await Deno.rename(`${folder}/a`, `${folder}/b`);
        const { code, stdout, stderr } = await runCli(["report", `${folder}/b/`]);
        assert.equal(code, 0, stderr);
        assert.deepEqual(filesIn(`${folder}/b`), before);
        const shown = run.stdout.replace(`${folder}/a/`, `${folder}/b/`);
        assert.equal(stdout, shown);
      }));
  }
});

Deno.test("report makes partial results of a run that was killed", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--itl", "2"]);
    const artifacts = `${folder}/a`;
    const child = spawnCli([
      ...["profile", "--url", mock.url, "--streaming", "--concurrency", "4", "--osl", "20"],
      ...["--request-count", "1000000", "--artifact-dir", artifacts],
    ]);
    // Killed with some records and pages on the disk; the run itself would take hours.
    const sizeOf = async (name: string) =>
      (await Deno.stat(`${artifacts}/run/${name}`).catch(() => ({ size: 0 }))).size;
    const pages = new Set<number>();
    try {
      await until("records and pages on the disk", async () => {
        const records = await sizeOf("records.bin");
        if (records > 20_000) pages.add(await sizeOf("server_metrics.bin"));
        return pages.size >= 4;
      });
    } finally {
      child.kill("SIGKILL");
    }
    assert.notEqual((await endOf(child)).code, 0);
    const size = await sizeOf("records.bin");
    const runAgain = async () => {
      const again = await runCli([
        ...["profile", "--url", mock.url, "--request-count", "2", "--osl", "2"],
        ...["--artifact-dir", artifacts],
      ]);
      assert.equal(again.code, 0, again.stderr);
    };
    await runAgain();
    assert.equal(await sizeOf("records.bin"), size, "what is there can still be reported");
    const beside = JSON.parse(await Deno.readTextFile(`${artifacts}-2/profile_export_aiperf.json`));
    assert.equal(beside.request_count.avg, 2);
    const { code: reported, stdout, stderr } = await runCli(["report", artifacts]);
    assert.equal(reported, 0, stderr);
    assert.match(stdout, /partial/);
    assert.match(stdout, /The run was killed/);
    const json = JSON.parse(await Deno.readTextFile(`${artifacts}/profile_export_aiperf.json`));
    assert.equal(json.was_cancelled, true);
    assert.equal(json.ended_early_reason, "killed");
    const lines = (await Deno.readTextFile(`${artifacts}/profile_export.jsonl`)).split("\n");
    const count = json.request_count.avg;
    assert.ok(count > 10, `${count} requests`);
    // The lines of the same records were handed over in the same breath.
    assert.ok(Math.abs(count - (lines.length - 1)) <= 1200, `${count} of ${lines.length - 1}`);
    const metrics = JSON.parse(
      await Deno.readTextFile(`${artifacts}/server_metrics_export.json`).catch(() =>
        assert.fail(stdout)
      ),
    );
    assert.ok(Object.keys(metrics.metrics).length > 0);
    await runAgain();
    const replaced = JSON.parse(await Deno.readTextFile(`${artifacts}/profile_export_aiperf.json`));
    assert.equal(replaced.request_count.avg, 2);
    for await (const { name } of Deno.readDir(artifacts)) assert.doesNotMatch(name, /^\./);
  }));

Deno.test("report refuses folders that it cannot make results of", () =>
  withFolder(async (folder) => {
    const refused = async (directory: string, reason: RegExp) => {
      const { code, stderr } = await runCli(["report", directory]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, reason);
      assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
    };
    await refused(`${folder}/none`, /none: No such folder$/m);
    await refused(folder, /contains no records of a run/);
    await Deno.mkdir(`${folder}/a/run`, { recursive: true });
    await Deno.writeTextFile(`${folder}/a/run/records.bin`, "");
    await Deno.writeTextFile(`${folder}/a/run/run.json`, "{}");
    await refused(`${folder}/a`, /run\.json: Not a file of format "inferometer-run"/);
    await Deno.writeTextFile(
      `${folder}/a/run/run.json`,
      JSON.stringify({ format: "inferometer-run", version: 99 }),
    );
    await refused(`${folder}/a`, /Version 99 is newer than this program/);
  }));

Deno.test("a damaged file of a run is named in a line, by whatever reads it", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock();
    const run = `${folder}/a`;
    const { code } = await runCli([
      ...[...PROFILE, "--url", mock.url, "--request-count", "3", "--artifact-dir", run],
    ]);
    assert.equal(code, 0);
    const before = filesIn(run);
    for (const command of [["report"], ["plot"], ["recompute", "--goodput", "latency:9"]]) {
      for (const name of ["records.bin", "canaries.bin"]) {
        const path = `${run}/run/${name}`;
        const whole = await Deno.readFile(path);
        await Deno.writeTextFile(path, "");
        const { code, stderr } = await runCli([...command, run]);
        assert.equal(stderr, `error: ${path}: Has no valid header line\n`);
        assert.equal(code, 2);
        await Deno.writeFile(path, whole);
        await Deno.remove(`${run}-recomputed`, { recursive: true }).catch(() => {});
      }
    }
    assert.deepEqual(filesIn(run), before);
  }));

Deno.test("report leaves out what was changed in a run's files, and says so", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock();
    const { code } = await runCli([
      ...[...PROFILE, "--url", mock.url, "--request-count", "3", "--artifact-dir", folder],
    ]);
    assert.equal(code, 0);
    const records = `${folder}/run/records.bin`;
    const bytes = await Deno.readFile(records);
    bytes[bytes.length - 9] = (bytes.at(-9) as number) ^ 1;
    await Deno.writeFile(records, bytes);
    const { code: reported } = await runCli(["report", folder]);
    assert.equal(reported, 0);
    const { notes } = JSON.parse(
      await Deno.readTextFile(`${folder}/profile_export_aiperf.json`),
    ) as { notes: string[] };
    // Those of the last block, however many it has.
    assert.match(
      notes.join("\n"),
      /\d of 3 requests have no record .*: run\/records\.bin is damaged/,
    );
  }));

Deno.test("report says that run.json was changed, and what came of it in a line", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock();
    const { code } = await runCli([
      ...[...PROFILE, "--url", mock.url, "--request-count", "3", "--artifact-dir", folder],
    ]);
    assert.equal(code, 0);
    const path = `${folder}/run/run.json`;
    const original = await Deno.readTextFile(path);
    const reportOf = async (text: string) => {
      await Deno.writeTextFile(path, text);
      const { code, stderr } = await runCli(["report", folder]);
      return { code, stderr };
    };
    const warning = `warning: ${path} was modified: its values may be wrong\n`;
    assert.deepEqual(await reportOf(original), { code: 0, stderr: "" });
    // Another program's way of writing the same.
    assert.deepEqual(await reportOf(JSON.stringify(JSON.parse(original))), { code: 0, stderr: "" });
    const sent = original.replace('"sent": 3', '"sent": 4');
    assert.notEqual(sent, original);
    assert.deepEqual(await reportOf(sent), { code: 0, stderr: warning });
    const lost = `${warning}warning: ${folder}: 1 of 4 records lost\n`;
    // A bundle with other names has a checksum of its own.
    for (const options of [[], ["--anonymize-hosts"]]) {
      const args = ["bundle", folder, "--output", `${folder}.zip`, ...options];
      const { code, stderr } = await runCli(args);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: lost }, options.join());
    }
    await Deno.remove(`${folder}.zip`);
    for (const key of ["headers", "notes", "load", "tokenizer"]) {
      const { code, stderr } = await reportOf(original.replace(`"${key}":`, `"${key}s":`));
      assert.equal(code, 2, stderr);
      const [first, second, ...more] = stderr.trimEnd().split("\n");
      assert.equal(`${first}\n`, warning);
      assert.match(
        `${second}`,
        /^error: .*\/run\/run\.json: damaged, or changed by something else: /,
      );
      assert.deepEqual(more, [], key);
      const compared = await runCli(["compare", folder, folder]);
      assert.equal(compared.code, 2, compared.stderr);
      assert.match(
        compared.stderr,
        /^error: .*run\.json: damaged, or changed by something else: .*\n$/,
      );
    }
    await Deno.writeTextFile(path, sent);
    const { stdout } = await runCli(["compare", folder, folder]);
    assert.match(
      stdout.replace(/\s+/g, " "),
      /run\/run\.json was modified/,
    );
  }));

Deno.test("profile keeps no records with --no-records, and its results are whole", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock();
    const { code } = await runCli([
      ...[...PROFILE, "--url", mock.url, "--request-count", "3", "--no-records"],
      ...["--artifact-dir", `${folder}/a`],
    ]);
    assert.equal(code, 0);
    await assert.rejects(Deno.stat(`${folder}/a/run`), Deno.errors.NotFound);
    const json = JSON.parse(await Deno.readTextFile(`${folder}/a/profile_export_aiperf.json`));
    assert.equal(json.request_count.avg, 3);
  }));
