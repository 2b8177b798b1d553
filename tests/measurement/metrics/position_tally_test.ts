import assert from "node:assert/strict";
import { PositionTally } from "../../../src/measurement/metrics/position_tally.ts";
import { recordWith } from "../../support/records.ts";

function tallied(records: readonly Parameters<typeof recordWith>[0][]): PositionTally {
  const tally = new PositionTally();
  for (const record of records) tally.add(recordWith(record));
  return tally;
}

const FIRST = { acceptedTokens: 3, acceptedAt0: 2, acceptedAt1: 1 };
const SECOND = { acceptedTokens: 3, acceptedAt0: 1, acceptedAt1: 1, acceptedAt2: 1 };

Deno.test("PositionTally adds up the positions of valid requests", () => {
  const failed = { ...SECOND, error: "timeout" as const };
  assert.deepEqual(tallied([FIRST, SECOND, failed, {}]).acceptedAt, [3, 2, 1]);
});

Deno.test("PositionTally has no positions unless all replies with drafts report them", () => {
  assert.equal(tallied([FIRST, { acceptedTokens: 1 }]).acceptedAt, undefined);
  assert.equal(tallied([{}]).acceptedAt, undefined);
});
