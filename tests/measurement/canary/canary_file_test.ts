import assert from "node:assert/strict";
import {
  canaryBlock,
  canaryFileHead,
  readCanaries,
} from "../../../src/measurement/canary/canary_file.ts";
import { CanaryLog } from "../../../src/measurement/canary/canary_log.ts";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { headWithoutChecksums } from "../../support/head_without_checksums.ts";

function source(pieces: readonly Uint8Array[]) {
  const bytes = Uint8Array.from(pieces.flatMap((piece) => [...piece]));
  let at = 0;
  return {
    readSync(buffer: Uint8Array): number | null {
      if (at >= bytes.length) return null;
      const part = bytes.subarray(at, at + buffer.length);
      buffer.set(part);
      at += part.length;
      return part.length;
    },
  };
}

const FIRST = { worker: 0, placeNs: 5e9, rows: Float64Array.of(0, 10, 12, 15, 3, 20, NaN, 5e9) };
const SECOND = {
  worker: 3,
  placeNs: 5e9 + 1,
  rows: Float64Array.of(1, 1e9 + 0.5, 1e9 + 1, 1e9 + 2),
};

Deno.test("readCanaries reads what canaryBlock wrote, bit by bit", () => {
  const pieces = [canaryFileHead(), ...canaryBlock(FIRST), ...canaryBlock(SECOND)];
  assert.deepEqual([...readCanaries(source(pieces))], [FIRST, SECOND]);
});

Deno.test("readCanaries gives what stands before the end of a run that was killed", () => {
  const [length, block] = canaryBlock(SECOND) as [Uint8Array, Uint8Array];
  const pieces = [canaryFileHead(), ...canaryBlock(FIRST), length, block.subarray(0, 9)];
  assert.deepEqual([...readCanaries(source(pieces))], [FIRST]);
});

Deno.test("readCanaries leaves out what was damaged", () => {
  const [length, block, checksum] = canaryBlock(FIRST) as [Uint8Array, Uint8Array, Uint8Array];
  block[3] = (block[3] as number) ^ 1;
  const pieces = [canaryFileHead(), length, block, checksum, ...canaryBlock(SECOND)];
  let losses = 0;
  assert.deepEqual([...readCanaries(source(pieces), () => losses++)], [SECOND]);
  assert.equal(losses, 1);
});

Deno.test("readCanaries finds the places in files of versions that do not say them", () => {
  const older = [FIRST, SECOND].flatMap((rows) => {
    const [length, block] = canaryBlock(rows) as [Uint8Array, Uint8Array];
    new DataView(length.buffer).setUint32(0, block.length - 8, true);
    return [length, block.subarray(0, -8)];
  });
  const head = headWithoutChecksums(canaryFileHead());
  assert.deepEqual([...readCanaries(source([head, ...older]))], [FIRST, SECOND]);
});

Deno.test("readCanaries refuses another file", () => {
  const other = new TextEncoder().encode('{"format":"other","version":1}\n');
  assert.throws(() => [...readCanaries(source([other]))], /Not a file of format/);
});

Deno.test("CanaryLog keeps every stall and a share of the canaries of a long run", () => {
  const log = new CanaryLog();
  const rows = new Float64Array(4 * 100);
  for (let i = 0; i < 100; i++) {
    rows.set([i === 50 ? CANARY_KIND.stall : CANARY_KIND.poisson, i, i, i], i * 4);
  }
  for (let block = 0; block < 12_000; block++) log.add(block % 2, rows);
  assert.ok(log.length < 500_000, `${log.length}`);
  const kinds = log.column(0);
  assert.equal(kinds.filter((kind) => kind === CANARY_KIND.stall).length, 12_000);
  assert.ok(log.length > 200_000, `${log.length}`);
  assert.equal(log.workers.length, kinds.length);
});

Deno.test("CanaryLog keeps canaries however many stalls there are", () => {
  const log = new CanaryLog();
  const stalls = new Float64Array(4 * 10_000);
  for (let i = 0; i < stalls.length; i += 4) stalls.set([CANARY_KIND.stall, i, NaN, i + 1], i);
  const canaries = new Float64Array(4 * 1000);
  for (let i = 0; i < canaries.length; i += 4) canaries.set([CANARY_KIND.poisson, i, i, i], i);
  for (let block = 0; block < 60; block++) {
    log.add(0, stalls);
    log.add(0, canaries);
  }
  assert.equal(log.column(0).filter((kind) => kind === CANARY_KIND.poisson).length, 60_000);
});
