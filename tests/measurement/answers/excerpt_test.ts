import assert from "node:assert/strict";
import { ending, excerpt } from "../../../src/measurement/answers/excerpt.ts";

Deno.test("excerpt shows a short text as a whole", () => {
  assert.equal(excerpt("short", 3), "short");
  assert.equal(excerpt("", 0), "");
});

Deno.test("excerpt shows 80 characters before the place of a long text, and 400 in all", () => {
  const text = `${"a".repeat(500)}${"b".repeat(500)}`;
  assert.equal(excerpt(text, 500), `... ${"a".repeat(80)}${"b".repeat(320)} ...`);
  assert.equal(excerpt(text, 0), `${"a".repeat(400)} ...`);
  assert.equal(excerpt(text, 1000), `... ${"b".repeat(80)}`);
});

Deno.test("excerpt cuts no character in two", () => {
  const text = "😀".repeat(400);
  for (const at of [200, 201, 202, 203]) {
    const shown = excerpt(text, at);
    assert.ok(shown.isWellFormed());
    assert.match(shown, /^\.\.\. 😀+ \.\.\.$/u);
  }
});

Deno.test("ending shows the last 400 characters", () => {
  assert.equal(ending(`${"a".repeat(9)}${"b".repeat(400)}`), `... ${"b".repeat(400)}`);
  assert.equal(ending("short"), "short");
});
