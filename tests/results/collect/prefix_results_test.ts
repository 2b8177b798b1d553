import assert from "node:assert/strict";
import { configuredType } from "../../../src/client/endpoint/endpoint_types.ts";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import { PayloadTableBuilder } from "../../../src/load/dataset/payloads/payload_table_builder.ts";
import { readPrefixFile } from "../../../src/measurement/prefix/prefix_file.ts";
import { PrefixResults } from "../../../src/results/collect/prefix_results.ts";
import { RUN_FILES } from "../../../src/results/collect/run_files.ts";
import { recordWith } from "../../support/records.ts";

const PROMPT = "a b c d e f g h";

async function prefixResults(): Promise<PrefixResults> {
  const plan = await resolvePlan(
    { url: ["http://127.0.0.1:1"], model: "m" },
    { cores: 2, cliCommand: "test", findModel: () => Promise.reject(new Error("not asked")) },
  );
  const builder = new PayloadTableBuilder();
  const body = JSON.stringify({ "messages": [{ "role": "user", "content": PROMPT }] });
  const segment = builder.addSegment(new TextEncoder().encode(body));
  builder.addEntry([segment], { inputTokens: 8, outputTokens: 5, images: 0 });
  return new PrefixResults(plan, configuredType(plan), builder.finish(0), undefined);
}

/** Requests with one prompt, the second one after the reply to the first. */
function addTwo(results: PrefixResults, cachedTokens: number): void {
  for (const index of [0, 1]) {
    const startNs = (index + 1) * 1e9;
    results.add(recordWith({ index, startNs, cachedTokens, promptTokens: 8, inputTokens: 8 }));
  }
}

Deno.test("PrefixResults writes the hits of each request", async () => {
  const results = await prefixResults();
  addTwo(results, 0);
  const prefix = results.ideal(undefined);
  assert.ok(prefix !== undefined && !("none" in prefix));
  assert.deepEqual([prefix.requests, prefix.idealTokens, prefix.missedTokens], [2, 7, 7]);
  const files = new Map<string, Blob>();
  const sink = {
    write: (name: string, pieces: Iterable<string | Uint8Array>): Promise<void> => {
      files.set(name, new Blob([...pieces] as BlobPart[]));
      return Promise.resolve();
    },
    openLines: () => ({ append() {}, close() {} }),
  };
  assert.equal(await results.store(sink, prefix), undefined);
  const bytes = new Uint8Array(await files.get(RUN_FILES.prefixHits)?.arrayBuffer() as ArrayBuffer);
  let at = 0;
  const file = readPrefixFile({
    readSync(buffer) {
      const piece = bytes.subarray(at, at + buffer.length);
      buffer.set(piece);
      at += piece.length;
      return piece.length === 0 ? null : piece.length;
    },
  });
  const ideal = [...file.rows()].map(({ hits }) => hits.map(({ idealTokens }) => idealTokens));
  assert.deepEqual(ideal, [[0, 7]]);
  files.clear();
  assert.equal(await results.store(sink, { none: "why" }), undefined);
  assert.equal(files.size, 0);
});

Deno.test("PrefixResults has no hits where neither servers nor replies report any", async () => {
  const results = await prefixResults();
  addTwo(results, NaN);
  assert.equal(results.ideal(undefined), undefined);
});
