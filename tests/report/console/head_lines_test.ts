import assert from "node:assert/strict";
import { loadInWords } from "../../../src/report/console/head_lines.ts";
import { madeSessions } from "../../support/made_sessions.ts";
import { finishedRun, viewOf } from "../../support/run_views.ts";

Deno.test("loadInWords counts sessions of several requests, except at the rate of users", async () => {
  const { report } = viewOf(await finishedRun(madeSessions(3, 2)));
  const words = (phase: Readonly<Record<string, unknown>>, ownConfig = {}): string =>
    loadInWords({
      ...report,
      inputConfig: { "phases": [{ "kind": "profiling", ...phase }] },
      ownConfig,
    });
  assert.equal(words({ "concurrency": 1 }), "closed loop, 1 session in progress");
  assert.equal(
    words({ "type": "poisson", "rate": 2, "concurrency": 8, "sessions": 4 }),
    "open loop, 2.00 sessions/s (poisson), at most 8 sessions in progress, 4 sessions",
  );
  assert.equal(
    words({ "type": "constant", "rate": 2 }, { "load_shape": { "profiling": { "users": 4 } } }),
    "open loop, 2.00 requests/s (constant)",
  );
});
