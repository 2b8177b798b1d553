import assert from "node:assert/strict";
import { ReplyCheck } from "../../../src/report/model/reply_check.ts";
import { recordWith } from "../../support/records.ts";

/** The notes of a run with such records. */
function notesOf(records: readonly Parameters<typeof recordWith>[0][], streaming = true): string[] {
  const check = new ReplyCheck(streaming);
  for (const record of records) check.add(recordWith(record));
  return check.notes();
}

Deno.test("ReplyCheck tells of replies in one piece where streams were asked for", () => {
  const [note, ...others] = notesOf([{ isWhole: 1 }, { isWhole: 0 }, {}, {
    isWhole: 1,
    error: "no_content",
  }]);
  assert.match(note ?? "", /^1 of 3 replies were not streamed although a stream was asked for/);
  assert.deepEqual(others, []);
  assert.deepEqual(notesOf([{ isWhole: 1 }], false), []);
  assert.deepEqual(notesOf([{ isWhole: 0 }, {}]), []);
});

Deno.test("ReplyCheck counts the replies whose usage has numbers that are no counts", () => {
  const [note, ...others] = notesOf([
    { refusedCounts: 3 },
    { refusedCounts: 0 },
    { refusedCounts: 1, error: "cut_off" },
    { refusedCounts: NaN },
  ], false);
  assert.match(note ?? "", /^The usage in 2 replies has numbers that cannot be token counts/);
  assert.deepEqual(others, []);
});
