import assert from "node:assert/strict";
import { ANOMALY_KINDS } from "../../../src/measurement/answers/anomaly_kinds.ts";
import { findAnomalies } from "../../../src/measurement/answers/find_anomalies.ts";
import { randomStream } from "../../../src/core/statistics/random_stream.ts";

const encoder = new TextEncoder();

function kindsOf(
  text: string | Uint8Array,
  { reasoning = "", toolText = "", items = 0, isCut = false } = {},
): string[] {
  const bits = findAnomalies({
    text: typeof text === "string" ? encoder.encode(text) : text,
    reasoning: encoder.encode(reasoning),
    toolText: encoder.encode(toolText),
    ...{ items, isCut },
  });
  return ANOMALY_KINDS.filter((_, kind) => (bits >> kind & 1) === 1);
}

const PROSE = "The quick brown fox jumps over the lazy dog while the cat, half asleep, looks on. ";

Deno.test("an answer without text, call or item is empty, unless the limit ended its reasoning", () => {
  assert.deepEqual(kindsOf(""), ["empty"]);
  assert.deepEqual(kindsOf(" \n\t"), ["empty"]);
  assert.deepEqual(kindsOf("", { reasoning: "I think" }), ["empty"]);
  assert.deepEqual(kindsOf("", { reasoning: "I think", isCut: true }), []);
  assert.deepEqual(kindsOf("", { toolText: "{}" }), []);
  assert.deepEqual(kindsOf("", { items: 1 }), []);
});

Deno.test("a piece that follows itself is a loop at any place, period and offset", () => {
  for (const [period, prefix] of [[1, 0], [2, 7], [9, 63], [24, 64], [64, 130], [63, 1]] as const) {
    const piece = PROSE.slice(0, period);
    const times = Math.max(8, Math.ceil(192 / period)) + 1;
    const text = PROSE.repeat(3).slice(0, prefix) + piece.repeat(times) + PROSE;
    assert.deepEqual(kindsOf(text), ["repetition"], `period ${period} after ${prefix} bytes`);
    assert.deepEqual(kindsOf("ok", { reasoning: text }), ["repetition"]);
  }
});

Deno.test("short runs, rules of tables and indentation are no loops", () => {
  assert.deepEqual(kindsOf(PROSE + "-".repeat(120) + PROSE), []);
  assert.deepEqual(kindsOf("| --- ".repeat(20) + PROSE), []);
  assert.deepEqual(kindsOf(`if x:${" ".repeat(400)}y`), []);
  assert.deepEqual(kindsOf("ha ".repeat(40)), []);
  // Lines that differ in a number only.
  assert.deepEqual(
    kindsOf(Array.from({ length: 200 }, (_, i) => `item ${i} of the list\n`).join("")),
    [],
  );
});

Deno.test("bytes that are no UTF-8 and replacement characters are invalid, but not a cut end", () => {
  const euro = encoder.encode("a €");
  assert.deepEqual(kindsOf(euro), []);
  assert.deepEqual(kindsOf(euro.subarray(0, -1)), ["invalid_text"]);
  assert.deepEqual(kindsOf(euro.subarray(0, -1), { isCut: true }), []);
  assert.deepEqual(kindsOf("a\uFFFDb", { isCut: true }), ["invalid_text"]);
  assert.deepEqual(kindsOf("ok", { reasoning: "\uFFFD and so on" }), ["invalid_text"]);
});

Deno.test("markup of reasoning, tools and templates in the answer is a leak", () => {
  const leaks = [
    "</think>",
    "<think>",
    "<|im_end|>",
    "<|start_header_id|>",
    "<|channel|>analysis",
    '<tool_call>{"name": "f"}',
    "[TOOL_CALLS]",
    "[/INST]",
    "<start_of_turn>model",
    "<｜tool▁calls▁begin｜>",
    "<function=get_weather>",
    "<<SYS>>",
  ];
  for (const leak of leaks) {
    assert.deepEqual(kindsOf(`Well. ${leak} 1`), ["channel_leak"], leak);
    // Reasoning is where such markup may be quoted.
    assert.deepEqual(kindsOf("Well.", { reasoning: leak }), []);
  }
  const clean = [
    "a <b> c",
    "x < y && y > z",
    "List<T>",
    "[1, 2]",
    "a <| b",
    "[link](x)",
    "<p>hi</p>",
  ];
  for (const text of clean) assert.deepEqual(kindsOf(text), [], text);
});

Deno.test("10,000 clean replies of prose, JSON, code and numbers raise no alarm", () => {
  const words = PROSE.split(" ");
  const random = randomStream(3, "test.clean");
  const word = () => words[Math.floor(random() * words.length)] as string;
  const number = () => Math.floor(random() * 1e6);
  const shapes = [
    () => Array.from({ length: 60 }, word).join(" "),
    () => JSON.stringify(Array.from({ length: 20 }, () => ({ id: number(), name: word() }))),
    () =>
      Array.from({ length: 20 }, () => `  let ${word()} = f(${number()}) < ${number()};`).join(
        "\n",
      ),
    () => Array.from({ length: 30 }, () => `| ${word()} | ${number()} |`).join("\n"),
    () => Array.from({ length: 30 }, (_, i) => `${i + 1}. Straße „${word()}“ 漢字 🙂`).join("\n"),
  ];
  let alarms = 0;
  for (let i = 0; i < 10_000; i++) {
    if (kindsOf((shapes[i % shapes.length] as () => string)()).length > 0) alarms++;
  }
  assert.equal(alarms, 0);
});
