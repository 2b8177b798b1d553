import assert from "node:assert/strict";
import { writeLines } from "../../../scripts/bench/large_input.ts";

Deno.test("writeLines writes as many lines as it is to, however short they are", async () => {
  const path = await Deno.makeTempFile();
  try {
    for (const lines of [1, 4096, 4100]) {
      await writeLines(path, (row) => row, { lines });
      const written = (await Deno.readTextFile(path)).trimEnd().split("\n").map(Number);
      assert.deepEqual(written, Array.from({ length: lines }, (_, row) => row));
    }
    await writeLines(path, () => "x".repeat(100), { bytes: 1e6 });
    assert.ok((await Deno.stat(path)).size >= 1e6);
  } finally {
    await Deno.remove(path);
  }
});
