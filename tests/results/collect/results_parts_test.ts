import assert from "node:assert/strict";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import { BuiltinTokenizer } from "../../../src/load/dataset/tokenizers/builtin_tokenizer.ts";
import { readTokenizerSource } from "../../../src/load/dataset/tokenizers/tokenizer_source.ts";
import type { FileSink } from "../../../src/report/export/file_sink.ts";
import { ResultsParts } from "../../../src/results/collect/results_parts.ts";

const NOWHERE: FileSink = {
  write: () => Promise.resolve(),
  openLines: () => ({ append() {}, close() {} }),
};

Deno.test("ResultsParts count a text before the run begins, which makes what counting needs", async () => {
  const plan = await resolvePlan({ url: ["http://127.0.0.1:1"], model: "m" }, {
    ...{ cores: 2, cliCommand: "test" },
    findModel: () => Promise.resolve("m"),
  });
  const init = { plan, tokenizer: await readTokenizerSource(plan), payloads: {} };
  const { count } = BuiltinTokenizer.prototype;
  let counted = 0;
  try {
    BuiltinTokenizer.prototype.count = function (text) {
      counted += count.call(this, text);
      return counted;
    };
    await ResultsParts.load(init as Parameters<typeof ResultsParts.load>[0], NOWHERE);
  } finally {
    BuiltinTokenizer.prototype.count = count;
  }
  assert.equal(counted, 1);
});
