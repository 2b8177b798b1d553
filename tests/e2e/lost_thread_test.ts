/**
 * A thread that dies in the middle of a run. No option can bring that about, so this test alone
 * starts a run by the product's own function.
 */

import assert from "node:assert/strict";
import type { ProfileOptions } from "../../src/config/options/profile/profile_types.ts";
import { resolvePlan } from "../../src/config/plan/resolve/resolve_plan.ts";
import { reportExitCode } from "../../src/cli/profile/report_exit_code.ts";
import { EXIT_CODE } from "../../src/cli/terminal/exit_code.ts";
import { LOAD_MODULES, type LoadPoolModules } from "../../src/run/runner/load_modules.ts";
import { runProfile } from "../../src/run/runner/run_profile.ts";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { DOOMED, dyingThreadUrl } from "../support/dying_thread_url.ts";
import {
  goodReply,
  type RecordingServer,
  type ReplyContent,
  startRecordingServer,
} from "../support/recording_server.ts";

/** The code of the threads, of which the first load worker dies at its last of some requests. */
function modules(requests: number): LoadPoolModules {
  return { ...LOAD_MODULES, loadWorker: dyingThreadUrl(0, requests) };
}

/** What is sent, and the last request of the worker that dies; it takes the others with it. */
const LOADS: Readonly<Record<string, [ProfileOptions, number]>> = {
  "a closed loop": [{ concurrency: 4, requestCount: 60 }, 2],
  "an open loop": [{ requestRate: 100, requestCount: 60 }, 3],
  // The dead worker held all slots, and nobody hears that they are free.
  "an open loop with few slots": [{ requestRate: 200, concurrency: 2, requestCount: 40 }, 2],
};

/** What the runs ask for. */
const ASKED: ReplyContent = {
  pieces: ["one", " two", " three", " four"],
  usage: { "prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14 },
};

/** A server that answers all requests but those of the worker that dies. */
function startServer(): RecordingServer {
  return startRecordingServer({
    answer: async ({ headers, body, gone }) => {
      if (headers.get("x-request-id")?.startsWith(DOOMED)) await gone;
      return goodReply(body, ASKED);
    },
  });
}

Deno.test("a run goes on when one of its load workers dies", async (t) => {
  for (const [name, [load, taken]] of Object.entries(LOADS)) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        await using server = startServer();
        const plan = await resolvePlan({
          ...{ url: [server.url], model: "m", streaming: true, osl: 4, isl: 10, workers: 2 },
          ...{ artifactDir: folder, noServerMetrics: true, ...load },
        }, { cores: 2, cliCommand: "test", findModel: () => Promise.resolve("m") });
        const warnings: string[] = [];
        const { report } = await runProfile(plan, {
          modules: modules(taken),
          onWarning: (text) => warnings.push(text),
        });
        assert.equal(warnings.length, 1, warnings.join("\n"));
        assert.match(warnings[0] ?? "", /^Load worker 0 died; .*Broken on purpose/);
        const { json, records } = await readArtifacts(folder);
        assert.equal(records.length, load.requestCount, "every request is accounted for");
        const lost = records.filter(({ error }) => error?.kind === "worker_lost");
        assert.ok(lost.length >= taken, "requests of the dead worker have failed");
        const failed = records.filter(({ error }) => error !== undefined);
        assert.equal(failed.length, lost.length, "nothing else failed");
        const others = records.filter(({ metadata, error }) =>
          metadata["worker_id"] === "worker_1" && error === undefined
        );
        assert.equal(others.length, records.length - lost.length, "the other worker went on");
        assert.deepEqual(report.requests.sent, load.requestCount);
        assert.deepEqual([json.is_complete, json.was_cancelled], [false, false]);
        assert.deepEqual([json.ended_early, json.ended_early_reason], [null, "worker_lost"]);
        // A closed loop lost half of its slots, and says so.
        const notes = json.notes.filter((note: string) => !note.includes("in flight on average"));
        assert.deepEqual(notes, warnings);
      }));
  }
});

Deno.test("a run ends when all of its load workers die", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const plan = await resolvePlan({
      ...{ url: [server.url], model: "m", streaming: true, osl: 4, isl: 10, workers: 1 },
      ...{ artifactDir: folder, noServerMetrics: true, concurrency: 1, requestCount: 100_000 },
    }, { cores: 2, cliCommand: "test", findModel: () => Promise.resolve("m") });
    const { report } = await runProfile(plan, {
      modules: modules(50),
    });
    assert.equal(report.requests.sent, 50);
    assert.equal(report.requests.succeeded + report.requests.failed, report.requests.sent);
    assert.equal(report.isComplete, false);
    const { json } = await readArtifacts(folder);
    assert.equal(json.request_count.avg, report.requests.succeeded);
    assert.equal(json.ended_early_reason, "internal");
    assert.match(json.ended_early, /^every load worker died: .*Broken on purpose/);
    assert.equal(reportExitCode(report, plan), EXIT_CODE.failed, "however much succeeded");
  }));

Deno.test("sessions go on when one of the load workers dies with its own", () =>
  withFolder(async (folder) => {
    await using server = startServer();
    const plan = await resolvePlan({
      ...{ url: [server.url], model: "m", streaming: true, osl: 4, isl: 10, workers: 2 },
      ...{ artifactDir: folder, noServerMetrics: true },
      ...{ concurrency: 4, numSessions: 15, sessionTurnsMean: 3 },
    }, { cores: 2, cliCommand: "test", findModel: () => Promise.resolve("m") });
    const { report } = await runProfile(plan, { modules: modules(2) });
    const { json, records } = await readArtifacts(folder);
    const lost = records.filter(({ error }) => error !== undefined);
    assert.ok(lost.length >= 2 && lost.every(({ error }) => error?.kind === "worker_lost"));
    // Nobody else plays the sessions that the dead worker had begun.
    const whole = 15 - lost.length;
    assert.equal(records.length, 3 * whole + lost.length, "every request is accounted for");
    assert.equal(report.requests.sent, records.length);
    assert.equal(json.sessions.started, whole);
    assert.equal(json.sessions.completed, whole);
    assert.equal(json.sessions.failed, lost.length);
    assert.equal(json.sessions.unsent_turns, 0);
    assert.equal(json.is_complete, false);
  }));
