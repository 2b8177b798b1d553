import assert from "node:assert/strict";
import { InputSource } from "../../../../src/load/dataset/formats/input_source.ts";
import { withFolder } from "../../../support/artifacts.ts";

/** A pipe, and who writes into it. */
async function withPipe(
  use: (
    source: InputSource,
    write: (text: string) => Promise<void>,
    end: () => void,
  ) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const path = `${folder}/pipe`;
    const { success } = await new Deno.Command("mkfifo", { args: [path] }).output();
    assert.ok(success);
    // Open for both, so that neither side waits for the other one.
    const file = await Deno.open(path, { read: true, write: true });
    const source = await InputSource.open(path);
    let isOpen = true;
    const end = (): void => {
      if (isOpen) file.close();
      isOpen = false;
    };
    try {
      await use(source, async (text) => {
        await file.write(new TextEncoder().encode(text));
      }, end);
    } finally {
      end();
      source.close();
    }
  });
}

const ignore = Deno.build.os === "windows";

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  return (await Array.fromAsync(pieces, (piece) => new TextDecoder().decode(piece))).join("");
}

Deno.test({
  name: "InputSource reads a pipe again that is held, with what has come meanwhile",
  ignore,
  fn: () =>
    withPipe(async (source, write, end) => {
      assert.ok(source.isStream);
      await write("first\n");
      const head = await source.head((bytes) => bytes.includes(10), 1000);
      assert.equal(new TextDecoder().decode(head), "first\n");
      assert.equal(await source.endsWithin(1, 1000), false);
      await source.hold();
      const reader = source.bytes();
      await reader.next();
      // A reader that waits does not take from the next one what comes.
      const waiting = reader.next();
      await write("second\n");
      await waiting;
      end();
      assert.equal(await textOf(source.bytes()), "first\nsecond\n");
      assert.equal(await textOf(source.bytes()), "first\nsecond\n");
      assert.equal(await source.endsWithin(1e6, 1000), true);
    }),
});

Deno.test({
  name: "InputSource reads a pipe once that is not held",
  ignore,
  fn: () =>
    withPipe(async (source, write, end) => {
      await write("all of it");
      await source.head((bytes) => bytes.length > 2, 1000);
      end();
      assert.equal(await textOf(source.bytes()), "all of it");
      await assert.rejects(textOf(source.bytes()), /pipe/);
    }),
});

Deno.test({
  name: "InputSource knows that a pipe is long when enough of it has come",
  ignore,
  fn: () =>
    withPipe(async (source, write) => {
      await write("x".repeat(100));
      assert.equal(await source.endsWithin(1e6, 100), false);
    }),
});

Deno.test("InputSource.head shows each byte as new once, however large a file is", () =>
  withFolder(async (folder) => {
    const path = `${folder}/spaces`;
    await Deno.writeFile(path, new Uint8Array(3_000_000).fill(32));
    const source = await InputSource.open(path);
    let shown = 0;
    const head = await source.head((bytes, seen) => {
      assert.equal(seen, shown);
      shown = bytes.length;
      return false;
    }, 1e9);
    assert.deepEqual([shown, head.length], [3_000_000, 3_000_000]);
  }));
