import assert from "node:assert/strict";
import { readFile, ReadFileError, utf8Text } from "../../../src/core/files/read_file.ts";
import { withFolder } from "../../support/artifacts.ts";

const encoder = new TextEncoder();
const IS_UNIX = Deno.build.os !== "windows";

async function refuses(work: Promise<unknown>, message: string): Promise<void> {
  await assert.rejects(
    work,
    (error) => error instanceof ReadFileError && error.message === message,
  );
}

async function pipe(path: string): Promise<void> {
  assert.ok((await new Deno.Command("mkfifo", { args: [path] }).output()).success);
}

Deno.test("readFile reads files up to the size that is allowed", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/a`, "12345");
    assert.deepEqual(await readFile(`${folder}/a`, { maxBytes: 5 }), encoder.encode("12345"));
    await refuses(readFile(`${folder}/a`, { maxBytes: 4 }), "Is larger than 0.000004 MB");
    await refuses(readFile(`${folder}/b`), "File does not exist");
    await refuses(readFile(folder), "Is a folder");
  }));

Deno.test(
  "readFile reads no device, and pipes only where they may be",
  { ignore: !IS_UNIX },
  () =>
    withFolder(async (folder) => {
      await pipe(`${folder}/pipe`);
      const message = "Is not a file but a device or a pipe";
      await refuses(readFile("/dev/zero", { pipes: true, maxBytes: 10 }), message);
      await refuses(readFile(`${folder}/pipe`), message);
      const reading = readFile(`${folder}/pipe`, { pipes: true });
      await Deno.writeFile(`${folder}/pipe`, encoder.encode("through"), { create: false });
      assert.deepEqual(await reading, encoder.encode("through"));
    }),
);

Deno.test(
  "readFile can be ended while a pipe says nothing",
  { ignore: !IS_UNIX },
  () =>
    withFolder(async (folder) => {
      await pipe(`${folder}/pipe`);
      // Somebody who holds it open: reading begins, and nothing comes.
      using silent = await Deno.open(`${folder}/pipe`, { read: true, write: true });
      const controller = new AbortController();
      const reading = readFile(`${folder}/pipe`, { pipes: true, signal: controller.signal });
      controller.abort();
      await assert.rejects(reading, (error) => error === controller.signal.reason);
      // The read under way holds the pipe until something comes.
      await silent.write(encoder.encode("x"));
    }),
);

Deno.test("utf8Text names the line that is not UTF-8", () => {
  assert.equal(utf8Text(encoder.encode("a\n\u00e9\n")), "a\n\u00e9\n");
  for (
    const [bytes, line] of [[[255], 1], [[10, 97, 10, 195], 3], [[10, 195, 10, 97], 2]] as const
  ) {
    assert.throws(() => utf8Text(Uint8Array.from(bytes)), {
      name: "ReadFileError",
      message: `Not valid UTF-8 in line ${line}`,
    });
  }
});
