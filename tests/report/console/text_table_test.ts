import fc from "fast-check";
import assert from "node:assert/strict";
import { displayWidth } from "../../../src/report/console/display_width.ts";
import {
  narrowestWidth,
  renderTable,
  tableWidth,
  type TextTable,
} from "../../../src/report/console/text_table.ts";

function tableOf(rows: readonly (readonly string[])[]): TextTable {
  return {
    head: ["Code", "Message", "Count"],
    rows,
    flexible: 1,
    minFlexible: 12,
    alignments: ["right", "left", "right"],
  };
}

/** The texts of a drawn table's rows, the lines of each cell put together without blanks. */
function cellsOf(drawn: string): string[][] {
  const rows: string[][] = [];
  for (const line of drawn.split("\n")) {
    if (!line.startsWith("│")) continue;
    const cells = line.split("│").slice(1, -1).map((cell) => cell.replaceAll(" ", ""));
    // The first column is there on the first line of a row alone.
    if (cells[0] !== "") rows.push(cells);
    else rows.at(-1)?.forEach((text, column, row) => row[column] = text + cells[column]);
  }
  return rows;
}

const MESSAGES = [
  "short",
  "many words that do not fit on one line of a narrow screen, and some more of them after that",
  `{"error":{"message":"https://example.com/${"path/".repeat(30)}","code":500}}`,
  "错误：模型不存在，请检查模型名称是否正确，然后重试。".repeat(4),
  "mixed 🚀🚀🚀 words 模型 and emoji 🚀 that are as wide as two letters each, Größe e\u0301",
  "x".repeat(500),
];

for (const width of [40, 80, 120, 200]) {
  Deno.test(`renderTable fits ${width} columns and loses nothing`, () => {
    const table = tableOf(MESSAGES.map((message, index) => [String(index), message, "7"]));
    const drawn = renderTable(table, width);
    for (const line of drawn.split("\n")) {
      assert.ok(displayWidth(line) <= width, `${displayWidth(line)} columns: ${line}`);
    }
    const lines = drawn.split("\n").map(displayWidth);
    assert.equal(new Set(lines).size, 1, "the right border is straight");
    assert.deepEqual(
      cellsOf(drawn).slice(1),
      MESSAGES.map((message, index) => [
        String(index),
        message.replaceAll(" ", ""),
        "7",
      ]),
    );
  });
}

Deno.test("renderTable loses nothing, whatever the texts are", () => {
  const messages = fc.array(fc.string({ unit: "grapheme", maxLength: 60 }), { minLength: 1 });
  fc.assert(fc.property(messages, fc.integer({ min: 40, max: 120 }), (texts, width) => {
    const plain = texts.map((text) => text.replace(/[\p{C}│]/gu, "?").trim());
    const drawn = renderTable(tableOf(plain.map((text, row) => [`r${row}`, text, "1"])), width);
    for (const line of drawn.split("\n")) assert.ok(displayWidth(line) <= width);
    assert.deepEqual(
      cellsOf(drawn).slice(1).map(([, text]) => text),
      plain.map((text) => text.replaceAll(" ", "")),
    );
  }));
});

Deno.test("tableWidth and narrowestWidth tell the widths that are drawn", () => {
  for (const message of MESSAGES) {
    const table = tableOf([["1", message, "100"]]);
    const widest = (drawn: string) => Math.max(...drawn.split("\n").map(displayWidth));
    assert.equal(widest(renderTable(table, Infinity)), tableWidth(table));
    assert.equal(widest(renderTable(table, 0)), narrowestWidth(table));
  }
});

Deno.test("renderTable aligns its columns", () => {
  const drawn = renderTable(tableOf([["5", "text", "1"], ["500", "longer text", "12"]]), 80);
  assert.deepEqual(drawn.split("\n"), [
    "┌──────┬─────────────┬───────┐",
    "│ Code │ Message     │ Count │",
    "├──────┼─────────────┼───────┤",
    "│    5 │ text        │     1 │",
    "│  500 │ longer text │    12 │",
    "└──────┴─────────────┴───────┘",
  ]);
});

Deno.test("renderTable draws the lines of a cell below each other", () => {
  const table = tableOf([["1\n22\n333", "one\ntwo words", "7"]]);
  assert.equal(
    renderTable(table, 80),
    [
      "┌──────┬───────────┬───────┐",
      "│ Code │ Message   │ Count │",
      "├──────┼───────────┼───────┤",
      "│    1 │ one       │     7 │",
      "│   22 │ two words │       │",
      "│  333 │           │       │",
      "└──────┴───────────┴───────┘",
    ].join("\n"),
  );
});
