import assert from "node:assert/strict";
import { ENGINE_FLAGS } from "../../../src/config/sandbox/engine_flags.ts";

const ROOT = new URL("../../../", import.meta.url);
const FLAGS = /--v8-flags=[^\s"`]+/g;

Deno.test("tasks and pages name the flags that the executable has", async () => {
  const files = ["deno.json", "docs/limits.md", "docs/scaling.md"];
  for (const file of files) {
    const named = (await Deno.readTextFile(new URL(file, ROOT))).match(FLAGS) ?? [];
    assert.ok(named.length > 0, file);
    assert.deepEqual(new Set(named), new Set([ENGINE_FLAGS]), file);
  }
});
