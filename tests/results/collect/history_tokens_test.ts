import assert from "node:assert/strict";
import { BODY_PARTS } from "../../../src/client/endpoint/protocol/body_pieces.ts";
import { PayloadTableBuilder } from "../../../src/load/dataset/payloads/payload_table_builder.ts";
import { HistoryTokens } from "../../../src/results/collect/history_tokens.ts";
import {
  FIELD,
  FIELD_COUNT,
  type RequestField,
} from "../../../src/client/record/request_fields.ts";
import { conversationPayloads } from "../../support/session_stage.ts";

function row(fields: Partial<Record<RequestField, number>>): Float64Array {
  const values = new Float64Array(FIELD_COUNT).fill(NaN);
  for (const [name, value] of Object.entries({ phase: 1, errorKind: -1, turns: 3, ...fields })) {
    values[FIELD[name as RequestField]] = value;
  }
  return values;
}

function histories(): HistoryTokens {
  return new HistoryTokens(conversationPayloads([3, 3], () => 0));
}

/** Takes in a turn; its whole input. */
function played(
  tokens: HistoryTokens,
  fields: Partial<Record<RequestField, number>>,
  own: number,
  reply: number,
): number {
  const request = row(fields);
  const input = tokens.inputTokensOf(request, own);
  tokens.add(request, own, { tokens: reply, isCall: false });
  return input;
}

Deno.test("HistoryTokens adds up what the turns of each session said and heard", () => {
  const tokens = histories();
  assert.equal(played(tokens, { session: 0, turn: 0, entry: 0 }, 10, 5), 10);
  assert.equal(played(tokens, { session: 7, turn: 0, entry: 3 }, 100, 50), 100);
  assert.equal(
    played(tokens, { session: 0, turn: 1, entry: 1 }, 20, NaN),
    35,
    "a reply of reasoning",
  );
  assert.equal(played(tokens, { session: 7, turn: 1, entry: 4 }, 200, 60), 350);
  assert.equal(played(tokens, { session: 0, turn: 2, entry: 2 }, 1, 1), 36);
  assert.equal(played(tokens, { session: 7, turn: 2, entry: 5 }, 1, 1), 411);
});

Deno.test("HistoryTokens does not know what carries something unknown", () => {
  const tokens = histories();
  assert.equal(played(tokens, { session: 0, turn: 0, entry: 0 }, -1, 5), -1);
  assert.equal(played(tokens, { session: 0, turn: 1, entry: 1 }, 20, 5), NaN);
  assert.equal(played(tokens, { session: 1, turn: 1, entry: 1 }, 20, 5), NaN, "lost with a thread");
});

Deno.test("HistoryTokens forgets sessions that are over, and those of the phase before", () => {
  const tokens = histories();
  played(tokens, { session: 0, turn: 0, entry: 0, phase: 0 }, 10, 5);
  assert.equal(played(tokens, { session: 0, turn: 0, entry: 0 }, 3, 4), 3);
  assert.equal(played(tokens, { session: 0, turn: 1, entry: 1 }, 3, 4), 10);
  played(tokens, { session: 1, turn: 0, entry: 0, errorKind: 3 }, 3, NaN);
  assert.equal(tokens.inputTokensOf(row({ session: 1, turn: 1, entry: 1 }), 3), NaN);
});

Deno.test("HistoryTokens has the tools of each request once, and the parts of all turns", () => {
  const builder = new PayloadTableBuilder();
  builder.beginConversation();
  const partsOf = (parts: Readonly<Record<string, number>>): number[] =>
    BODY_PARTS.map((part) => parts[part] ?? 0);
  // The second turn defines other tools than the first, which no longer holds.
  const turns = [
    { tokens: 107, parts: { "user": 7, "tools": 100 } },
    { tokens: 9, parts: { "tool_results": 8, "tools": 60 } },
    { tokens: 4, parts: { "user": 4, "tools": 60 } },
  ];
  turns.forEach(({ tokens, parts }, place) =>
    builder.addTurn([builder.addSegment(new Uint8Array(9))], {
      ...{ inputTokens: tokens, outputTokens: -1, images: 0, inputParts: partsOf(parts) },
    }, {
      ...{ delayNs: 0, timestampNs: NaN, messages: { start: 1, end: 8 } },
      followsHistory: place > 0,
    })
  );
  const tokens = new HistoryTokens(builder.finish(0));
  const seen = turns.map(({ tokens: own }, turn) => {
    const request = row({ session: 0, turn, entry: turn });
    const found = [tokens.inputTokensOf(request, own), [...tokens.partsOf(request) as number[]]];
    tokens.add(request, own, { tokens: turn === 0 ? 5 : 3, isCall: turn === 0 });
    return found;
  });
  assert.deepEqual(seen, [
    [107, partsOf({ "user": 7, "tools": 100 })],
    [7 + 5 + 9 + 60, partsOf({ "user": 7, "tool_calls": 5, "tool_results": 8, "tools": 60 })],
    [
      7 + 5 + 9 + 3 + 4 + 60,
      partsOf({ "user": 11, "tool_calls": 5, "tool_results": 8, "assistant": 3, "tools": 60 }),
    ],
  ]);
});
