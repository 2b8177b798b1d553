import assert from "node:assert/strict";
import type { LiveModel } from "../../../src/report/live/live_model.ts";
import { soFarText } from "../../../src/report/live/so_far.ts";
import { liveModel } from "../../support/live_models.ts";

/** A run whose last seconds have these levels. */
function modelOf(
  running: number,
  waiting: number,
  fields: Partial<LiveModel> = {},
): LiveModel {
  const { history, results } = liveModel();
  const flat = (value: number) => Array.from({ length: 20 }, () => value);
  return liveModel({
    elapsedSeconds: 30,
    succeeded: 400,
    history: {
      ...history,
      ...{ running: flat(running), waiting: flat(waiting), kvUsage: flat(0.08) },
      ...{ inFlight: flat(16), requestsPerSecond: flat(20) },
    },
    results: { ...results, servers: [] },
    ...fields,
  });
}

Deno.test("soFarText names the limit by the rules of the report", () => {
  assert.equal(soFarText(modelOf(8, 24)), "SATURATED so far: 8 requests run, 24 wait");
  assert.equal(soFarText(modelOf(16, 0)), "NOT SATURATED so far: 16 in flight, none queued");
  const [error] = liveModel().results.errors;
  const { results } = modelOf(8, 0);
  const failing = modelOf(8, 0, {
    failed: 600,
    results: { ...results, errors: error === undefined ? [] : [error] },
  });
  assert.equal(soFarText(failing), "REJECTING so far: 60 % of requests were turned away");
});

Deno.test("soFarText looks at the last 15 s only", () => {
  const model = modelOf(8, 24);
  const drained = [...Array.from({ length: 60 }, () => 24), ...Array.from({ length: 15 }, () => 0)];
  const text = soFarText({ ...model, history: { ...model.history, waiting: drained } });
  assert.match(text, /^NOT SATURATED so far/);
});

Deno.test("soFarText is empty while nothing is known", () => {
  assert.equal(soFarText(modelOf(8, 24, { succeeded: 0, failed: 0 })), "");
  assert.equal(soFarText(modelOf(8, 24, { succeeded: 3, failed: 0, elapsedSeconds: 1 })), "");
});
