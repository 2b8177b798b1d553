import assert from "node:assert/strict";
import type { GateResult } from "../../../../src/config/gate/judge_slos.ts";
import { gateTexts } from "../../../../src/report/export/verdicts/gate_texts.ts";

const GATE: GateResult = {
  ...{ kind: "slo", name: "ttft.p99", condition: "< 500 ms", found: "480 ms" },
  ...{ met: true, doubtful: false, conclusive: true, remark: undefined },
  figures: {
    ...{ "source": "client", "metric": "time_to_first_token", "statistic": "p99" },
    ...{ "operator": "<", "threshold": 500, "unit": "ms", "value": 480 },
  },
};

function textsOf(gates: readonly GateResult[], damage: readonly string[] = []) {
  const texts = gateTexts(gates, "run", { tags: [], endReason: undefined, damage });
  return new Map(texts.map(([name, text]) => [name, text()]));
}

Deno.test("junit.xml says of each gate whether it is conclusive, and how many requests would make it", () => {
  const certain = textsOf([GATE]).get("junit.xml") ?? "";
  assert.match(certain, /<property name="conclusive" value="true"\/>/);
  assert.doesNotMatch(certain, /requests_needed/);
  const gates = [{ ...GATE, conclusive: false, requestsNeeded: 1200 }];
  const doubtful = textsOf(gates).get("junit.xml") ?? "";
  assert.match(doubtful, /<property name="conclusive" value="false"\/>/);
  assert.match(doubtful, /<property name="requests_needed" value="1200"\/>/);
  assert.match(doubtful, /failures="0"/);
});

Deno.test("every gate file of a run that cannot be read says that it is not met", () => {
  const texts = textsOf([], ["run/records.bin: Its first line is damaged"]);
  assert.equal(JSON.parse(texts.get("gate.json") ?? "").met, false);
  assert.match(texts.get("gate.md") ?? "", /inconclusive, the run is damaged/);
  assert.match(texts.get("junit.xml") ?? "", /tests="1" failures="1"/);
  assert.match(texts.get("junit.xml") ?? "", /first line is damaged/);
});
