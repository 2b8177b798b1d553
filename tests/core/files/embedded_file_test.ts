import assert from "node:assert/strict";
import { brotliCompressSync } from "node:zlib";
import { readEmbeddedFile } from "../../../src/core/files/embedded_file.ts";
import { withFolder } from "../../support/artifacts.ts";

const CONTENT = new TextEncoder().encode("words ".repeat(50_000));

Deno.test("readEmbeddedFile reads what is compressed, also where only Node's functions can", async () => {
  await withFolder(async (folder) => {
    const url = new URL(`file://${folder}/words.txt.br`);
    await Deno.writeFile(url, brotliCompressSync(CONTENT));
    assert.deepEqual(await readEmbeddedFile(url), CONTENT);
    const stream = globalThis.DecompressionStream;
    globalThis.DecompressionStream = class {
      constructor() {
        throw new TypeError("brotli is unknown");
      }
    } as unknown as typeof stream;
    try {
      assert.deepEqual(new Uint8Array(await readEmbeddedFile(url)), CONTENT);
    } finally {
      globalThis.DecompressionStream = stream;
    }
  });
});

Deno.test("readEmbeddedFile reads others as they are, and throws where there is none", async () => {
  await withFolder(async (folder) => {
    await Deno.writeFile(`${folder}/words.txt`, CONTENT);
    assert.deepEqual(await readEmbeddedFile(new URL(`file://${folder}/words.txt`)), CONTENT);
    await assert.rejects(
      readEmbeddedFile(new URL(`file://${folder}/gone.br`)),
      Deno.errors.NotFound,
    );
  });
});
