import assert from "node:assert/strict";
import {
  FIELD,
  RECORD_FIELD,
  RECORD_FIELD_COUNT,
  type RequestField,
} from "../../../src/client/record/request_fields.ts";
import { SessionCalls } from "../../../src/results/collect/session_calls.ts";
import { conversationPayloads } from "../../support/session_stage.ts";

/** Gap and shared tokens of a turn. */
function played(
  calls: SessionCalls,
  fields: Partial<Record<RequestField, number>>,
  inputTokens: number,
  replyTokens: number,
): readonly [gapNs: number, sharedTokens: number] {
  const row = new Float64Array(RECORD_FIELD_COUNT).fill(NaN);
  for (const [name, value] of Object.entries({ phase: 1, errorKind: -1, turns: 3, ...fields })) {
    row[FIELD[name as RequestField]] = value;
  }
  row[RECORD_FIELD.inputTokens] = inputTokens;
  calls.fill(row, replyTokens);
  return [row[RECORD_FIELD.gapNs] as number, row[RECORD_FIELD.sharedTokens] as number];
}

const FIRST = { session: 0, turn: 0, entry: 0, intendedNs: 1, startNs: 10, endNs: 30 };
const SECOND = { session: 0, turn: 1, entry: 1, intendedNs: 50, startNs: 51, endNs: 90 };

Deno.test("SessionCalls has the gap after the end of the turn before, and the tokens of both", () => {
  const calls = new SessionCalls(conversationPayloads([3, 3], () => 0));
  assert.deepEqual(played(calls, FIRST, 100, 7), [NaN, 0]);
  assert.deepEqual(played(calls, { ...FIRST, session: 4, entry: 3, endNs: 45 }, 60, NaN), [NaN, 0]);
  assert.deepEqual(played(calls, SECOND, 120, 7), [20, 107]);
  assert.deepEqual(played(calls, { ...SECOND, session: 4, entry: 4 }, 50, 7), [5, 50]);
});

Deno.test("SessionCalls forgets sessions that have failed, and those of the phase before", () => {
  const calls = new SessionCalls(conversationPayloads([3, 3], () => 0));
  played(calls, { ...FIRST, phase: 0 }, 100, 7);
  assert.deepEqual(played(calls, SECOND, 120, 7), [NaN, NaN]);
  played(calls, { ...FIRST, session: 4, errorKind: 3 }, 100, 7);
  assert.deepEqual(played(calls, { ...SECOND, session: 4 }, 120, 7), [NaN, NaN]);
});
