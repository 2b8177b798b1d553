import assert from "node:assert/strict";
import { HubError } from "../../../src/config/hub/open_hub_file.ts";
import { DatasetError } from "../../../src/core/files/dataset_error.ts";
import { errorOf, errorParts } from "../../../src/load/inputs/error_parts.ts";

Deno.test("errors keep their kind, their place and their text in another thread", () => {
  for (
    const error of [
      new DatasetError("in.jsonl", 3, "Row is empty", 7),
      new DatasetError("in.jsonl", undefined, "File has no rows"),
      new HubError("not found"),
      new RangeError("too large"),
    ]
  ) {
    const again = errorOf(structuredClone(errorParts(error)));
    assert.deepEqual([again.name, again.message], [error.name, error.message]);
    assert.equal(again instanceof DatasetError, error instanceof DatasetError);
    assert.equal(again instanceof HubError, error instanceof HubError);
    if (!(error instanceof DatasetError) || !(again instanceof DatasetError)) continue;
    assert.deepEqual(
      [again.path, again.line, again.column],
      [error.path, error.line, error.column],
    );
  }
  assert.equal(errorOf(errorParts("words")).message, "words");
});
