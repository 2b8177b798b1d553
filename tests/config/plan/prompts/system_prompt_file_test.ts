import assert from "node:assert/strict";
import { resolvePlan } from "../../../../src/config/plan/resolve/resolve_plan.ts";
import { withFolder } from "../../../support/artifacts.ts";

const IS_UNIX = Deno.build.os !== "windows";

async function systemPromptOf(systemPromptFile: string): Promise<string | undefined> {
  const plan = await resolvePlan({ url: ["127.0.0.1:1"], model: "m", systemPromptFile }, {
    cores: 4,
    cliCommand: "test",
    findModel: () => Promise.resolve("m"),
  });
  return plan.systemPrompt;
}

Deno.test("--system-prompt-file is read as it is, but for a byte order mark", () =>
  withFolder(async (folder) => {
    const path = `${folder}/system.txt`;
    await Deno.writeTextFile(path, "\ufeffBe brief.\r\n");
    assert.equal(await systemPromptOf(path), "Be brief.\r\n");
    await Deno.writeTextFile(path, " \n");
    await assert.rejects(systemPromptOf(path), /There is no text in it$/);
    await Deno.truncate(path, 64_000_001);
    await assert.rejects(systemPromptOf(path), /Is larger than 64 MB$/);
  }));

Deno.test(
  "--system-prompt-file may be a pipe",
  { ignore: !IS_UNIX },
  () =>
    withFolder(async (folder) => {
      const path = `${folder}/pipe`;
      assert.ok((await new Deno.Command("mkfifo", { args: [path] }).output()).success);
      const reading = systemPromptOf(path);
      await Deno.writeTextFile(path, "Be brief.", { create: false });
      assert.equal(await reading, "Be brief.");
    }),
);
