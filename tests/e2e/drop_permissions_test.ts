import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";

const PROGRAM = new URL("../../src/cli/program.ts", import.meta.url).href;
const NAMES = ["net", "read", "write", "run", "ffi", "sys", "env", "import"];

/** Runs a command line in a process that has every permission, and tells which ones it has left. */
async function permissionsAfter(args: readonly string[]): Promise<Record<string, string>> {
  const code = `
    import { runProgram } from ${JSON.stringify(PROGRAM)};
    const code = await runProgram(${JSON.stringify(args)});
    const left = { code };
    for (const name of ${JSON.stringify(NAMES)}) {
      left[name] = (await Deno.permissions.query({ name })).state;
    }
    console.log("\\nleft " + JSON.stringify(left));
    Deno.exit();`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-prompt", "--quiet", "-"],
    cwd: new URL("../../", import.meta.url),
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(code));
  await writer.close();
  const { stdout } = await child.output();
  const text = new TextDecoder().decode(stdout);
  return JSON.parse(/\nleft (.*)\n/.exec(text)?.[1] ?? assert.fail(text));
}

const NOTHING_LEFT = {
  code: 0,
  ...Object.fromEntries(NAMES.map((name) => [name, "prompt"])),
};

Deno.test("profile has given up every permission once its threads run", async () => {
  await withFolder(async (folder) => {
    using mock = await startLocalMock();
    const left = await permissionsAfter([
      ...["profile", "--url", mock.url, "--request-count", "2", "--osl", "2", "--ui", "none"],
      ...["--no-server-metrics", "--artifact-dir", `${folder}/a`],
    ]);
    assert.deepEqual(left, NOTHING_LEFT);
  });
});

Deno.test("scrape has given up every permission once its threads run", async () => {
  await withFolder(async (folder) => {
    using mock = await startLocalMock();
    const left = await permissionsAfter([
      ...["scrape", `${mock.url}/metrics`, "--duration", "1", "--artifact-dir", `${folder}/a`],
    ]);
    assert.deepEqual(left, NOTHING_LEFT);
  });
});

Deno.test("a command without threads keeps what it was given", async () => {
  const left = await permissionsAfter(["version"]);
  assert.equal(left["net"], "granted");
});
