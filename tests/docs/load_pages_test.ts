/** Commands of the pages about load and servers run, and their outputs have the shape shown. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { outputShape } from "../support/output_shape.ts";
import { commandsOf, parsedCommand, runPage } from "../support/page_commands.ts";
import { NO_FLUSH, runCli } from "../support/run_cli.ts";

const DOCS = new URL("../../docs/", import.meta.url);

async function page(name: string): Promise<string> {
  return await Deno.readTextFile(new URL(name, DOCS));
}

/** The output blocks of a page. */
function outputsOf(text: string): string[] {
  return [...text.matchAll(/^```text\n([^`]+)```/gm)].map(([, block]) => block as string);
}

/** Shapes of the lines of a block that have words. */
function linesOf(block: string): string[] {
  return outputShape(block).filter((line) => /[a-z]{2}/i.test(line));
}

/** Asserts that a program prints the lines of a block, whatever their numbers. */
function assertPrinted(block: string | undefined, printed: string): void {
  const lines = linesOf(block as string);
  assert.ok(lines.length > 0, block);
  const shapes = new Set(outputShape(printed));
  for (const line of lines) assert.ok(shapes.has(line), `${line}\nis not in\n${printed}`);
}

/** Output of a command of a page against a mock server of its own. */
async function outputOf(
  command: string,
  mockArgs: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  using mock = await startLocalMock(["--ttft", "5", "--itl", "1", ...mockArgs]);
  const host = mock.url.replace("http://", "");
  let printed = "";
  await withFolder(async (folder) => {
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    const { args } = parsedCommand(
      command.replace(/localhost:8000|http:\/\/node1:8000/, host)
        .replace("http://node1:9400 node2:9400", `${host}/dcgm/metrics`)
        .replace("--session-turn-delay-mean 500", "--session-turn-delay-mean 5"),
    );
    const { code, stdout, stderr } = await runCli(args, { cwd: folder, env: NO_FLUSH });
    assert.equal(code, 0, stderr);
    printed = stdout + stderr;
  });
  return printed;
}

Deno.test("commands of the pages of endpoint types, server metrics and security run", async (t) => {
  for (
    const [name, count] of [["endpoints.md", 3], ["server_metrics.md", 1], [
      "security.md",
      1,
    ]] as const
  ) {
    // A template's server is the reader's own.
    const commands = commandsOf(await page(name)).filter((line) =>
      !line.includes("payload_template")
    );
    assert.equal(commands.length, count, name);
    await runPage(t, commands, { runs: [], files: {} });
  }
});

Deno.test("the page of sessions shows turns as they are printed", async () => {
  const text = await page("sessions.md");
  const [command = ""] = commandsOf(text);
  assertPrinted(outputsOf(text)[0], await outputOf(command, ["--prefix-cache"]));
});

Deno.test("the page of endpoint types shows models as they are printed", async () => {
  const text = await page("endpoints.md");
  const command = commandsOf(text).find((line) => line.includes("lora-b")) as string;
  assertPrinted(outputsOf(text)[0], await outputOf(command));
});

Deno.test("the page of GPUs shows the table and the energy as they are printed", async () => {
  const text = await page("gpu.md");
  const [command = ""] = commandsOf(text);
  const load = `${command} --streaming --request-count 100 --osl 20`;
  assertPrinted(outputsOf(text)[0], await outputOf(load, ["--gpus", "2"]));
});

Deno.test("the page of datasets shows the format and the analysis as they are printed", async () => {
  const text = await page("datasets.md");
  const [single = "", trace = ""] = ["single_turn.jsonl", "mooncake_trace.jsonl"].map((name) =>
    new RegExp(`\`${name}\`[^\`]*\`\`\`json\\n([^\`]+)\`\`\``).exec(text)?.[1]
  );
  const files = { "single_turn.jsonl": single, "mooncake_trace.jsonl": trace };
  const commands = commandsOf(text);
  const [detected, analysis] = outputsOf(text);
  assertPrinted(detected, await outputOf(commands[0] as string, [], files));
  const analyze = commands.find((line) => line.startsWith("inferometer analyze-trace")) as string;
  // Nothing in it depends on time.
  const lines = (analysis as string).trim().split("\n");
  const printed = (await outputOf(analyze, [], files)).split("\n");
  for (const line of lines) assert.ok(printed.includes(line), `${line}\n${printed.join("\n")}`);
});

Deno.test("the page of exchange shows a translation as it is printed", async () => {
  const text = await page("exchange.md");
  const [command = ""] = commandsOf(text);
  const printed = await outputOf(command);
  for (const line of (outputsOf(text)[0] as string).trim().split("\n")) {
    assert.ok(printed.includes(line), `${line}\n${printed}`);
  }
});

Deno.test("the page of server roles shows objectives as they are printed", async () => {
  const text = await page("server_roles.md");
  const [command = ""] = commandsOf(text);
  // The line of the server has a maximum only if it differs from the mean.
  const [, objectives] = outputsOf(text)[0]?.split(/^(?=slo )/m) ?? [];
  assertPrinted(objectives, await outputOf(command));
});
