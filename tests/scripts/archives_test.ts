import assert from "node:assert/strict";
import { crc32, inflateRawSync } from "node:zlib";
import type { ArchiveEntry } from "../../scripts/release/archive_entry.ts";
import { tarArchive } from "../../scripts/release/tar_archive.ts";
import { zipArchive } from "../../scripts/release/zip_archive.ts";
import { withFolder } from "../support/artifacts.ts";
import { works } from "../support/works.ts";

const EPOCH_SECONDS = 1_700_000_001;
const random = crypto.getRandomValues(new Uint8Array(3000));
const ENTRIES: readonly ArchiveEntry[] = [
  { path: "program", bytes: random, isExecutable: true },
  {
    path: "README.md",
    bytes: new TextEncoder().encode("# Title\n".repeat(100)),
    isExecutable: false,
  },
  { path: "block", bytes: new Uint8Array(1024).fill(65), isExecutable: false },
  { path: "empty", bytes: new Uint8Array(0), isExecutable: false },
];

/** Unpacks an archive as a user does, and compares. */
async function assertUnpacks(name: string, bytes: Uint8Array, command: string[]): Promise<void> {
  await withFolder(async (folder) => {
    await Deno.writeFile(`${folder}/${name}`, bytes);
    const [program, ...args] = command as [string, ...string[]];
    const { code, stderr } = await new Deno.Command(program, {
      args: [...args, name],
      cwd: folder,
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    for (const { path, bytes, isExecutable } of ENTRIES) {
      assert.deepEqual(await Deno.readFile(`${folder}/${path}`), bytes, path);
      const { mode } = await Deno.stat(`${folder}/${path}`);
      assert.equal(((mode ?? 0) & 0o100) !== 0, isExecutable, path);
    }
  });
}

Deno.test({
  name: "tarArchive makes what tar unpacks",
  ignore: Deno.build.os === "windows" || !works("tar"),
  fn: () => assertUnpacks("a.tar", tarArchive(ENTRIES, EPOCH_SECONDS), ["tar", "-xf"]),
});

Deno.test({
  name: "zipArchive makes what unzip unpacks",
  ignore: Deno.build.os === "windows" || !works("unzip", ["-v"]),
  fn: () => assertUnpacks("a.zip", zipArchive(ENTRIES, EPOCH_SECONDS), ["unzip", "-q"]),
});

Deno.test("archives of the same files have the same bytes, and other times show", () => {
  for (const archive of [tarArchive, zipArchive]) {
    const first = archive(ENTRIES, EPOCH_SECONDS);
    assert.deepEqual(archive(ENTRIES, EPOCH_SECONDS), first);
    assert.notDeepEqual(archive(ENTRIES, EPOCH_SECONDS + 100), first);
  }
});

Deno.test("tarArchive refuses a path that the format has no room for", () => {
  const entry = { path: "a".repeat(101), bytes: new Uint8Array(0), isExecutable: false };
  assert.throws(() => tarArchive([entry], 0), /at most 100 bytes/);
});

Deno.test("zipArchive's directory finds each file, with its checksum and time", () => {
  const bytes = zipArchive(ENTRIES, EPOCH_SECONDS);
  const view = new DataView(bytes.buffer);
  const end = bytes.length - 22;
  assert.equal(view.getUint32(end, true), 0x06054b50);
  assert.equal(view.getUint16(end + 10, true), ENTRIES.length);
  let at = view.getUint32(end + 16, true);
  for (const entry of ENTRIES) {
    const nameLength = view.getUint16(at + 28, true);
    const local = view.getUint32(at + 42, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    assert.equal(name, entry.path);
    const start = local + 30 + nameLength;
    const packed = bytes.subarray(start, start + view.getUint32(at + 20, true));
    assert.deepEqual(new Uint8Array(inflateRawSync(packed)), entry.bytes);
    assert.equal(view.getUint32(at + 16, true), crc32(entry.bytes));
    // 2023-11-14 22:13:20, in steps of two seconds.
    assert.equal(view.getUint16(at + 12, true), (22 << 11) | (13 << 5) | 10);
    assert.equal(view.getUint16(at + 14, true), (43 << 9) | (11 << 5) | 14);
    at += 46 + nameLength;
  }
});
