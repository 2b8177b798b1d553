import assert from "node:assert/strict";
import { servedRateGate } from "../../../src/report/sweep/served_rate.ts";

const load = (served: number, slope: number, lower: number) => ({
  ...{ "offered_rate": 100, "served_rate": served },
  ...{ "backlog_slope": slope, "backlog_slope_lower": lower },
});

Deno.test("servedRateGate is missed where a backlog grows, or requests fail", () => {
  const outcomes = [
    servedRateGate(load(80, 20, 18), 0),
    servedRateGate(load(97, 0.5, -1), 0),
    // A queue that fills once, and one whose slope is not known well.
    servedRateGate(load(90, 0.1, -0.5), 0),
    servedRateGate(load(90, 5, -5), 0),
    servedRateGate(load(80, 0, -1), 0.2),
  ].map((gate) => [gate?.met, gate?.conclusive]);
  assert.deepEqual(outcomes, [
    ...[[false, true], [true, true], [true, true], [true, false], [false, true]],
  ]);
  const gate = servedRateGate(load(80, 20, 18), 0);
  assert.deepEqual([gate?.found, gate?.condition], ["80 requests/s", ">= 95 requests/s"]);
});

Deno.test("servedRateGate knows nothing of runs without rates", () => {
  assert.equal(servedRateGate(undefined, 0), undefined);
  assert.equal(servedRateGate({ "offered_rate": null, "served_rate": 3 }, 0), undefined);
});
