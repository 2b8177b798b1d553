import assert from "node:assert/strict";
import type { ProfileOptions } from "../../../../src/config/options/profile/profile_types.ts";
import { resolvePlan } from "../../../../src/config/plan/resolve/resolve_plan.ts";
import type { RunPlan } from "../../../../src/config/plan/run_plan.ts";

async function planOf(options: ProfileOptions, onWarning = (_: string) => {}): Promise<RunPlan> {
  return await resolvePlan({ url: ["127.0.0.1:1"], model: "m", ...options }, {
    cores: 4,
    cliCommand: "test",
    findModel: () => Promise.resolve("m"),
    onWarning,
  });
}

/** Requests and sessions of the last phase, and different prompts or conversations. */
async function countsOf(options: ProfileOptions): Promise<unknown[]> {
  const { phases, dataset } = await planOf(options);
  const { requestCount, sessionCount } = phases.at(-1) as RunPlan["phases"][number];
  return [requestCount, sessionCount, dataset.source === "synthetic" ? dataset.entries : undefined];
}

Deno.test("a number of sessions of one turn is a number of requests", async () => {
  assert.deepEqual(await countsOf({ numSessions: 7 }), [7, undefined, 7]);
  assert.deepEqual(await countsOf({ numSessions: 7, requestCount: 5 }), [5, undefined, 5]);
  assert.deepEqual(await countsOf({ concurrency: 19 }), [190, undefined, 190]);
});

Deno.test("sessions of several turns are counted apart from requests", async () => {
  const turns = { sessionTurnsMean: 3 };
  assert.deepEqual(await countsOf({ ...turns, numSessions: 7 }), [Infinity, 7, 7]);
  assert.deepEqual(await countsOf({ ...turns, requestCount: 50 }), [50, undefined, 50]);
  assert.deepEqual(await countsOf({ ...turns, numSessions: 7, requestCount: 5 }), [5, 7, 5]);
  assert.deepEqual(await countsOf({ ...turns, concurrency: 19 }), [Infinity, 190, 190]);
  assert.deepEqual(await countsOf({ sessionTurnsStddev: 1 }), [Infinity, 100, 100]);
  assert.deepEqual(await countsOf({ ...turns, benchmarkDuration: 5 }), [Infinity, undefined, 1000]);
});

Deno.test("what files hold is not known before: their sessions are counted as such", async () => {
  const options = { inputFile: "x.jsonl", numSessions: 7 };
  assert.deepEqual(await countsOf(options), [Infinity, 7, undefined]);
});

Deno.test("warm-up begins as many sessions as it is told, with conversations of its own", async () => {
  const { phases, dataset } = await planOf({
    ...{ numSessions: 9, sessionTurnsMean: 2, numWarmupSessions: 4 },
  });
  assert.deepEqual(phases.map(({ kind, sessionCount }) => [kind, sessionCount]), [
    ["warmup", 4],
    ["profiling", 9],
  ]);
  assert.ok(dataset.source === "synthetic" && dataset.warmupEntries === 4);
});

Deno.test("a run has no more threads than sessions", async () => {
  const { workers } = await planOf({ workers: 4, numSessions: 2, sessionTurnsMean: 9 });
  assert.equal(workers, 2);
});

Deno.test("the times between turns are in the plan only if they are changed", async () => {
  assert.equal((await planOf({})).turnDelays, undefined);
  const { turnDelays } = await planOf({ interTurnDelayCapSeconds: 2 });
  assert.deepEqual(turnDelays, { ignored: false, maxMs: 2000 });
  const { turnDelays: none } = await planOf({ inputFile: "x", ignoreTraceDelays: true });
  assert.deepEqual(none, { ignored: true, maxMs: Infinity });
});

Deno.test("options of sessions that cannot be are refused with what to do", async () => {
  const refuses = (options: ProfileOptions, message: RegExp) =>
    assert.rejects(planOf(options), (error: Error) => {
      assert.equal(error.name, "UsageError");
      assert.match(error.message, message);
      return true;
    });
  const turns = { sessionTurnsMean: 2 };
  await refuses(
    { ...turns, endpointType: "completions" },
    /^--session-turns-mean: .*completions.*--endpoint-type chat/,
  );
  await refuses(
    { ...turns, transport: "fetch", connectionReuseStrategy: "sticky-user-sessions" },
    /^--connection-reuse-strategy: .*--transport socket/,
  );
  await refuses(
    { ...turns, inputFile: "x" },
    /^--input-file: Cannot be used together with --session-turns-mean/,
  );
  await refuses({ sessionHeader: "Host" }, /^--session-header: Host is set by the client/);
  await refuses({ sessionHeader: "a b" }, /^--session-header: Not a header name: "a b"/);
  await refuses({ ignoreTraceDelays: true }, /^--ignore-trace-delays: Needs --input-file/);
});

Deno.test("a number of prompts that is taken for one of sessions is told apart", async () => {
  const warnings: string[] = [];
  await planOf({ numPrompts: 3, sessionTurnsMean: 2 }, (text) => warnings.push(text));
  assert.ok(
    warnings.includes(
      "--num-prompts 3 is the number of different conversations; 100 sessions are played, their " +
        "number is --num-sessions",
    ),
    warnings.join("\n"),
  );
});
