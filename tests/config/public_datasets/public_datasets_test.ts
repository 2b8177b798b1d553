import assert from "node:assert/strict";
import { whyLeftOut } from "../../../src/config/public_datasets/left_out_datasets.ts";
import {
  plainName,
  PUBLIC_DATASETS,
  publicDataset,
} from "../../../src/config/public_datasets/public_datasets.ts";

Deno.test("publicDataset knows each data set by all of its names, in any spelling", () => {
  const names = PUBLIC_DATASETS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  assert.equal(new Set(names.map(plainName)).size, names.length, "a name stands for two");
  for (const row of PUBLIC_DATASETS) {
    for (const name of [row.name, ...row.aliases ?? []]) {
      for (const spelling of [name, name.replaceAll("_", "-"), name.toUpperCase()]) {
        assert.equal(publicDataset(spelling), row, spelling);
      }
    }
  }
  // As AIPerf's own help spells them.
  assert.equal(publicDataset("blazedit-5-k")?.name, "blazedit_5k");
  assert.equal(publicDataset("spec-al-gsm8-k")?.name, "spec_al_gsm8k");
  assert.equal(publicDataset("shargpt"), undefined);
});

Deno.test("whyLeftOut has a reason for what is known and not sent, and none for a data set", () => {
  const left = ["exgentic-v2", "weka_hf", "semianalysis_cc_traces_weka_062126_256k", "mmlu-pro"];
  for (const name of left) assert.match(whyLeftOut(name) ?? "", /./, name);
  for (const { name } of PUBLIC_DATASETS) assert.equal(whyLeftOut(name), undefined, name);
});
