/** The commands in docs/exchange.md do what they say. */

import assert from "node:assert/strict";
import { commandsOf, runPage } from "../support/page_commands.ts";

const ROOT = new URL("../../", import.meta.url);
const commands = commandsOf(await Deno.readTextFile(new URL("docs/exchange.md", ROOT)));
const fixture = async (name: string): Promise<string> =>
  await Deno.readTextFile(new URL(`fixtures/import/${name}`, ROOT));

Deno.test("the commands of docs/exchange.md work", async (t) => {
  for (const command of ["translate", "import", "recompute"]) {
    assert.ok(commands.some((line) => line.startsWith(`inferometer ${command} `)), command);
  }
  await runPage(t, commands, {
    runs: ["run"],
    requests: 12,
    files: {
      "vllm_result.json": await fixture("vllm_result.json"),
      "guidellm_benchmarks.json": await fixture("guidellm_benchmarks.json"),
      "config.yml": "server: {base_url: 'http://localhost:8000'}\n" +
        "load: {type: concurrent, stages: [{num_requests: 10, concurrency_level: 2}]}\n",
    },
  });
});
