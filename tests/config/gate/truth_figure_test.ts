import assert from "node:assert/strict";
import { judgeSlos } from "../../../src/config/gate/judge_slos.ts";
import { parseFigureName, parseSlos } from "../../../src/config/gate/slo.ts";
import { truthFigures } from "../../../src/config/gate/truth_figure.ts";
import { UsageError } from "../../../src/config/options/usage_error.ts";

const TRUTH = truthFigures({
  "cache": { "hit_rate": 0.42, "achieved_of_ideal": null, "ideal_hit_rate": "0.5" },
  "speculation": { "acceptance_length": 2.5 },
  "reasons": { "cache.achieved_of_ideal": "the hit rate is not known" },
});
const RUN = { client: new Map(), server: undefined, bounds: new Map(), truth: TRUTH };

Deno.test("objectives name values that servers report about themselves", () => {
  const slos = parseSlos([
    ...["cache.hit_rate>=42%", "cache.hit-rate>0.5", "Cache.hit_rate<0.43"],
    "speculation.acceptance_length>2",
  ]);
  const gates = judgeSlos(slos, RUN);
  assert.deepEqual(gates.map(({ met }) => met), [true, false, true, true]);
  assert.deepEqual(gates.map(({ found }) => found), ["42 %", "0.42", "0.42", "2.5 tokens"]);
  assert.equal(gates[0]?.name, "cache.hit_rate");
  assert.equal(gates[0]?.figures["source"], "truth");
});

Deno.test("an objective without a value is missed, with the reason", () => {
  const [unknown, wrongType, old] = [
    ...judgeSlos(parseSlos(["cache.achieved_of_ideal>0.9", "cache.ideal_hit_rate>0"]), RUN),
    ...judgeSlos(parseSlos(["cache.hit_rate>0"]), { ...RUN, truth: undefined }),
  ];
  assert.deepEqual([unknown?.met, unknown?.remark], [false, "the hit rate is not known"]);
  assert.deepEqual([wrongType?.met, wrongType?.found], [false, "no value"]);
  assert.equal(old?.remark, "the run has no cache.hit_rate");
});

Deno.test("objectives refuse values that servers do not report, and units of others", () => {
  const fails = (text: string, message: RegExp): void => {
    assert.throws(
      () => parseSlos([text]),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  };
  fails("cache.hitrate>0.5", /did you mean "cache.hit_rate"/);
  fails("cache.hit_rate>5ms", /is in/);
  fails("cache.hit_rate.p99>0.5", /Unknown metric/);
  assert.equal(parseFigureName("cache.hit_rate", "--metric").metric, "cache.hit_rate");
});
