import assert from "node:assert/strict";
import { timeLines } from "../../../src/report/console/time_lines.ts";

Deno.test("timeLines draws an empty bar for a part whose stamps contradict each other", () => {
  const parts = [
    { name: "TTFT", ms: 104, share: 1.04, source: "client" },
    { name: "decode", ms: -4, share: -0.04, source: "client" },
  ] as const;
  const lines = timeLines(parts, 100, 120);
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? "", /#{40}/);
  assert.doesNotMatch(lines[1] ?? "", /#/);
});
