import assert from "node:assert/strict";
import { agentperf } from "../../../../src/load/sessions/formats/agentperf.ts";
import { groupedFile, isGrouped } from "../../../../src/load/sessions/index/grouped_file.ts";
import { RowSource } from "../../../../src/load/sessions/index/row_source.ts";
import type { RowGrouping } from "../../../../src/load/sessions/model/row_grouping.ts";

const encoder = new TextEncoder();

/** Rows of conversations, each with the place of its conversation. */
function sourceOf(...rows: [conversation: string, place: number][]): RowSource {
  return new RowSource(
    "file",
    rows.map(([id, place], row) => ({
      line: row + 1,
      bytes: encoder.encode(
        JSON.stringify({ "conversation_id": id, "conversation_idx": place }),
      ),
    })),
  );
}

Deno.test("isGrouped requires rows of a session in succession, and sessions in their order", async () => {
  const grouping = (): RowGrouping => agentperf.grouping?.() as RowGrouping;
  const isSo = (...rows: [string, number][]) => isGrouped(sourceOf(...rows), grouping());
  assert.equal(await isSo(["a", 0], ["a", 0], ["b", 1], ["c", 1]), true);
  assert.equal(await isSo(["a", 0], ["b", 1], ["a", 0]), false);
  assert.equal(await isSo(["a", 2], ["b", 1], ["c", 3]), false);
});

Deno.test("groupedFile names the row that belongs to an earlier session", async () => {
  const source = sourceOf(["a", 0], ["b", 1], ["a", 0]);
  const format = {
    ...agentperf,
    read: () => ({ async *sessions() {}, blockSize: () => 16 }),
  };
  const file = groupedFile(source, agentperf.grouping?.() as RowGrouping, format, {
    blockSize: 16,
    outputTokens: undefined,
  });
  await assert.rejects(
    Array.fromAsync(file.sessions()),
    /^DatasetError: file:3: Row belongs to an earlier session/,
  );
});
