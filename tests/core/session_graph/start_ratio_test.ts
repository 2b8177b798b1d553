import assert from "node:assert/strict";
import { startRatio } from "../../../src/core/session_graph/start_ratio.ts";

Deno.test("startRatio draws from the whole range, and the same again for a session", () => {
  const ratios = { min: 0.25, max: 0.75 };
  const drawn = Array.from({ length: 1000 }, (_, session) => startRatio(7, ratios, session));
  const [least, most] = [Math.min(...drawn), Math.max(...drawn)];
  assert.ok(least >= 0.25 && least < 0.26, `${least}`);
  assert.ok(most <= 0.75 && most > 0.74, `${most}`);
  assert.equal(startRatio(7, ratios, 3), drawn[3]);
  assert.notEqual(startRatio(8, ratios, 3), drawn[3]);
  assert.equal(startRatio(7, { min: 0.4, max: 0.4 }, 3), 0.4);
  assert.equal(startRatio(7, undefined, 3), 0);
});
