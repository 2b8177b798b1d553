import fc from "fast-check";
import assert from "node:assert/strict";
import { displayWidth } from "../../../src/report/console/display_width.ts";
import { printableText } from "../../../src/report/console/printable_text.ts";
import { wrapText } from "../../../src/report/console/wrap_text.ts";

const WRAPPED: readonly [string, number, number, readonly string[]][] = [
  ["", 10, 0, [""]],
  ["fits", 4, 0, ["fits"]],
  ["two words", 5, 0, ["two", "words"]],
  ["one two three", 7, 0, ["one two", "three"]],
  ["a longerword b", 6, 0, ["a", "longer", "word b"]],
  ["http://a/bcdef", 6, 0, ["http:/", "/a/bcd", "ef"]],
  ["模型不存在", 5, 0, ["模型", "不存", "在"]],
  ["ab 🚀🚀🚀", 4, 0, ["ab", "🚀🚀", "🚀"]],
  ["first second third", 8, 2, ["first", "  second", "  third"]],
  ["  indented text", 20, 0, ["  indented text"]],
  ["x", 0, 0, ["x"]],
];

Deno.test("wrapText breaks between words, and within those that are too long", () => {
  for (const [text, width, indent, lines] of WRAPPED) {
    assert.deepEqual(wrapText(text, width, indent), lines);
  }
});

Deno.test("wrapText loses nothing and makes no line too long", () => {
  const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 12 })).map((words) =>
    words.join(" ")
  );
  fc.assert(fc.property(texts, fc.integer({ min: 8, max: 40 }), (text, width) => {
    const lines = wrapText(text, width, 2);
    const without = (text: string): string => text.replaceAll(" ", "");
    assert.equal(without(lines.join("")), without(text));
    for (const line of lines) assert.ok(displayWidth(line) <= width, JSON.stringify(line));
  }));
});

Deno.test("displayWidth counts the columns of a terminal", () => {
  const widths: readonly [string, number][] = [
    ["", 0],
    ["plain ASCII", 11],
    ["模型", 4],
    ["é", 1],
    ["e\u0301", 1],
    ["🚀", 2],
    ["Größe", 5],
  ];
  for (const [text, width] of widths) assert.equal(displayWidth(text), width, text);
});

Deno.test("printableText leaves nothing that could disturb a terminal", () => {
  assert.equal(printableText("a\x1b[31mred\x1b[0m\r\nb\tc\x07"), "a [31mred [0m b c");
  assert.equal(printableText("\u009b31mred"), "31mred");
  assert.equal(printableText("abc\u202etxt.exe\u2066x"), "abc txt.exe x");
  assert.equal(printableText(" \n "), "");
  assert.equal(printableText("Größe 模型 🚀"), "Größe 模型 🚀");
});

Deno.test("printableText shortens long texts, not in the middle of a character", () => {
  assert.equal(printableText("x".repeat(300)), "x".repeat(300));
  assert.equal(printableText("x".repeat(301)), `${"x".repeat(300)}...`);
  assert.equal(printableText("ab🚀🚀", 3), "ab...");
  assert.equal(printableText("ab🚀🚀", 4), "ab🚀...");
});
