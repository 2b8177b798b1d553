import assert from "node:assert/strict";
import fc from "fast-check";
import type { Calibration } from "../../../src/measurement/calibration/calibration.ts";
import {
  calibrationText,
  parseCalibration,
} from "../../../src/measurement/calibration/calibration_file.ts";
import { calibrationPath } from "../../../src/measurement/calibration/calibration_path.ts";
import { type Limit, limitsOf } from "../../../src/measurement/calibration/limits.ts";
import { nextTrial } from "../../../src/measurement/calibration/next_trial.ts";
import {
  calibratedWorkers,
  measurabilityWarning,
} from "../../../src/measurement/calibration/plan_advice.ts";
import { readCalibration } from "../../../src/measurement/calibration/read_calibration.ts";
import type { Trial } from "../../../src/measurement/calibration/trial.ts";
import {
  type ComparedRequest,
  trialErrors,
} from "../../../src/measurement/calibration/trial_errors.ts";
import { withFolder } from "../../support/artifacts.ts";

const MACHINE = { hostname: "bench", os: "linux", arch: "x86_64", cores: 4 };

function trial(workers: number, streams: number, ttft: number, itl = 0): Trial {
  return {
    workers,
    streams,
    errors: { ttft, itl },
    eventsPerSecond: streams * 100,
    requestsPerSecond: streams * 4,
  };
}

function limit(workers: number, streams: number, isOpen = false): Limit {
  return {
    ...{ workers, metric: "ttft", share: 0.05, streams, isOpen },
    eventsPerSecond: streams * 100,
    requestsPerSecond: streams * 4,
  };
}

function calibration(...limits: Limit[]): Calibration {
  return { machine: MACHINE, version: "1.2.3", date: "2026-11-22T04:00:00.000Z", limits };
}

/** The trials of a machine whose errors depend on the load alone, until there are no more. */
function allTrials(
  error: (workers: number, streams: number) => number,
  workerCounts: readonly number[],
  maxStreams = 2048,
): Trial[] {
  const trials: Trial[] = [];
  for (;;) {
    const next = nextTrial(trials, workerCounts, maxStreams);
    if (next === undefined) return trials;
    assert.ok(trials.length < 500, "it ends");
    trials.push(trial(next.workers, next.streams, error(next.workers, next.streams)));
  }
}

Deno.test("nextTrial grows the streams of all numbers of workers in turn", () => {
  const loads = allTrials(() => 0, [1, 2], 100).map(({ workers, streams }) => [workers, streams]);
  assert.deepEqual(loads, [[1, 8], [2, 8], [1, 32], [2, 32], [1, 100], [2, 100]]);
});

Deno.test("nextTrial repeats what failed before it narrows a limit down", () => {
  const failed = [trial(1, 8, 0), trial(1, 32, 0.2)];
  assert.deepEqual(nextTrial(failed, [1], 2048), { workers: 1, streams: 32 });
  // It was a fluke.
  const passed = [...failed, trial(1, 32, 0)];
  assert.deepEqual(nextTrial(passed, [1], 2048), { workers: 1, streams: 128 });
  const again = [...failed, trial(1, 32, 0.3)];
  assert.deepEqual(nextTrial(again, [1], 2048), { workers: 1, streams: 16 });
});

Deno.test("nextTrial goes down to one stream where even few are too many", () => {
  const streams = new Set(allTrials(() => 0.5, [1]).map(({ streams }) => streams));
  assert.deepEqual([...streams], [8, 4, 2, 1]);
});

Deno.test("trials find the limits of any machine to within a quarter", () => {
  fc.assert(fc.property(
    fc.integer({ min: 1, max: 2000 }),
    fc.integer({ min: 1, max: 8 }),
    (capacity, factor) => {
      // Each worker adds to what is within 5 %; 1 % ends at a third of that.
      const error = (workers: number, streams: number) => {
        const most = capacity * (workers === 1 ? 1 : factor);
        return streams > most ? 0.1 : streams * 3 > most ? 0.03 : 0.001;
      };
      for (const limit of limitsOf(allTrials(error, [1, 4]))) {
        if (limit.metric !== "ttft") continue;
        const most = capacity * (limit.workers === 1 ? 1 : factor);
        const wanted = Math.min(2048, limit.share === 0.05 ? most : Math.floor(most / 3));
        assert.ok(limit.streams <= wanted, `${limit.streams} of ${wanted}`);
        assert.ok(limit.streams >= Math.floor(wanted / 1.3), `${limit.streams} of ${wanted}`);
      }
    },
  ));
});

Deno.test("limitsOf takes no luck, and says where a limit lies higher", () => {
  const limits = limitsOf([
    ...[trial(2, 8, 0.02), trial(2, 8, 0.004), trial(2, 32, 0.2), trial(2, 128, 0.01)],
    ...[trial(1, 8, 0.03, 0.02), trial(1, 32, 0.04, 0.06)],
  ]);
  const shown = limits.map(({ workers, metric, share, streams, isOpen }) =>
    `${workers} ${metric} ${share} ${streams}${isOpen ? "+" : ""}`
  );
  assert.deepEqual(shown, [
    ...["1 ttft 0.01 0", "1 itl 0.01 0", "1 ttft 0.05 32+", "1 itl 0.05 8"],
    ...["2 ttft 0.01 8", "2 itl 0.01 128+", "2 ttft 0.05 8", "2 itl 0.05 128+"],
  ]);
  assert.equal(limits[3]?.eventsPerSecond, 800);
  assert.equal(limits[3]?.requestsPerSecond, 32);
});

Deno.test("trialErrors is the worst of the statistics, as a share of the smaller of truth and nominal", () => {
  const request = (ttftMs: number, trueTtftMs: number): ComparedRequest => ({
    reported: { ttftMs, itlMs: 5.05 },
    truth: { ttftMs: trueTtftMs, itlMs: 5 },
  });
  const nominal = { ttftMs: 50, itlMs: 5 };
  const close = (actual: number, wanted: number) =>
    assert.ok(Math.abs(actual - wanted) < 1e-9, `${actual}, not ${wanted}`);
  const one = trialErrors([request(44, 40), request(44, 40)], nominal);
  close(one.ttft, 0.1);
  close(one.itl, 0.01);
  // The server took ten times as long: 10 ms are still a fifth of what it takes when idle.
  close(trialErrors([request(510, 500)], nominal).ttft, 0.2);
  // The median and the mean are right, the tail is not.
  const tail = [...new Array(200).fill(request(50, 50)), request(99, 50), request(99, 50)];
  assert.ok(trialErrors([...tail, request(99, 50)], nominal).ttft > 0.9);
  assert.equal(trialErrors([], nominal).ttft, Infinity);
});

Deno.test("a calibration is read as it was written", () => {
  const written = calibration(limit(1, 100), { ...limit(2, 0, true), metric: "itl", share: 0.01 });
  assert.deepEqual(parseCalibration(calibrationText(written)), written);
});

Deno.test("parseCalibration says what is wrong", () => {
  const text = calibrationText(calibration(limit(1, 100)));
  for (
    const [given, message] of [
      ["{", /^It is not JSON$/],
      ["[]", /^It: /],
      [text.replace('"streams": 100', '"streams": -1'), /^limits\.0\.streams: /],
      [text.replace('"schema_version": "1.0"', '"schema_version": "9"'), /^schema_version: /],
      [text.replace('"hostname": "bench",', ""), /^machine\.hostname: /],
      [text.replace('"cores": 4', '"cores": "four"'), /^machine\.cores: /],
    ] as const
  ) {
    assert.throws(() => parseCalibration(given), (error) => {
      assert.ok(error instanceof SyntaxError);
      assert.match(error.message, message);
      return true;
    });
  }
});

Deno.test("readCalibration minds only files that the user named, or that are broken", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/calibration.json`;
    const read = (isNamed: boolean, hostname = "bench") =>
      readCalibration({ path, isNamed }, { ...MACHINE, hostname });
    assert.deepEqual(await read(false), {});
    assert.match((await read(true)).problem ?? "", /^Cannot read .*: File does not exist$/);
    const written = calibration(limit(1, 100));
    await Deno.writeTextFile(path, calibrationText(written));
    assert.deepEqual(await read(false), { calibration: written });
    assert.deepEqual(await read(false, "other"), {});
    assert.match((await read(true, "other")).problem ?? "", /another machine \(bench, 4 cores\)$/);
    await Deno.writeTextFile(path, "nothing");
    for (const isNamed of [false, true]) {
      const { problem = "", calibration } = await read(isNamed);
      assert.match(problem, /is no calibration: It is not JSON; inferometer calibrate makes a new/);
      assert.equal(calibration, undefined);
    }
  });
});

Deno.test("calibrationPath follows the variables", () => {
  const path = (variables: Record<string, string>) => calibrationPath((name) => variables[name]);
  const file = "inferometer/calibration.json";
  assert.equal(path({ HOME: "/h" }), `/h/.config/${file}`);
  assert.equal(path({ HOME: "/h", XDG_CONFIG_HOME: "/x" }), `/x/${file}`);
  assert.equal(path({ XDG_CONFIG_HOME: "", USERPROFILE: "C:" }), `C:/.config/${file}`);
  assert.equal(path({}), undefined);
});

Deno.test("calibratedWorkers leaves the usual number where it is enough, else takes what measures most", () => {
  const known = calibration(limit(1, 64), limit(2, 256), limit(4, 256));
  const workers = (concurrency: number, usual: number, from = known) =>
    calibratedWorkers(from, { concurrency, ratePerSecond: undefined }, usual);
  assert.equal(workers(64, 1), 1);
  assert.equal(workers(65, 1), 2);
  assert.equal(workers(5000, 1), 2);
  assert.equal(workers(200, 3), 3);
  assert.equal(workers(5000, 4), 4);
  // Nobody knows how much more it could do.
  assert.equal(workers(65, 1, calibration(limit(1, 64, true), limit(2, 256))), 1);
  const asFar = calibration(limit(1, 64), limit(2, 64, true));
  assert.equal(workers(64, 1, asFar), 1);
  assert.equal(workers(65, 1, asFar), 2);
  assert.match(
    measurabilityWarning(asFar, { concurrency: 65, ratePerSecond: undefined }, 1) ?? "",
    /the plan has 65; use --workers 2, another machine/,
  );
  const byRate = (ratePerSecond: number) =>
    calibratedWorkers(known, { concurrency: Infinity, ratePerSecond }, 1);
  assert.equal(byRate(256), 1);
  assert.equal(byRate(257), 2);
});

Deno.test("measurabilityWarning says what the machine can do, and what would help", () => {
  const known = calibration(limit(1, 64), limit(2, 256));
  const warning = (concurrency: number, workers: number, ratePerSecond?: number) =>
    measurabilityWarning(known, { concurrency, ratePerSecond }, workers);
  assert.equal(warning(64, 1), undefined);
  assert.equal(
    warning(100, 1),
    "With one worker this machine measured TTFT within 5 % up to 64 streams (calibrated " +
      "2026-11-22): the plan has 100; use --workers 2, another machine, or expect a suspect verdict",
  );
  assert.equal(
    warning(300, 2),
    "With 2 workers this machine measured TTFT within 5 % up to 256 streams (calibrated " +
      "2026-11-22): the plan has 300; use another machine, or expect a suspect verdict",
  );
  assert.equal(
    warning(300, 4),
    "With 2 workers (more were not tried; the plan has 4) this machine measured TTFT within 5 % " +
      "up to 256 streams (calibrated 2026-11-22): the plan has 300; use another machine, or " +
      "expect a suspect verdict",
  );
  assert.match(
    warning(Infinity, 1, 500) ?? "",
    /up to 256 requests\/s .* has 500; use/,
  );
  assert.equal(warning(Infinity, 2, 500), undefined);
  const nothing = measurabilityWarning(
    calibration(limit(1, 0)),
    { concurrency: 1, ratePerSecond: undefined },
    1,
  );
  assert.match(
    nothing ?? "",
    /within 5 % with no number of streams .* the plan has 1; use another/,
  );
  // A cap of the requests in flight limits the streams.
  assert.equal(warning(64, 1, 500), undefined);
});

Deno.test("a plan is judged by the metric that is the first to be off", () => {
  const itl = (workers: number, streams: number, isOpen = false): Limit => ({
    ...limit(workers, streams, isOpen),
    metric: "itl",
  });
  const known = calibration(limit(1, 128, true), itl(1, 32), limit(2, 64), itl(2, 128, true));
  const load = (concurrency: number) => ({ concurrency, ratePerSecond: undefined });
  assert.equal(measurabilityWarning(known, load(32), 1), undefined);
  assert.match(
    measurabilityWarning(known, load(33), 1) ?? "",
    /^With one worker .* ITL within 5 % up to 32 streams .* has 33; use --workers 2, another/,
  );
  assert.match(
    measurabilityWarning(known, load(65), 2) ?? "",
    /^With 2 workers .* TTFT within 5 % up to 64 streams .* has 65; use another machine/,
  );
  assert.equal(calibratedWorkers(known, load(33), 1), 2);
  // Of 1 % there is another limit, which is no reason for anything.
  const small = { ...itl(1, 8), share: 0.01 };
  assert.equal(measurabilityWarning(calibration(limit(1, 64), small), load(64), 1), undefined);
});

Deno.test("measurabilityWarning says of a plan far beyond all trials that nothing is known", () => {
  const warning = (streams: number, concurrency: number, ratePerSecond?: number) =>
    measurabilityWarning(calibration(limit(1, streams, true)), { concurrency, ratePerSecond }, 1);
  assert.equal(warning(128, 256), undefined);
  assert.equal(
    warning(128, 257),
    "With one worker this machine was calibrated up to 128 streams (2026-11-22): the plan has " +
      "257, of which that says nothing; inferometer calibrate with a longer --budget tries more",
  );
  assert.match(warning(128, Infinity, 2000) ?? "", /up to 512 requests\/s .* the plan has 2000, /);
  assert.match(warning(2048, 5000) ?? "", /the plan has 5000, of which that says nothing$/);
});
