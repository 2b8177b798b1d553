import assert from "node:assert/strict";
import { CompiledPatterns } from "../../../../src/measurement/answers/structured/compiled_patterns.ts";

Deno.test("CompiledPatterns finds patterns of Python and JavaScript anywhere in a text", async () => {
  const patterns = await CompiledPatterns.load(undefined);
  for (
    const [pattern, flags, text, found] of [
      ["b+", "", "abba", true],
      ["^b", "", "ab", false],
      ["^B$", "im", "a\nb", true],
      ["(?i)yes", "", "Oh YES", true],
      ["(?P<year>\\d{4})", "", "in 2024", true],
      ["a.b", "s", "a\nb", true],
      ["(a+)+$", "", `${"a".repeat(5000)}!`, false],
    ] as const
  ) {
    assert.equal(patterns.test(pattern, flags, text), found, pattern);
  }
});

Deno.test("CompiledPatterns has other patterns tested elsewhere, and leaves the rest untested", async () => {
  const asked: string[] = [];
  const patterns = await CompiledPatterns.load({
    test: (pattern, _flags, text) => {
      asked.push(pattern);
      return text === "slow" ? undefined : new RegExp(pattern).test(text);
    },
  });
  assert.equal(patterns.test("(?<!x)a", "", "xa"), false);
  assert.equal(patterns.test("(?<!x)a", "", "ya"), true);
  assert.equal(patterns.test("(?<!x)a", "", "slow"), undefined);
  assert.equal(patterns.test("(", "", "a"), undefined);
  assert.deepEqual(asked, ["(?<!x)a", "(?<!x)a", "(?<!x)a"]);
});
