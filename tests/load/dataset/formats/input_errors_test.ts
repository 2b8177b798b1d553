import assert from "node:assert/strict";
import { completions } from "../../../../src/client/endpoint/openai/completions.ts";
import type { InputContext } from "../../../../src/load/dataset/load_dataset.ts";
import type { FileDatasetPlan } from "../../../../src/config/plan/run_plan.ts";
import { lines, readText, UNCHANGED } from "../../../support/input_files.ts";

const SCHEDULE = { schedule: { zeroMs: undefined, startMs: 0, endMs: Infinity } };

/** Text of a file, and the place and words of its error. */
const CASES: readonly (readonly [
  text: string | Uint8Array,
  message: RegExp,
  dataset?: Partial<FileDatasetPlan>,
  context?: Partial<InputContext>,
])[] = [
  ['{"text": "a"}\n{oops}', /:2:2: Not valid JSON: /],
  ['{"text": "a"}\n\n{"text": "a",}', /:3:14: Not valid JSON: /],
  ['{"text": 5}', /:1:10: text: /],
  ['{"text": "a"}\n{}', /:2:1: Row has none of text/],
  ['{"text": "a"}\n{"prompt": "b"}', /:2:1: Row has none of .*; rename "prompt" to "text"/],
  ['{"question": "a"}\n{"answer": "b"}', /:2:1: Row has no prompt: prompt, .*question/],
  ['{"text": "a", "output_length": 0}', /:1:32: output_length: /],
  ['{"image": "photo"}', /:1:11: image: Image is not a URL/],
  ['{"image": "missing.png"}', /:1:11: image: Image cannot be read/],
  [
    '{"text": "a", "audio": "b"}',
    /:1:24: audio: Audio is not a URL, and its name has no known ending/,
  ],
  ['{"text": "a", "extra": {"stream": false}}', /:1:24: extra: stream must be true/, {}, {
    streaming: true,
  }],
  ['{"image": "https://x/y.png"}', /takes no images/, {}, { type: completions }],
  ['{"text": "a"}', /:1:1: Has no timestamp, which --fixed-schedule needs/, SCHEDULE],
  [
    '{"messages": [], "model": "m"}',
    /: Rows of raw-payload have no times, which --fixed-schedule ne/,
    SCHEDULE,
  ],
  ['{"text": "a", "timestamp": 5}', /: Rows of random-pool have no times, which --fixed-sch/, {
    ...SCHEDULE,
    format: "random-pool",
  }],
  ['{"data": [\n {"payloads": []}]}', /:2:15: payloads: /],
  ['{"data": [{"payloads": [{}]}', /:1:29: File ends before its array does/],
  ['{"data": 5}', /:1:12: Has no array "data"/, { format: "inputs-json" }],
  [
    '[{"conversations": [{"from": "human", "value": 3}]}]',
    /:1:21: conversations\.0: Must have from/,
  ],
  ['{"texts": ["a", {"contents": 5}]}', /:1:17: texts\.1: Must be a text, or an object with cont/],
  ['{"text_input": "a", "session_id": {}}', /:1:35: session_id: Must be a text or a number$/],
  ['{"turns": [{"text": "a"}, {"text": 1}]}', /:1:36: turns\.1\.text: /],
  ['{"custom_id": "a", "url": "/v1/embeddings", "body": {}}', /:1:27: url: The endpoint of --en/],
  ['{"input_length": 5, "text_input": "a"}', /:1:35: text_input: Has input_length and text_input/],
  ['{"input_length": -5}', /:1:18: input_length: /],
  ['{"input_length": 5}\n{"input_length": 99999999999}', /:2:1: Has a prompt of 99999999999 tok/],
  [`{"text": "a", "extra": ${"[".repeat(9000)}${"]".repeat(9000)}}`, /:1:.*extra: /],
  [`{"text": "a", "extra": ${"[".repeat(9000)}`, /:1:1: Not valid JSON/, { format: "single-turn" }],
  ['{"input_length": 600, "hash_ids": [1, 2, 3]}', /:1:35: hash_ids: 3 blocks of 512 tokens are/],
  ['{"input_length": 600, "hash_ids": [1, -2]}', /:1:39: hash_ids\.1: /],
  ["Timestamp,Request tokens,Response tokens\n1,2,x\n", /:2:5: response tokens: .*got "x"/],
  ["Timestamp,Request tokens,Response tokens\n1,,3\n", /:2:3: request tokens: .*got ""/],
  [
    'Timestamp,Request tokens,Response tokens\n1,2,3\n2,"3,4\n',
    /:3:1: Not valid CSV: Quote Not Closed: the parsing is finished with an opening quote$/,
  ],
  ["Timestamp,Request tokens,Response tokens\n", /: File has no rows, or none that can/, SCHEDULE],
  ['{"input_length": 5}', /: File has no rows, or none that can be sent$/, {
    synthesis: { ...UNCHANGED, maxInputTokens: 4 },
  }],
  [Uint8Array.of(123, 125, 10, 34, 255, 34, 10), /:2:2: Not valid UTF-8$/, {
    format: "single-turn",
  }],
  ['{"timestamp": 5, "input_length": 5}', /: No row is within the schedule$/, {
    schedule: { zeroMs: 6, startMs: 6, endMs: 9 },
  }],
  ['"a"', /:1:1: Must be a JSON object/, { format: "raw-payload" }],
];

for (const [text, message, dataset, context] of CASES) {
  Deno.test(`an input file has an error at ${message.source.slice(0, 30)}`, async () => {
    await assert.rejects(
      () => readText(text, dataset, context),
      (error: Error) => {
        assert.equal(error.name, "DatasetError");
        assert.match(error.message, message);
        return true;
      },
    );
  });
}

Deno.test("an input file's errors are found behind any number of rows", async () => {
  const text = lines({ "text": "x".repeat(200) }).repeat(5000);
  await assert.rejects(() => readText(`${text}{"text": 1}\n`), { message: /:5001:10: text: / });
});
