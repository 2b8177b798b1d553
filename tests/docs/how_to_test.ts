/** The commands of `docs/how_to.md`, run as they are written, on small loads. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { startMock } from "../support/mock_process.ts";
import { endOf } from "../support/profile_run.ts";
import { NO_FLUSH, spawnCli } from "../support/run_cli.ts";

const page = await Deno.readTextFile(new URL("../../docs/how_to.md", import.meta.url));
const commands = [...page.matchAll(/```sh\n([^`]+)```/g)].map(([, text]) =>
  (text as string).trim()
);
const config = /```yaml\n([^`]+)```/.exec(page)?.[1] as string;

/** What keeps a command of the page short, where it says nothing of it. */
const SHORTER: readonly (readonly [string, string])[] = [
  ["--benchmark-duration 30s", "--benchmark-duration 1s"],
  ["--duration 60s", "--duration 1s"],
];

/** The words of a command line and the variables before it, as a shell reads them. */
function parsed(command: string): { args: string[]; env: Record<string, string> } {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) =>
    quoted ?? bare ?? ""
  );
  const start = words.indexOf("inferometer");
  const env = Object.fromEntries(words.slice(0, start).map((word) => word.split("=", 2)));
  return { args: words.slice(start + 1), env };
}

Deno.test("the how-to page has commands", () => assert.ok(commands.length >= 10));

Deno.test("every command of the how-to page does what it says", async (t) => {
  await using mock = await startMock(["--ttft", "2", "--itl", "0.1"]);
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/prompts.jsonl`, '{"text":"One"}\n{"text":"Two"}\n');
    await Deno.writeTextFile(
      `${folder}/run.yaml`,
      config.replace("localhost:8000", mock.url.replace("http://", "")),
    );
    const run = async (command: string) => {
      const text = SHORTER.reduce((text, [long, short]) => text.replace(long, short), command)
        .replaceAll("localhost:8000", mock.url.replace("http://", ""));
      const { args, env } = parsed(text);
      return await endOf(spawnCli(args, { cwd: folder, env: { ...NO_FLUSH, ...env } }));
    };
    // What the page takes for granted.
    const first = "inferometer profile --url localhost:8000 --request-count 2 --artifact-dir ";
    for (const name of ["earlier", "artifacts/my-run"]) {
      assert.equal((await run(`${first}${name}`)).code, 0);
    }
    for (const command of commands.filter((command) => !command.includes(" mock "))) {
      await t.step(command, async () => {
        const { code, stderr } = await run(command);
        assert.equal(code, 0, stderr);
      });
    }
  });
});
