import assert from "node:assert/strict";
import { ExportError } from "../../../src/report/export/export_error.ts";
import { FolderSink } from "../../../src/report/export/file_sink.ts";
import { namesIn, withFolder } from "../../support/artifacts.ts";
import { CAN_MOUNT, withDisk } from "../../support/small_disk.ts";

function bytesOf(text: string): Uint8Array[] {
  return [new TextEncoder().encode(text)];
}

Deno.test("FolderSink writes files of any size, texts and bytes mixed", () =>
  withFolder(async (folder) => {
    const sink = new FolderSink(folder);
    const pieces = [
      "a".repeat(10),
      new Uint8Array(300_000).fill(98),
      "é🚀",
      new Uint8Array(0),
      "",
      "c".repeat(262_144),
      "d",
    ];
    await sink.write("large.txt", pieces);
    const expected = `${"a".repeat(10)}${"b".repeat(300_000)}é🚀${"c".repeat(262_144)}d`;
    assert.equal(await Deno.readTextFile(`${folder}/large.txt`), expected);
    await sink.write("empty.txt", []);
    assert.equal(await Deno.readTextFile(`${folder}/empty.txt`), "");
    assert.deepEqual(await namesIn(folder), ["empty.txt", "large.txt"]);
  }));

Deno.test("FolderSink leaves the old file if the new one does not come about", () =>
  withFolder(async (folder) => {
    const sink = new FolderSink(folder);
    await sink.write("result.json", ["old"]);
    function* broken(): Generator<string> {
      yield "new";
      throw new Error("The figures are wrong");
    }
    await assert.rejects(
      () => sink.write("result.json", broken()),
      (error) =>
        error instanceof ExportError && error.path === `${folder}/result.json` &&
        error.message === `Cannot write ${folder}/result.json: The figures are wrong`,
    );
    assert.equal(await Deno.readTextFile(`${folder}/result.json`), "old");
    assert.deepEqual(await namesIn(folder), ["result.json"]);
    await sink.write("result.json", ["new"]);
    assert.equal(await Deno.readTextFile(`${folder}/result.json`), "new");
  }));

Deno.test("FolderSink appends lines, and begins anew with each opening", () =>
  withFolder(async (folder) => {
    const sink = new FolderSink(folder);
    const first = sink.openLines("records.jsonl");
    first.append(bytesOf("1\n2\n"));
    first.append(bytesOf("é\n"));
    assert.equal(await Deno.readTextFile(`${folder}/records.jsonl`), "1\n2\né\n");
    first.close();
    const second = sink.openLines("records.jsonl");
    second.append(bytesOf("3\n"));
    second.close();
    assert.equal(await Deno.readTextFile(`${folder}/records.jsonl`), "3\n");
  }));

Deno.test("FolderSink says which file cannot be written, and why", () =>
  withFolder(async (folder) => {
    const sink = new FolderSink(`${folder}/missing`);
    const says = (error: unknown) =>
      error instanceof ExportError &&
      error.message.startsWith(`Cannot write ${folder}/missing/x: `);
    await assert.rejects(() => sink.write("x", ["a"]), says);
    assert.throws(() => sink.openLines("x"), says);
  }));

Deno.test("FolderSink keeps whole lines on a disk that fills up, and goes on when there is room", {
  ignore: !CAN_MOUNT,
}, () =>
  withDisk("size=256k", async (folder) => {
    const sink = new FolderSink(folder);
    const lines = sink.openLines("records.jsonl");
    const line = `${"x".repeat(999)}\n`;
    lines.append(bytesOf(line));
    const tooMuch = line.repeat(8 * 1024);
    assert.throws(
      () => lines.append(bytesOf(tooMuch)),
      (error) =>
        error instanceof ExportError &&
        error.message === `Cannot write ${folder}/records.jsonl: No space left on the device`,
    );
    assert.equal(await Deno.readTextFile(`${folder}/records.jsonl`), line);
    lines.append(bytesOf("last\n"));
    lines.close();
    assert.equal(await Deno.readTextFile(`${folder}/records.jsonl`), `${line}last\n`);
    await assert.rejects(() => sink.write("result.json", [tooMuch]), ExportError);
    assert.deepEqual(await namesIn(folder), ["records.jsonl"]);
  }));

/** What the system says of different failures, and what users read. */
const REASONS: readonly [unknown, string][] = [
  [new Error("No space left on device (os error 28)"), "No space left on the device"],
  [new Error("Read-only file system (os error 30)"), "The file system is read-only"],
  [new Deno.errors.PermissionDenied("os error 13"), "Permission denied"],
  [new Error("Something else"), "Something else"],
  ["a text", "a text"],
];

Deno.test("ExportError says in plain words why a file could not be written", () => {
  for (const [cause, reason] of REASONS) {
    const error = new ExportError("/a/b", cause);
    assert.equal(error.message, `Cannot write /a/b: ${reason}`);
    assert.equal(error.cause, cause);
    assert.equal(error.name, "ExportError");
  }
});
