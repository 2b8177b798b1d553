import assert from "node:assert/strict";
import { PROFILE_OPTIONS } from "../../../../src/config/options/profile/profile_options.ts";
import { detectFormat } from "../../../../src/load/dataset/formats/detect_format.ts";
import { INPUT_FORMATS } from "../../../../src/load/dataset/formats/input_formats.ts";
import { AGENT_FORMATS } from "../../../../src/load/sessions/formats/session_formats.ts";
import { InputSource } from "../../../../src/load/dataset/formats/input_source.ts";
import {
  FIXTURES,
  lines,
  readFile,
  readText,
  tableOf,
  textsOf,
} from "../../../support/input_files.ts";

/** Files of the fixtures, their formats, and the turns of each conversation. */
const FILES: readonly (readonly [name: string, format: string, turns: readonly number[]])[] = [
  ["single_turn.jsonl", "single-turn", [1, 1]],
  ["multi_turn.jsonl", "multi-turn", [2, 2]],
  ["mooncake_trace.jsonl", "mooncake-trace", [1, 1, 1]],
  ["bailian_trace.jsonl", "bailian-trace", [2, 1]],
  ["burst_gpt_trace.csv", "burst-gpt-trace", [1, 1]],
  ["sharegpt.json", "sharegpt", [2, 1]],
  ["custom.jsonl", "custom", [1, 1]],
  ["messages.jsonl", "messages", [2, 1]],
  ["prompts.csv", "csv", [1, 1]],
  ["prompts.txt", "text-lines", [1, 1]],
  ["paragraphs.txt", "text-paragraphs", [1, 1]],
  ["openai_batch.jsonl", "openai-batch", [1, 1]],
  ["raw_payload.jsonl", "raw-payload", [1, 1]],
  ["inputs.json", "inputs-json", [2]],
  ["pool", "random-pool", new Array(20).fill(1)],
  ["payloads", "raw-payload", [2, 1]],
];

Deno.test("every format has an example, and is a choice of the command line", () => {
  assert.deepEqual(new Set(FILES.map(([, format]) => format)), new Set(INPUT_FORMATS.keys()));
  assert.deepEqual(
    [...PROFILE_OPTIONS.customDatasetType.choices].sort(),
    [...INPUT_FORMATS.keys(), ...AGENT_FORMATS.keys()].sort(),
  );
});

for (const [name, format, turns] of FILES) {
  Deno.test(`${name} is told and read as ${format}`, async () => {
    const source = await InputSource.open(`${FIXTURES}${name}`);
    const detected = await detectFormat(source, undefined);
    assert.equal(detected.format.name, format);
    const { conversations, notes } = await readFile(`${FIXTURES}${name}`);
    assert.deepEqual(conversations.map((one) => one.turns.length), turns);
    assert.equal(notes.length, 1);
    assert.match(notes[0] as string, new RegExp(`: detected format ${format} \\(.*\\): it`));
    const named = await readFile(`${FIXTURES}${name}`, { format });
    assert.deepEqual(named.conversations, conversations);
    assert.deepEqual(named.notes, [], "the user knows");
  });
}

Deno.test("mooncakeTrace makes prompts of the stated lengths, equal where hash_ids are", async () => {
  const { conversations } = await readFile(`${FIXTURES}mooncake_trace.jsonl`);
  const { payloads, bodies } = await tableOf(conversations);
  assert.deepEqual([...payloads.data.inputTokens], [1200, 1100, 700]);
  assert.deepEqual([...payloads.data.outputTokens], [24, 16, 8]);
  const [one, two, three] = bodies.map(({ messages }) => messages[0].content as string);
  assert.equal(commonWords(one, two), 1024);
  assert.equal(commonWords(one, three), 512);
});

function commonWords(one = "", other = ""): number {
  const [a, b] = [one.split(" "), other.split(" ")];
  const end = a.findIndex((word, i) => word !== b[i]);
  return end < 0 ? a.length : end;
}

Deno.test("mooncakeTrace takes texts, messages with tools, and bodies as they are", async () => {
  const { conversations } = await readText(lines(
    { "text_input": "Hello", "output_length": 3, "session_id": "s", "timestamp": 5 },
    { "text_input": "Again", "session_id": "s", "delay": 20 },
    { "messages": [{ "role": "user", "content": "a" }], "tools": [{}], "session_id": 7 },
    { "payload": { "prompt": "p" }, "timestamp": 9 },
  ));
  assert.deepEqual(textsOf(conversations), [["Hello", "Again"], ["messages"], ["body"]]);
  const [first, second, third] = conversations;
  assert.deepEqual(first?.turns.map(({ delayMs, followsHistory }) => [delayMs, followsHistory]), [
    [0, true],
    [20, true],
  ]);
  const [{ request } = { request: undefined }] = second?.turns ?? [];
  assert.equal(second?.id, "7");
  assert.deepEqual(request?.kind === "messages" && request.extra, { "tools": [{}] });
  assert.deepEqual(third?.turns[0]?.request, { kind: "body", body: { "prompt": "p" } });
});

Deno.test("bailianTrace chains requests by their parents, in the order of their times", async () => {
  const row = (chat: number, parent: number, timestamp: number) => ({
    "chat_id": chat,
    "parent_chat_id": parent,
    timestamp,
    "input_length": 20,
    "output_length": 2,
  });
  const { conversations } = await readText(
    lines(row(1, -1, 1), row(2, 1, 9), row(5, -1, 3), row(3, 1, 4), row(4, 2, 12)),
    { schedule: { zeroMs: undefined, startMs: -Infinity, endMs: Infinity } },
  );
  assert.deepEqual(
    conversations.map(({ id, turns }) => [id, turns.map(({ timestampMs }) => timestampMs)]),
    [["1", [1000, 4000, 9000, 12_000]], ["5", [3000]]],
  );
});

Deno.test("bailianTrace chains requests that stand before those they follow, and in circles", async () => {
  const row = (chat: number, parent: number, timestamp: number) => ({
    ...{ "chat_id": chat, "parent_chat_id": parent, timestamp },
    ...{ "input_length": 20, "output_length": 2 },
  });
  const { conversations } = await readText(
    lines(
      ...[row(4, 3, 7), row(3, 2, 6), row(2, 1, 5), row(1, -1, 4)],
      ...[row(6, 7, 3), row(7, 6, 2), row(8, 8, 1), row(11, 99, 9), row(10, 99, 8)],
    ),
    { schedule: { zeroMs: undefined, startMs: -Infinity, endMs: Infinity } },
  );
  assert.deepEqual(
    conversations.map(({ turns }) => turns.map(({ timestampMs }) => timestampMs)),
    [[4000, 5000, 6000, 7000], [2000, 3000], [1000], [8000, 9000]],
  );
});

Deno.test("burstGptTrace reads quoted fields of several lines", async () => {
  const { conversations } = await readText(
    'Timestamp,Note,Request tokens,Response tokens\r\n1,"a, ""b""\r\n\r\nc",3,7\r\n2,"d",5,4\r\n' +
      '3,"e\n""\n",6,1',
  );
  const { payloads } = await tableOf(conversations);
  assert.deepEqual([...payloads.data.inputTokens], [3, 5, 6]);
  assert.deepEqual([...payloads.data.outputTokens], [7, 4, 1]);
  const unending = `Timestamp,Request tokens,Response tokens\n1,2,"3\n${"1,2,3\n".repeat(20_000)}`;
  await assert.rejects(readText(unending), /:2:1: Not valid CSV: Quote Not Closed/);
});

Deno.test("burstGptTrace finds its columns by their names, quoted or not, and leaves out failures", async () => {
  const { conversations, warnings } = await readText(
    '"Response tokens",Model,TIMESTAMP,Request tokens\r\n7,"a, ""b""",1.5,3\r\n0,x,2,9\r\n4,x,3,5\r\n',
    { schedule: { zeroMs: undefined, startMs: 0, endMs: Infinity } },
  );
  const { payloads } = await tableOf(conversations);
  assert.deepEqual([...payloads.data.inputTokens], [3, 5]);
  assert.deepEqual([...payloads.data.outputTokens], [7, 4]);
  assert.deepEqual(conversations.map(({ turns }) => turns[0]?.timestampMs), [1500, 3000]);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] as string, /failures\), left out: 1$/);
});

Deno.test("traces of seconds have the rows at the very bounds of a schedule", async () => {
  // 1000 times these numbers lies beyond the bounds, by a rounding error.
  const rows = [1.001, 2.007].map((timestamp, i) => ({
    ...{ "chat_id": i, timestamp, "input_length": 20, "output_length": 2 },
  }));
  const csv = rows.map(({ timestamp }) => `${timestamp},3,2\n`).join("");
  for (const text of [lines(...rows), `Timestamp,Request tokens,Response tokens\n${csv}`]) {
    const { conversations } = await readText(text, {
      schedule: { zeroMs: 1001, startMs: 1001, endMs: 2007 },
    });
    assert.deepEqual(conversations.map(({ turns }) => turns[0]?.timestampMs), [1001, 2007]);
  }
});

Deno.test("shareGpt sends what people said and asks for as much as was answered", async () => {
  const { conversations } = await readFile(`${FIXTURES}sharegpt.json`);
  assert.deepEqual(textsOf(conversations), [
    ["What is a monad?", "And a functor?"],
    ["Tell me a joke."],
  ]);
  const lengths = conversations.flatMap(({ turns }) =>
    turns.map(({ request }) => request.kind === "content" && request.content.outputTokens)
  );
  assert.deepEqual(lengths, [10, 7, 8]);
  assert.ok(conversations.every(({ turns }) => turns.every((turn) => turn.followsHistory)));
});

Deno.test("multiTurn puts a system prompt before the first turn", async () => {
  const { conversations } = await readFile(`${FIXTURES}multi_turn.jsonl`);
  const [first, second] = conversations[0]?.turns ?? [];
  assert.equal(first?.request.kind === "content" && first.request.system, "Be brief.");
  assert.equal(second?.delayMs, 40);
  assert.equal(conversations[0]?.id, "support");
});

Deno.test("rawPayload sends bytes, a folder's files as conversations", async () => {
  const text = '{"messages": [],  "seed": 1.0, "x": "\u00e9\\u00e9"}';
  const format = { format: "raw-payload" };
  const { conversations } = await readText(`${text}\r\n\n`, format);
  const [turn] = conversations[0]?.turns ?? [];
  assert.ok(turn?.request.kind === "bytes");
  assert.equal(new TextDecoder().decode(turn.request.bytes), text);
  const { conversations: files } = await readFile(`${FIXTURES}payloads`);
  assert.deepEqual(files.map(({ id }) => id), ["first", "second"]);
  const { warnings } = await readText(`${text}\n`, format, { streaming: true });
  assert.match(warnings[0] as string, /1 of 1 request bodies do not set "stream"/);
});

Deno.test("customPrompts limits replies by the row, whatever the length is called, else by --osl", async () => {
  const rows = [
    { prompt: "a", output_tokens: 10, other: { x: 1 } },
    { prompt: "b" },
    { prompt: "c", max_tokens: 7 },
    { prompt: "d", output_tokens: null, output_len: 3 },
  ];
  const path = await Deno.makeTempFile({ suffix: ".jsonl" });
  await Deno.writeTextFile(path, rows.map((row) => JSON.stringify(row)).join("\n"));
  const { conversations } = await readFile(path, { outputTokensMean: 99 });
  const { bodies } = await tableOf(conversations);
  assert.deepEqual(bodies.map(({ max_completion_tokens: limit }) => limit), [10, 99, 7, 3]);
  assert.deepEqual(bodies.map(({ messages }) => messages[0].content), ["a", "b", "c", "d"]);
  await Deno.writeTextFile(path, '{"prompt": "a", "model": "m"}');
  await assert.rejects(readFile(path), /No known format/);
  await Deno.writeTextFile(path, '{"prompt": "a", "output_tokens": 0}');
  await assert.rejects(readFile(path), /:1:\d+: .*output_tokens/);
  await Deno.remove(path);
});

Deno.test("openAiBatch asks for streams where the run does", async () => {
  const { conversations } = await readFile(`${FIXTURES}openai_batch.jsonl`, {}, {
    streaming: true,
  });
  assert.deepEqual(conversations.map(({ id }) => id), ["one", "two"]);
  const { bodies } = await tableOf(conversations);
  assert.equal(bodies[0].stream, true);
  assert.deepEqual(bodies[0].stream_options, { "include_usage": true });
});

Deno.test("randomPool draws with replacement, the same for a seed", async () => {
  const path = `${FIXTURES}pool`;
  const one = textsOf((await readFile(path)).conversations);
  assert.deepEqual(textsOf((await readFile(path)).conversations), one);
  assert.notDeepEqual(textsOf((await readFile(path, {}, { seed: 2 })).conversations), one);
  assert.equal(new Set(one.flat()).size, 4, "every pair of two and two");
  assert.ok(one.flat().every((text) => text.split("|").length === 2));
});
