import assert from "node:assert/strict";
import { type LoadChange, loadChangeNotes } from "../../../src/report/model/load_change.ts";

Deno.test("loadChangeNotes tell what was changed by hand, and when", () => {
  const at = (seconds: number, fields: Omit<LoadChange, "atNs" | "phase">): LoadChange => ({
    atNs: 5e9 + seconds * 1e9,
    phase: "profiling",
    ...fields,
  });
  assert.deepEqual(loadChangeNotes([], 0), []);
  assert.deepEqual(
    loadChangeNotes([
      { ...at(-2, { action: "pause" }), phase: "warmup" },
      at(1.25, { action: "resume" }),
      at(2, { action: "mark", value: 1 }),
      at(3, { action: "concurrency", value: 18 }),
      at(4, { action: "rate", value: 22.5 }),
      at(5, { action: "tempo", value: 1.1 }),
    ], 5e9),
    [
      "The load was changed manually and deviates from the plan: paused at -2.0 s (warm-up), " +
      "resumed at 1.3 s, 18 users from 3.0 s on, 22.5 requests/s from 4.0 s on, " +
      "1.1 times as fast as planned from 5.0 s on",
      "Manual markers: 1 at 2.0 s",
    ],
  );
  assert.match(
    loadChangeNotes([at(1, { action: "concurrency", value: 1 })], 5e9)[0] as string,
    /: 1 user from 1\.0 s on$/,
  );
  const many = Array.from({ length: 15 }, (_, n) => at(n, { action: "mark", value: n }));
  assert.match(
    loadChangeNotes(many, 5e9)[0] as string,
    /11 at 11\.0 s, and 3 more in run\/run\.json$/,
  );
});
