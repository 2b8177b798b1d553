import assert from "node:assert/strict";
import { sessionResults } from "../../../src/measurement/metrics/session_results.ts";
import { sessionTraces } from "../../../src/report/model/session_traces.ts";
import { type SessionsPart, sessionsPart } from "../../../src/report/html/sessions_part.ts";
import { madeSessions } from "../../support/made_sessions.ts";
import { finishedRun } from "../../support/run_views.ts";

async function partOf(sessions: number, turns: number): Promise<SessionsPart> {
  const { records: { profiling } } = await finishedRun(madeSessions(sessions, turns));
  const [traces, results] = [sessionTraces(profiling), sessionResults(profiling)];
  assert.ok(traces !== undefined && results !== undefined);
  return sessionsPart(traces, results);
}

/** Descriptions of the drawings of a part, in order. */
function labelsOf({ content }: SessionsPart): string[] {
  return [...content.matchAll(/role="img"[^>]*aria-label="([^"]*)"/g)].map(([, label]) =>
    label as string
  );
}

Deno.test("the part about sessions has the critical path, lanes and tokens of one session", async () => {
  const part = await partOf(1, 3);
  assert.equal(part.title, "One session takes 1.32 s");
  assert.deepEqual(part.plots.map(({ id }) => id), ["lanes-median", "session-tokens"]);
  const path = "waiting to be sent 3 ms, 0.2 %; until the first token 300 ms, 23 %; " +
    "decode 603 ms, 46 %; tools 154 ms, 12 %; user 258 ms, 20 %";
  assert.equal(labelsOf(part)[0], `Critical path of session (0): ${path}`);
  assert.match(part.content, /46.% of the critical path of the median session .* is decode\./);
  assert.match(part.content, /<small>all of its 3 calls<\/small>/);
  // Parts follow each other, 2 of 1000 units apart.
  const [bar = ""] = /<svg[^>]*class="bar".*?<\/svg>/s.exec(part.content) ?? [];
  const edges = [...bar.matchAll(/x="([\d.]+)" y="0" width="([\d.]+)"/g)].map(([, x, width]) =>
    [Number(x), Number(width)] as const
  );
  assert.equal(edges.length, 5);
  assert.deepEqual(edges[0], [0, 1]);
  assert.ok(Math.abs((edges[4]?.[0] ?? 0) + (edges[4]?.[1] ?? 0) + 2 - 1000) < 0.05, `${edges}`);
  assert.match(part.content, /59.% of the prompt tokens come from the cache/);
});

Deno.test("the part about sessions compares the median session with the slowest", async () => {
  const few = await partOf(7, 12);
  assert.equal(few.title, "Sessions take 9.10 s to 12.5 s");
  assert.deepEqual(
    few.plots.map(({ id }) => id),
    ["lanes-median", "lanes-slowest", "session-tokens", "session-durations"],
  );
  assert.doesNotMatch(few.content, /Every/);
  const many = await partOf(12, 100);
  assert.equal(many.title, "Half of the sessions take more than 106 s, the slowest 123 s");
  assert.match(many.content, /Every 3rd call and all resets are shown\./);
  assert.deepEqual(labelsOf(many).slice(1), [
    "Calls of session (5) over 106 s, a lane for each agent",
    "Calls of session (11) over 123 s, a lane for each agent",
    "Prompt tokens of 34 calls of session (5)",
    "Critical paths of 12 sessions, the slowest first",
  ]);
});
