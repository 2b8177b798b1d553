import assert from "node:assert/strict";
import { filesOfPart } from "../../../src/config/public_datasets/dataset_files.ts";

const SHARDS = { files: "data/{split}-*.parquet", subset: undefined, split: "train" };

Deno.test("filesOfPart takes what the pattern says, sorted, and nothing below", () => {
  const paths = [
    ...["data/train-00001-of-00002.parquet", "data/train-00000-of-00002.parquet", "README.md"],
    ...["data/test-00000-of-00001.parquet", "data/old/train-1.parquet"],
  ];
  assert.deepEqual(filesOfPart(paths, SHARDS), [
    "data/train-00000-of-00002.parquet",
    "data/train-00001-of-00002.parquet",
  ]);
});

Deno.test("filesOfPart finds the files of a folder without their repository's folders", () => {
  const paths = ["train-00000-of-00001.parquet", "test-00000-of-00001.parquet"];
  assert.deepEqual(filesOfPart(paths, SHARDS), ["train-00000-of-00001.parquet"]);
});

Deno.test("filesOfPart goes by names of subset and split where nothing has the usual name", () => {
  const of = (paths: readonly string[], subset?: string, split = "train") =>
    filesOfPart(paths, { ...SHARDS, subset, split });
  assert.deepEqual(of(["a_train.jsonl", "a_test.jsonl"]), ["a_train.jsonl"]);
  assert.deepEqual(of(["x/dev.json", "x/train.json"], undefined, "validation"), ["x/dev.json"]);
  assert.deepEqual(of(["fr/train.csv", "en/train.csv"], "en"), ["en/train.csv"]);
  assert.deepEqual(of(["en/train.csv"], "de"), []);
  // `training` is no `train` by itself, and `trained` says nothing.
  assert.deepEqual(of(["test.json", "trained.json"]), []);
  // The only file is the only split.
  assert.deepEqual(of(["questions.jsonl", "LICENSE"]), ["questions.jsonl"]);
  // One kind of file.
  assert.deepEqual(of(["train.csv", "train.parquet"]), ["train.parquet"]);
});

Deno.test("filesOfPart leaves the fixed file of the usual subset alone where another is named", () => {
  const part = { files: "all.json", subset: "hard", split: "train" };
  assert.deepEqual(filesOfPart(["all.json", "hard/train.json"], part, true), ["hard/train.json"]);
  const templated = { files: "{subset}/{split}-*.parquet", subset: "hard", split: "train" };
  const paths = ["easy/train-0.parquet", "hard/train-0.parquet"];
  assert.deepEqual(filesOfPart(paths, templated, true), ["hard/train-0.parquet"]);
});
