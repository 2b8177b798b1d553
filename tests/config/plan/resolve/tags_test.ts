import assert from "node:assert/strict";
import { UsageError } from "../../../../src/config/options/usage_error.ts";
import { parseTags } from "../../../../src/config/plan/resolve/tags.ts";

Deno.test("parseTags reads names and values, by ascending names", () => {
  assert.deepEqual(
    parseTags(["gpu=h100", " commit = 1a2b3c ", "gpu=h100", "url=a=b", "team/x.y-z=ä b"]),
    [["commit", "1a2b3c"], ["gpu", "h100"], ["team/x.y-z", "ä b"], ["url", "a=b"]],
  );
  assert.deepEqual(parseTags(['{"b": 1, "a": "x=y"}']), [["a", "x=y"], ["b", "1"]]);
  assert.deepEqual(parseTags([]), []);
});

Deno.test("parseTags refuses what is no tag", () => {
  const refused: readonly (readonly [string[], RegExp])[] = [
    [["gpu"], /Expected name=value/],
    [["=x"], /Expected name=value/],
    [["a b=x"], /letters, digits/],
    [["a="], /1 to 256 characters/],
    [["a=\u001b[2J"], /control characters/],
    [[`a=${"x".repeat(257)}`], /1 to 256/],
    [["a=1", "a=2"], /given twice/],
    [Array.from({ length: 65 }, (_, i) => `t${i}=1`), /At most 64/],
  ];
  for (const [texts, message] of refused) {
    assert.throws(() => parseTags(texts), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    }, texts[0] ?? "");
  }
});

Deno.test("parseTags refuses secrets, and does not repeat them", () => {
  const texts = ["api_key=sesame-123", "sesame-123", "hf-token=sesame-123"];
  for (const text of [...texts, "note=sk-abcdefghsesame-123"]) {
    assert.throws(() => parseTags([text]), (error) => {
      assert.ok(error instanceof UsageError);
      assert.ok(!error.message.includes("sesame-123"), error.message);
      return true;
    });
  }
});
