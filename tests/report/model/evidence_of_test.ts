import assert from "node:assert/strict";
import { evidenceOf } from "../../../src/report/model/evidence_of.ts";
import { NO_REQUESTS, reportWith } from "../../support/reports.ts";

Deno.test("arrivals that waited for a slot of the load are no evidence against the client", () => {
  const requests = { ...NO_REQUESTS, sent: 100, succeeded: 100, unsentArrivals: 60 };
  const unsentWith = (phase: Readonly<Record<string, unknown>>) =>
    evidenceOf(
      { ...reportWith({ requests }), inputConfig: { phases: [{ kind: "profiling", ...phase }] } },
      undefined,
    ).unsent;
  assert.equal(unsentWith({ type: "poisson", rate: 500 }), 60);
  assert.equal(unsentWith({ type: "poisson", rate: 500, concurrency: 2 }), undefined);
  assert.equal(unsentWith({ type: "poisson", rate: 500, prefill_concurrency: 2 }), undefined);
});
