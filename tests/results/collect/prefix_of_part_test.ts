import assert from "node:assert/strict";
import type { PrefixIdeal, RequestHits } from "../../../src/measurement/prefix/ideal_hits.ts";
import { prefixFilePieces } from "../../../src/measurement/prefix/prefix_file.ts";
import { prefixOfPart } from "../../../src/results/collect/prefix_of_part.ts";
import { RUN_FILES, RUN_FOLDER } from "../../../src/results/collect/run_files.ts";
import { withFolder } from "../../support/artifacts.ts";

const SIZE = { blockSize: 16, capacityTokens: undefined };

function hitsAt(startNs: number, idealTokens: number, worker = NaN): RequestHits {
  return {
    ...{ startNs, worker, requests: 1, promptTokens: 100, reusableTokens: 96, idealTokens },
    ...{ lruTokens: NaN, concurrentTokens: 16, cachedTokens: 32, missedTokens: idealTokens - 32 },
    ...{ missedConcurrentTokens: 8, replicaTokens: 0, missedReplicaTokens: 0 },
    ...{ elsewhereTokens: Number.isNaN(worker) ? NaN : 48, missedElsewhereTokens: 20 },
  };
}

async function written(folder: string, plain: readonly RequestHits[]): Promise<PrefixIdeal> {
  await Deno.mkdir(`${folder}/${RUN_FOLDER}`);
  const stored = [
    { withReplies: false, hits: plain },
    { withReplies: true, hits: plain.map((hits) => ({ ...hits, idealTokens: 96 })) },
  ];
  const path = `${folder}/${RUN_FILES.prefixHits}`;
  using file = await Deno.open(path, { write: true, create: true });
  for (const piece of prefixFilePieces("run", SIZE, stored)) file.writeSync(piece);
  return { ...SIZE, ...hitsAt(0, 0) };
}

Deno.test("prefixOfPart adds up the requests that the part has", () =>
  withFolder(async (folder) => {
    // More rows than a block of the file has.
    const plain = Array.from({ length: 20_000 }, (_, at) => hitsAt(at, at % 2 === 0 ? 48 : 64));
    const whole = await written(folder, plain);
    const part = prefixOfPart(folder, whole, (startNs) => startNs >= 8000 && startNs < 18_000);
    assert.ok(part !== undefined && !("none" in part));
    assert.deepEqual([part.requests, part.promptTokens, part.idealTokens], [
      ...[10_000, 1_000_000, 560_000],
    ]);
    assert.ok(Number.isNaN(part.lruTokens));
    assert.deepEqual([part.withReplies?.idealTokens, part.blockSize], [960_000, 16]);
    assert.equal(part.elsewhereTokens, undefined, "no reply names its replica");
  }));

Deno.test("prefixOfPart knows other replicas if the part has several", () =>
  withFolder(async (folder) => {
    const whole = await written(folder, [hitsAt(1, 48, 1), hitsAt(2, 48, 2), hitsAt(3, 48, 2)]);
    const elsewhere = (from: number) => {
      const part = prefixOfPart(folder, whole, (startNs) => startNs >= from);
      return part !== undefined && !("none" in part) ? part.elsewhereTokens : NaN;
    };
    assert.deepEqual([elsewhere(1), elsewhere(2)], [144, undefined]);
  }));

Deno.test("prefixOfPart says why nothing is known", () =>
  withFolder(async (folder) => {
    const whole: PrefixIdeal = { ...SIZE, ...hitsAt(0, 0) };
    await Deno.mkdir(`${folder}/${RUN_FOLDER}`);
    assert.match(JSON.stringify(prefixOfPart(folder, whole, () => true)), /did not keep/);
    assert.deepEqual(prefixOfPart(folder, { none: "why" }, () => true), { none: "why" });
    assert.equal(prefixOfPart(folder, undefined, () => true), undefined);
    await Deno.writeTextFile(`${folder}/${RUN_FILES.prefixHits}`, "nothing of it\n");
    assert.match(JSON.stringify(prefixOfPart(folder, whole, () => true)), /did not keep/);
  }));
