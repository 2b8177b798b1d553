import assert from "node:assert/strict";
import { fileReason } from "../../../src/core/files/file_reason.ts";
import { withFolder } from "../../support/artifacts.ts";

async function reasonOf(action: () => Promise<unknown>): Promise<string> {
  try {
    await action();
  } catch (error) {
    return fileReason(error);
  }
  throw new Error("It did not fail");
}

Deno.test("fileReason says in words what the system says in numbers", () =>
  withFolder(async (folder) => {
    const file = `${folder}/file`;
    await Deno.writeTextFile(file, "x");
    const cases: readonly (readonly [action: () => Promise<unknown>, reason: string])[] = [
      [() => Deno.readTextFile(`${folder}/none`), "No such file or folder"],
      [() => Deno.readTextFile(`${file}/below`), "Not a folder"],
      [() => Deno.readTextFile(folder), "Is a folder"],
      [() => Deno.mkdir(file), "A file of that name is there"],
      [() => Promise.reject(new Error("Too odd (os error 99): open 'x'")), "Too odd"],
      [() => Promise.reject("only text"), "only text"],
    ];
    for (const [action, reason] of cases) assert.equal(await reasonOf(action), reason);
  }));
