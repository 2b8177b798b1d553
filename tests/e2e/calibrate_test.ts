/** `inferometer calibrate`, and what `profile` makes of its file. */

import assert from "node:assert/strict";
import {
  calibrationText,
  parseCalibration,
} from "../../src/measurement/calibration/calibration_file.ts";
import { machineFacts } from "../../src/run/runner/machine_facts.ts";
import { withFolder } from "../support/artifacts.ts";
import { withMock } from "../support/local_mock.ts";
import { type CliResult, NO_FLUSH, runCli } from "../support/run_cli.ts";

/** A plan of 100 streams that is shown and not run. */
const PLAN = [
  ...["profile", "--url", "127.0.0.1:9", "--model", "m", "--dry-run", "--streaming"],
  ...["--concurrency", "100"],
];

/** The file of a machine like this one, which measures so many streams with one and two workers. */
function fileText(streams: readonly [number, number], hostname = machineFacts().hostname): string {
  return calibrationText({
    machine: { ...machineFacts(), hostname },
    version: "0.1.0",
    date: "2026-11-22T04:00:00.000Z",
    limits: streams.map((streams, index) => ({
      ...{ workers: index + 1, metric: "ttft", share: 0.05, streams, isOpen: false },
      ...{ eventsPerSecond: streams * 100, requestsPerSecond: streams * 4 },
    })),
  });
}

function workersOf({ stdout }: CliResult): number {
  return Number(/load worker x (\d+)/.exec(stdout)?.[1]);
}

Deno.test("calibrate measures this machine, draws it, and writes a file that profile reads", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/settings/here.json`;
    // The shortest time in which there is a trial, as many as it is on a machine like this.
    const args = ["calibrate", "--budget", "3s", "--workers", "1", "--output", path];
    const { code, stdout, stderr } = await runCli(args);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /^error/m);
    const { machine, limits } = parseCalibration(await Deno.readTextFile(path));
    const { hostname, os, arch, cores } = machineFacts();
    assert.deepEqual(machine, { hostname, os, arch, cores });
    assert.deepEqual(
      limits.map(({ workers, metric, share }) => `${workers} ${metric} ${share}`),
      ["1 ttft 0.01", "1 itl 0.01", "1 ttft 0.05", "1 itl 0.05"],
    );
    for (const { streams, eventsPerSecond, requestsPerSecond } of limits) {
      // Each reply has 30 tokens.
      assert.ok(streams === 0 || requestsPerSecond > 1);
      assert.ok(Math.abs(eventsPerSecond - 30 * requestsPerSecond) <= 30);
    }
    assert.match(stdout, /│ +1 │ +5 % │/);
    assert.match(stdout, /Error of TTFT .*\nWorkers: o 1\n 100 % \|/);
    assert.match(stdout, /Error of ITL /);
    const lines = stdout.split("\n").filter((line) => !line.includes(path));
    assert.ok(lines.every((line) => line.length <= 80), stdout);
    assert.ok(stdout.endsWith(`\nprofile --calibration reads ${path}\n`));
    assert.equal((await runCli([...PLAN, "--calibration", path])).code, 0);
  });
});

Deno.test("calibrate says before the trials what it cannot use", async () => {
  const budget = await runCli(["calibrate", "--budget", "1s"]);
  assert.deepEqual([budget.code, budget.stderr], [
    2,
    "error: --budget: Must be at least 3: got 1\n",
  ]);
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/file`, "");
    for (
      const [path, message] of [
        [`${folder}/file/calibration.json`, `${folder}/file: A file of that name is there`],
        [folder, `${folder}: Is a folder`],
      ] as const
    ) {
      const { code, stdout, stderr } = await runCli(["calibrate", "--output", path]);
      assert.deepEqual([code, stdout, stderr], [1, "", `error: Cannot write ${message}\n`]);
    }
  });
});

Deno.test("profile chooses workers by the calibration, and warns of what the machine cannot measure", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/calibration.json`;
    const run = async (streams: readonly [number, number], ...more: string[]) => {
      await Deno.writeTextFile(path, fileText(streams));
      return await runCli([...PLAN, "--calibration", path, ...more]);
    };
    const usual = workersOf(await runCli([...PLAN, "--calibration", "none"]));
    const enough = await run([100, 400]);
    assert.deepEqual([enough.stderr, workersOf(enough)], ["", usual]);
    const given = await run([50, 400], "--workers", "1");
    assert.equal(workersOf(given), 1);
    assert.match(given.stderr, /^warning: .*up to 50 streams .* has 100; use --workers 2, another/);
    if (usual === 1) {
      const chosen = await run([50, 400]);
      assert.deepEqual([chosen.stderr, workersOf(chosen)], ["", 2]);
    }
    const few = await run([50, 40]);
    assert.equal(workersOf(few), 1);
    assert.match(few.stderr, /up to 50 streams .* has 100; use another machine/);
  });
});

Deno.test("profile warns of each load of a sweep that the machine cannot measure, once and before the first", () =>
  withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const path = `${folder}/calibration.json`;
      await Deno.writeTextFile(path, fileText([1, 1]));
      const sweep = [
        ...["profile", "--url", url, "--model", "mock-model", "--streaming", "--isl", "16,17"],
        ...["--osl", "2", "--concurrency", "1,2,4", "--request-count", "4", "--no-canaries"],
        ...["--no-server-metrics", "--calibration", path, "--artifact-dir", `${folder}/sweep`],
      ];
      const shown = await runCli([...sweep, "--dry-run"]);
      const told = [...shown.stderr.matchAll(/^warning: .*up to 1 streams .* has (\d+); /gm)];
      assert.deepEqual(told.map(([, streams]) => streams), ["2", "4"]);
      const made = await runCli(sweep, { env: NO_FLUSH });
      assert.equal(made.code, 0, made.stderr);
      assert.equal(made.stderr, shown.stderr);
    })));

Deno.test("profile says nothing of TTFT where there is none", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/calibration.json`;
    await Deno.writeTextFile(path, fileText([50, 40]));
    const plan = PLAN.filter((argument) => argument !== "--streaming");
    assert.equal((await runCli([...plan, "--calibration", path])).stderr, "");
  });
});

Deno.test("profile looks for the calibration in the settings folder", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/inferometer/calibration.json`;
    await Deno.mkdir(`${folder}/inferometer`);
    const run = (...more: string[]) =>
      runCli([...PLAN, "--workers", "1", ...more], { env: { "XDG_CONFIG_HOME": folder } });
    assert.equal((await run()).stderr, "");
    await Deno.writeTextFile(path, fileText([50, 50]));
    assert.match((await run()).stderr, /up to 50 streams/);
    assert.equal((await run("--calibration", "none")).stderr, "");
    await Deno.writeTextFile(path, fileText([50, 50], "elsewhere"));
    assert.equal((await run()).stderr, "");
    const named = await run("--calibration", path);
    assert.equal(named.code, 2);
    assert.match(
      named.stderr,
      /^error: --calibration: .* is from another machine \(elsewhere, /,
    );
    await Deno.writeTextFile(path, "{}");
    const broken = await run();
    assert.equal(broken.code, 0);
    assert.match(broken.stderr, /^warning: .*calibration\.json is no calibration: [^\n]*\n$/);
  });
});
