import assert from "node:assert/strict";
import { NameTable } from "../../../../src/load/sessions/index/name_table.ts";
import { textKey } from "../../../../src/load/sessions/model/text_key.ts";

Deno.test("NameTable numbers names once, however many there are", () => {
  const table = new NameTable();
  const names = Array.from({ length: 5000 }, (_, name) => `name ${name}`);
  const numbers = names.map((name) => table.numberOf(name));
  assert.deepEqual(numbers, names.map((_, name) => name));
  assert.deepEqual(names.map((name) => table.numberOf(name)), numbers);
  assert.equal(table.count, 5000);
  assert.deepEqual([...table.keys], names.map(textKey));
});

Deno.test("NameTable gives names that belong together the smallest number of them", () => {
  const table = new NameTable();
  const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map((name) => table.numberOf(name)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  table.unite(e, d);
  table.unite(c, d);
  table.unite(b, a);
  assert.deepEqual([a, b, c, d, e].map((number) => table.rootOf(number)), [a, a, c, c, c]);
  table.unite(e, b);
  assert.deepEqual([a, b, c, d, e].map((number) => table.rootOf(number)), [a, a, a, a, a]);
});
