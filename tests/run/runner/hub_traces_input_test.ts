import assert from "node:assert/strict";
import { UsageError } from "../../../src/config/options/usage_error.ts";
import { withHubTraces } from "../../../src/run/runner/hub_traces_input.ts";

const { signal } = new AbortController();

Deno.test("withHubTraces refuses what names no repository", async () => {
  for (const name of ["traces", "lab/traces/main", "lab/", "https://hub/lab/traces"]) {
    await assert.rejects(
      withHubTraces({ hfWekaDataset: name, offline: true }, signal),
      (error) => error instanceof UsageError && error.message.includes("Must be owner/name: got"),
      name,
    );
  }
});

Deno.test("withHubTraces leaves options without a repository unchanged", async () => {
  const options = { inputFile: "x.json", offline: true };
  assert.deepEqual(await withHubTraces(options, signal), options);
});
