import assert from "node:assert/strict";
import type { RequestRecord } from "../../../src/measurement/metrics/request_record.ts";
import { PartDifference } from "../../../src/report/model/part_difference.ts";
import { recordWith } from "../../support/records.ts";

const NONE = {
  ...{ systemTokens: 0, userTokens: 0, assistantTokens: 0, inputReasoningTokens: 0 },
  ...{ toolCallTokens: 0, toolResultTokens: 0, toolTokens: 0 },
};

/** What is said of requests with these parts, whose prompts the server counts otherwise. */
function textOf(
  parts: readonly Partial<Record<keyof typeof NONE, number>>[],
  server: (record: RequestRecord) => number,
): string | undefined {
  const difference = new PartDifference();
  for (const given of parts) {
    const fields = { ...NONE, ...given };
    const inputTokens = Object.values(fields).reduce((a, b) => a + b, 0);
    const record = recordWith({ ...fields, inputTokens });
    difference.add(recordWith({ ...fields, inputTokens, promptTokens: server(record) }));
  }
  return difference.text;
}

const PARTS = [
  { userTokens: 10, toolTokens: 900, toolResultTokens: 5 },
  { userTokens: 500, toolTokens: 900, toolResultTokens: 800 },
  { userTokens: 90, toolTokens: 300, toolResultTokens: 20 },
];

Deno.test("PartDifference names what a server does not count", () => {
  const without = (field: "toolTokens" | "toolResultTokens") => (record: RequestRecord) =>
    record.inputTokens - record[field];
  assert.equal(textOf(PARTS, without("toolTokens")), "it does not count tool definitions");
  assert.equal(textOf(PARTS, without("toolResultTokens")), "it does not count tool results");
});

Deno.test("PartDifference names the part that a server counts otherwise, and by how much", () => {
  const more = (record: RequestRecord) => record.inputTokens + 0.3 * record.toolTokens;
  assert.equal(textOf(PARTS, more), "it counts 30 % more tokens of tool definitions");
});

Deno.test("PartDifference ignores differences that are few tokens and a small share of the prompt", () => {
  const without = (record: RequestRecord) => record.inputTokens - record.toolResultTokens;
  const named = "it does not count tool results";
  const textFor = (userTokens: number, toolResultTokens: number) =>
    textOf(
      [{ userTokens, toolResultTokens }, { userTokens: 2 * userTokens, toolResultTokens }],
      without,
    );
  assert.equal(textFor(1000, 20), undefined);
  assert.equal(textFor(1000, 40), named, "more than a few tokens");
  assert.equal(textFor(40, 20), named, "a large share");
});

Deno.test("PartDifference names no part where another tokenizer explains the same, or nothing does", () => {
  assert.equal(textOf(PARTS, (record) => record.inputTokens * 0.7), undefined);
  assert.equal(textOf(PARTS, (record) => record.inputTokens), undefined);
  assert.equal(textOf(PARTS, () => NaN), undefined);
  let n = 0;
  assert.equal(
    textOf(PARTS, (record) => record.inputTokens + ([500, -90, 800][n++] ?? 0)),
    undefined,
  );
  const plain = recordWith({ inputTokens: 5, promptTokens: 50, toolTokens: NaN });
  const difference = new PartDifference();
  difference.add(plain);
  assert.equal(difference.text, undefined);
});
