import assert from "node:assert/strict";
import { withFolder } from "../../support/artifacts.ts";

const ROOT = new URL("../../../", import.meta.url);

/** Stands for an executable: a program whose own file is not src/main.ts. */
const PROGRAM = `
import { runProgram } from "${new URL("src/cli/program.ts", ROOT).href}";
Deno.exit(await runProgram(Deno.args));
`;

Deno.test("--print-deno-flags of an executable works in a checkout, and elsewhere says so", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/executable.ts`, PROGRAM);
    const run = async (cwd: string | URL) => {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "--allow-all", "--quiet", "--no-config", `${folder}/executable.ts`],
          ...["profile", "--url", "127.0.0.1:8000", "--model", "m", "--print-deno-flags"],
        ],
        cwd,
      }).output();
      const decoder = new TextDecoder();
      return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
    };
    const inCheckout = await run(ROOT);
    assert.deepEqual([inCheckout.code, inCheckout.stderr], [0, ""]);
    assert.match(
      inCheckout.stdout,
      / src\/main\.ts profile --url 127\.0\.0\.1:8000 --model m --canary-port \d+\n$/,
    );
    const elsewhere = await run(folder);
    assert.deepEqual([elsewhere.code, elsewhere.stdout], [2, ""]);
    assert.match(
      elsewhere.stderr,
      /^error: --print-deno-flags: Permissions of an executable are built in; .*checkout of /,
    );
  }));
