import assert from "node:assert/strict";
import {
  BlockFileError,
  blockFileHead,
  BlockFileReader,
  blockPieces,
} from "../../src/core/block_file/block_file.ts";

const HEAD = { format: "f", version: 3, run: "run-1", columns: ["startNs", "endNs"] };

/** A source that gives the bytes once. */
function sourceOf(bytes: Uint8Array) {
  let at = 0;
  return {
    readSync(buffer: Uint8Array): number | null {
      if (at === bytes.length) return null;
      const piece = bytes.subarray(at, at + buffer.length);
      buffer.set(piece);
      at += piece.length;
      return piece.length;
    },
  };
}

function fileOf(head: Uint8Array): Uint8Array {
  return Uint8Array.from([head, ...blockPieces(Uint8Array.of(1, 2, 3))].flatMap((p) => [...p]));
}

Deno.test("BlockFileReader gives the run that wrote the file, and its blocks", () => {
  const reader = new BlockFileReader(sourceOf(fileOf(blockFileHead(HEAD))), "f", 3);
  assert.equal(reader.head.run, "run-1");
  assert.deepEqual([...reader.blocks()].map((block) => [...block]), [[1, 2, 3]]);
});

Deno.test("BlockFileReader refuses a first line in which any bit is another", () => {
  const head = blockFileHead(HEAD);
  for (let bit = 0; bit < head.length * 8; bit++) {
    const changed = head.slice();
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    assert.throws(
      () => new BlockFileReader(sourceOf(fileOf(changed)), "f", 3),
      BlockFileError,
      `bit ${bit}: ${new TextDecoder().decode(changed)}`,
    );
  }
});

Deno.test("BlockFileReader reads a first line of an earlier version, which has no checksum", () => {
  const text = JSON.stringify({ format: "f", version: 2, columns: [], checksum: "fnv1a-32" });
  const head = new TextEncoder().encode(`${text}\n`);
  const reader = new BlockFileReader(sourceOf(fileOf(head)), "f", 3);
  assert.equal(reader.head.run, undefined);
  assert.deepEqual([...reader.blocks()].map((block) => [...block]), [[1, 2, 3]]);
});
