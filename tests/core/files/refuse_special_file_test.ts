import assert from "node:assert/strict";
import { refuseSpecialFile } from "../../../src/core/files/refuse_special_file.ts";
import { FolderSink } from "../../../src/report/export/file_sink.ts";
import { ZipFile } from "../../../src/results/bundle/zip_file.ts";
import { namesIn, withFolder } from "../../support/artifacts.ts";

const ON_UNIX = { ignore: Deno.build.os === "windows" };
const REFUSED = /It is a device or a pipe: name a file$/;

async function makePipe(path: string): Promise<void> {
  assert.ok((await new Deno.Command("mkfifo", { args: [path] }).output()).success);
}

Deno.test("refuseSpecialFile takes files, folders, links to them, and what is not there", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/a`, "");
    await Deno.symlink(`${folder}/a`, `${folder}/b`);
    await Deno.symlink(`${folder}/none`, `${folder}/c`);
    for (const path of [folder, ...["a", "b", "c", "d"].map((name) => `${folder}/${name}`)]) {
      refuseSpecialFile(path);
    }
  }));

Deno.test(
  "refuseSpecialFile refuses devices and pipes, and links to them",
  ON_UNIX,
  () =>
    withFolder(async (folder) => {
      await makePipe(`${folder}/pipe`);
      await Deno.symlink(`${folder}/pipe`, `${folder}/link`);
      await Deno.symlink("/proc/self/fd/1", `${folder}/stdout`);
      for (
        const path of ["/dev/null", ...["pipe", "link", "stdout"].map((at) => `${folder}/${at}`)]
      ) {
        assert.throws(
          () => refuseSpecialFile(path),
          REFUSED,
          path,
        );
      }
    }),
);

Deno.test("no file is put in the place of a pipe", ON_UNIX, () =>
  withFolder(async (folder) => {
    const path = `${folder}/pipe`;
    await makePipe(path);
    const sink = new FolderSink(folder);
    await assert.rejects(sink.write("pipe", ["text"]), REFUSED);
    assert.throws(() => sink.openLines("pipe"), REFUSED);
    await assert.rejects(ZipFile.create(path), REFUSED);
    assert.ok((await Deno.lstat(path)).isFifo);
    assert.deepEqual(await namesIn(folder), ["pipe"]);
  }));
