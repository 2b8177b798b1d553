import assert from "node:assert/strict";
import { DatasetError } from "../../../../src/core/files/dataset_error.ts";
import {
  fileTokenizer,
  readTokenizerFiles,
} from "../../../../src/load/dataset/tokenizers/file_tokenizer.ts";
import { withFolder } from "../../../support/artifacts.ts";
import { WORD_TOKENIZER } from "../../../support/word_tokenizer.ts";

Deno.test("fileTokenizer counts with a local tokenizer.json, by its path or its folder", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/tokenizer.json`, JSON.stringify(WORD_TOKENIZER));
    for (const path of [folder, `${folder}/`, `${folder}/tokenizer.json`]) {
      assert.equal(fileTokenizer(await readTokenizerFiles(path)).count("a b  c\na"), 4);
    }
  });
});

Deno.test("fileTokenizer says what is wrong with a folder or a file that is no tokenizer", async () => {
  await withFolder(async (folder) => {
    await assert.rejects(() => readTokenizerFiles(folder), /There is no tokenizer\.json here/);
    await Deno.writeTextFile(`${folder}/tokenizer.json`, "{");
    const files = await readTokenizerFiles(folder);
    assert.throws(() => fileTokenizer(files), DatasetError);
  });
});
