import assert from "node:assert/strict";
import { answersItems } from "../../../src/report/console/answers_lines.ts";
import { sessionBlock } from "../../../src/report/console/session_block.ts";
import type { ProfileReport } from "../../../src/report/model/profile_report.ts";
import { madeSessions } from "../../support/made_sessions.ts";
import { finishedRun, viewOf } from "../../support/run_views.ts";

const HOSTILE = "\x1b]0;title\x07\x1b[2J\r\nclient health: ok\u202e";
// deno-lint-ignore no-control-regex
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u202e]/;

/** A report of sessions of turns, whose requests are those of agents of these kinds, too. */
async function reportWithAgents(kinds: readonly string[]): Promise<ProfileReport> {
  const { report } = viewOf(await finishedRun(madeSessions(7, 12)));
  const { sessions } = report;
  assert.ok(sessions !== undefined);
  const { succeeded, failed, results } = sessions.turns[3] ?? assert.fail();
  const group = { succeeded, failed, results, rows: [] };
  return {
    ...report,
    sessions: {
      ...sessions,
      ...{ resets: 1, failed: 2, cutOff: 3 },
      depths: [0, 1].map((depth) => ({ ...group, depth })),
      kinds: kinds.map((kind) => ({ ...group, kind })),
    },
  };
}

Deno.test("sessionBlock has outcomes, the critical path, calls and tables of agents", async () => {
  const kinds = Array.from({ length: 14 }, (_, at) => `kind-${at}`);
  const lines = sessionBlock(await reportWithAgents(kinds), 100);
  const path = "model 44.8 %, tools 29.8 %, users 25.3 %, waiting 0.2 %";
  assert.deepEqual(lines.slice(0, 3), [
    "sessions: 7 of 7 completed, 2 failed, 3 cut off by the end of the run",
    `session duration: p50 10.8, p95 12.2, max 12.5 s; ${path}`,
    "calls per session: mean 12.0, max 12; at most 1 in flight; 1 reset of the prompt",
  ]);
  assert.match(lines[3] ?? "", /^depth +requests +TTFT ms +ITL ms +ISL +OSL +hit %$/);
  assert.match(lines[4] ?? "", /^0 +7 +100 +73\.8 +1,900 +5 +84\.2$/);
  assert.match(lines[7] ?? "", /^kind-0 +7 +100 /);
  assert.deepEqual(lines.slice(-3).map((line) => line.split(" ")[0]), ["kind-11", "and", "times:"]);
  assert.equal(lines.at(-2), "and 2 more kinds, see the JSON");
});

Deno.test("sessionBlock says of a scenario whether the run is valid, and by which window", async () => {
  const report = await reportWithAgents([]);
  const scenario = {
    ...{ name: "mlperf-agentic", version: "ea33275", isOverridden: false },
    ...{ isDatasetApproved: true, limits: { mayWrap: true, hasExactLengths: false } },
  };
  const linesOf = (submission: ProfileReport["submission"]): string[] =>
    sessionBlock({ ...report, submission }, 100).filter((line) => line.startsWith("submission"));
  assert.deepEqual(linesOf(null), []);
  assert.deepEqual(linesOf({ scenario, isValid: true, reasons: [], window: "steady" }), [
    "submission to mlperf-agentic ea33275, by the steady window: valid",
  ]);
  assert.deepEqual(
    linesOf({ scenario, isValid: false, reasons: ["cut_short", "corpus_wrapped"], window: "run" }),
    ["submission to mlperf-agentic ea33275, by the whole run: not valid: cut_short, corpus_wrapped"],
  );
});

Deno.test("sessionBlock lets no kind of an input file disturb the terminal", async () => {
  const lines = sessionBlock(await reportWithAgents([`${HOSTILE}search`]), 100);
  assert.ok(lines.some((line) => line.includes("search")));
  for (const line of lines) assert.doesNotMatch(line, UNPRINTABLE);
});

Deno.test("answersItems let no name in a reply or an input file disturb the terminal", () => {
  const counts = { yes: 1, no: 1, unchecked: 1 };
  const items = answersItems({
    answers: {
      ...{ anomalies: { byKind: {}, checked: 3, replies: 0 }, correct: counts, valid: counts },
      wrong: [{ request: 1, flaw: `JSON differs at /${HOSTILE}` }],
      invalid: {
        ...{ byReason: { schema: 1 }, tokens: 5 },
        examples: [{ request: 1, reason: "schema", flaw: `reply at /${HOSTILE}: must be string` }],
      },
      uncheckedForm: `schema: ${HOSTILE}`,
    } as unknown as ProfileReport["answers"],
  });
  const text = items.join(";");
  assert.match(text, /request 1, JSON differs at .*first: reply at .*: must be string/);
  assert.match(text, /valid not checked in 1 replies: schema: /);
  assert.doesNotMatch(text, UNPRINTABLE);
});
