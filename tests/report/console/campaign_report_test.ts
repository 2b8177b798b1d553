import assert from "node:assert/strict";
import { searchLine } from "../../../src/report/console/campaign_report.ts";
import type { SearchGate } from "../../../src/report/sweep/search_gate.ts";
import type { SearchResults } from "../../../src/report/sweep/search_results.ts";

const MISSED = {
  name: "ttft.p99",
  found: "18.5 ms",
  condition: "< 3 ms",
} as SearchGate;

/** The line of a search without an answer. */
function lineOf(limitedBy: string | undefined, missed?: SearchGate): string {
  return searchLine({
    plan: { variable: "concurrency", min: 2, max: 1000 },
    answer: { answer: undefined, atLeast: false, limitedBy },
    steps: [],
    objectives: [],
    missed,
  } as unknown as SearchResults);
}

Deno.test("searchLine counts sessions where runs have sessions of several requests", () => {
  const sessions = { started: 9, completed: 9, failed: 0, cutOff: 0 };
  const line = (variable: string) =>
    searchLine({
      plan: { variable, min: 2, max: 1000 },
      answer: { answer: undefined, atLeast: false, limitedBy: "errors" },
      ...{ steps: [{ figures: { sessions } }], objectives: [], missed: undefined },
    } as unknown as SearchResults);
  assert.equal(line("concurrency"), "search    not even 2 sessions in progress: errors");
  assert.equal(line("request_rate"), "search    not even 2 sessions/s: errors");
});

Deno.test("searchLine says of a search without an answer what is known", () => {
  assert.equal(lineOf(undefined), "search    no result: no run completed");
  assert.equal(lineOf("errors"), "search    not even 2 in flight: errors");
  assert.equal(
    lineOf("ttft.p99", MISSED),
    "search    not even 2 in flight: ttft.p99 18.5 ms, wanted < 3 ms",
  );
  assert.match(
    lineOf("client", MISSED),
    /wanted < 3 ms, within the client error: limited by the client, not the server$/,
  );
});
