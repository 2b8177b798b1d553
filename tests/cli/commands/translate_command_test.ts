import assert from "node:assert/strict";
import { runCli } from "../../support/run_cli.ts";

Deno.test("translate takes another tool's command line with or without dashes before it", async () => {
  // -m and --help are also names of options of the program's own.
  const words = ["vllm", "bench", "serve", "-m", "x", "--max-concurrency", "3"];
  const plain = await runCli(["translate", ...words]);
  const dashed = await runCli(["translate", "--", ...words]);
  assert.equal(plain.code, 0, plain.stderr);
  assert.match(plain.stdout, /^inferometer profile .*--model x .*--concurrency 3 /);
  assert.deepEqual(plain, dashed);
  const help = await runCli(["translate", "--help"]);
  assert.match(help.stdout, /^Usage: inferometer translate/);
  const unknown = await runCli(["translate", "--max-concurrency", "3"]);
  assert.equal(unknown.code, 2);
});
