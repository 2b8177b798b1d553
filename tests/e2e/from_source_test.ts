/** The other tests start the program as one bundle; from its sources it is no other. */

import assert from "node:assert/strict";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { withMock } from "../support/local_mock.ts";
import { PROFILE } from "../support/profile_run.ts";
import { cliCommand, sourceCommand } from "../support/run_cli.ts";

Deno.test("the program measures, writes and says the same from source and as a bundle", () =>
  withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const outcome = async (commandOf: typeof cliCommand) => {
        const run = async (...args: readonly string[]) => {
          const [command, words] = commandOf([
            ...[...PROFILE, "--url", url, "--streaming", "--request-count", "6", "--osl", "3"],
            ...["--artifact-dir", `${folder}/run`, "--overwrite", "--export-level", "raw", ...args],
          ]);
          const { code, stdout, stderr } = await new Deno.Command(command, {
            args: words,
            stdin: "null",
          }).output();
          const decoder = new TextDecoder();
          assert.equal(code, 0, decoder.decode(stderr));
          return decoder.decode(stdout);
        };
        const plan = await run("--dry-run");
        await run("--random-seed", "3");
        const { names, records } = await readArtifacts(`${folder}/run`);
        return {
          plan: plan.replace(/seed +\d+/, ""),
          names,
          inputs: await Deno.readTextFile(`${folder}/run/inputs.json`),
          records: records.map(({ error }) => error?.kind),
        };
      };
      const bundled = await outcome(cliCommand);
      assert.equal(bundled.records.length, 6);
      assert.deepEqual(await outcome(sourceCommand), bundled);
    })));

Deno.test("the program from source names the permission to read its own code", async () => {
  const [command, words] = sourceCommand(["mock", "--port", "0"]);
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: words.map((word) => word === "--allow-all" ? "--allow-net" : word),
    stdin: "null",
    env: { "DENO_NO_PROMPT": "1" },
  }).output();
  const decoder = new TextDecoder();
  assert.equal(code, 2, decoder.decode(stdout));
  assert.match(
    decoder.decode(stderr),
    /^error: The runtime does not grant what is needed: .*mock_command\.ts".*--allow-read flag\n$/,
  );
});
