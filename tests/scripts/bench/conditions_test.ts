import assert from "node:assert/strict";
import { selectedConditions } from "../../../scripts/bench/cases/truth.ts";
import { CONDITIONS } from "../../../scripts/bench/truth/conditions.ts";

Deno.test("the matrix has every circumstance, each under a name of its own", () => {
  assert.ok(CONDITIONS.length >= 60, `${CONDITIONS.length} runs`);
  assert.equal(new Set(CONDITIONS.map(({ name }) => name)).size, CONDITIONS.length);
  for (const streams of [1, 16, 100, 400]) {
    for (const burners of [0, 1, 3]) {
      const paces = CONDITIONS.filter((one) => one.streams === streams && one.burners === burners)
        .map(({ replies }) => replies.ttftMs);
      assert.ok(paces.includes(0) && paces.includes(50), `${streams} streams, ${burners} burners`);
    }
  }
  for (const stopMs of [200, 2000]) assert.ok(CONDITIONS.some((one) => one.stopMs === stopMs));
  assert.ok(CONDITIONS.some(({ rate }) => rate !== undefined));
  assert.ok(CONDITIONS.some(({ reconnects }) => reconnects));
  assert.ok(CONDITIONS.some(({ tls }) => tls));
});

Deno.test("selectedConditions gives each run to one part", () => {
  const parts = [1, 2, 3].flatMap((part) => selectedConditions({ filter: /-/, part, parts: 3 }));
  assert.deepEqual(
    parts.map(({ name }) => name).sort(),
    CONDITIONS.map(({ name }) => name).sort(),
  );
  const filtered = selectedConditions({ filter: /^tls-1$/, part: 1, parts: 1 });
  assert.deepEqual(filtered.map(({ name }) => name), ["tls-1"]);
});
