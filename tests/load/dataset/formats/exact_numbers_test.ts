import assert from "node:assert/strict";
import { withExactNumbers } from "../../../../src/load/dataset/formats/exact_numbers.ts";
import { readText, tableOf } from "../../../support/input_files.ts";

const SEED = "18446744073709551615";

Deno.test("withExactNumbers keeps the digits of what is sent, and leaves other fields", () => {
  const text =
    `{"timestamp":17000000000000000001,"extra":{"seed":${SEED},"top_p":1e999,"n":[7,0.5]},` +
    `"turns":[{"delay":1e300,"extra":{"seed":-${SEED}}}, 5]}`;
  const record = withExactNumbers(JSON.parse(text), text);
  assert.equal(record.timestamp, 17000000000000000000);
  assert.equal(record.turns[0].delay, 1e300);
  assert.equal(JSON.stringify(record.extra), `{"seed":${SEED},"top_p":1e999,"n":[7,0.5]}`);
  assert.equal(JSON.stringify(record.turns[0].extra), `{"seed":-${SEED}}`);
  const plain = { extra: { seed: 7 } };
  assert.equal(withExactNumbers(plain, JSON.stringify(plain)), plain);
  assert.deepEqual(withExactNumbers([1], "[1, 1234567890123456789]"), [1]);
});

const MESSAGES = '"messages":[{"role":"user","content":"x"}]';
const BODY = `{"model":"m",${MESSAGES},"stream":true,"seed":${SEED}}`;

for (
  const [format, text] of [
    ["openai-batch", `{"custom_id":"a","url":"/v1/chat/completions","body":${BODY}}`],
    ["inputs-json", `{"data":[{"payloads":[${BODY}]}]}`],
    ["mooncake-trace", `{"timestamp":0,"payload":${BODY}}`],
    ["mooncake-trace", `{"timestamp":0,"text_input":"x","extra":{"seed":${SEED}}}`],
    ["single-turn", `{"text":"x","extra":{"seed":${SEED}}}`],
    ["multi-turn", `{"turns":[{"text":"x","extra":{"seed":${SEED}}}]}`],
  ] as const
) {
  Deno.test(`a seed of 64 bits is sent as it is when it comes from ${text.slice(0, 20)}`, async () => {
    const { conversations } = await readText(text, { format });
    const { payloads } = await tableOf(conversations);
    assert.match(
      new TextDecoder().decode(payloads.wholeBodyOf(0)),
      new RegExp(`"seed":${SEED}[,}]`),
    );
  });
}
