/** Outputs that pages show have the shape of what their commands print. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { outputLabels, outputShape } from "../support/output_shape.ts";
import { commandsOf, parsedCommand } from "../support/page_commands.ts";
import { NO_FLUSH, runCli } from "../support/run_cli.ts";

const ROOT = new URL("../../", import.meta.url);

async function textOf(name: string): Promise<string> {
  return await Deno.readTextFile(new URL(name, ROOT));
}

/** The blocks of a page that have a language. */
function blocksOf(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^\`]+)\`\`\``, "gm"))]
    .map(([, text]) => text as string);
}

/** Runs commands of a page against a mock server of their own; the outputs of all, in order. */
async function outputsOf(commands: readonly string[]): Promise<string[]> {
  using mock = await startLocalMock(["--ttft", "20", "--itl", "2"]);
  const outputs: string[] = [];
  await withFolder(async (folder) => {
    for (const command of commands) {
      const { args, env } = parsedCommand(
        command.replaceAll("localhost:8000", mock.url.replace("http://", "")),
      );
      const { code, stdout, stderr } = await runCli(args, {
        cwd: folder,
        env: { ...NO_FLUSH, ...env },
      });
      assert.ok(code === 0 || code === 3, stderr);
      outputs.push(stdout + stderr);
    }
  });
  return outputs;
}

Deno.test("the quick start and README show the result of a run as it is printed", async () => {
  const page = await textOf("docs/quick_start.md");
  const command = commandsOf(page).find((line) => line.includes("artifacts/first")) as string;
  const [output = ""] = await outputsOf([`${command} --goodput "ttft:100 itl:12"`]);
  const printed = outputLabels(output);
  const [block = ""] = blocksOf(page, "text");
  const shown = outputLabels(block);
  assert.ok(shown.length >= 12, shown.join());
  assert.deepEqual(shown, printed.filter((label) => label !== "good/s"));
  const [example = ""] = blocksOf(await textOf("README.md"), "console");
  const brief = outputLabels(example.replace(/^[^]*?GPUs not stated/, ""));
  assert.ok(brief.length >= 8, brief.join());
  assert.deepEqual(brief, printed.filter((label) => brief.includes(label)));
});

Deno.test("the pages of gates, comparisons and sweeps show lines as they are printed", async () => {
  const short = "inferometer profile --url localhost:8000 --streaming --request-count 40 --osl 8";
  const [, , gate = "", compared = "", sweep = ""] = await outputsOf([
    `${short} --artifact-dir old`,
    `${short} --artifact-dir new`,
    'inferometer gate new --slo "ttft.p99<500ms" "error_rate<0.1%" "itl.p99<8ms"',
    "inferometer compare old new",
    `${short} --concurrency 2,4 --artifact-dir sweep`,
  ]);
  const gateLines = outputShape(blocksOf(await textOf("docs/gates.md"), "text")[0] as string);
  const printed = outputShape(gate);
  for (const line of gateLines.filter((line) => line !== "")) {
    const objective = line.replace(/ (?:met|MISSED).*$/, "");
    const isPrinted = printed.some((text) => /^(.*?) (?:met|MISSED)/.exec(text)?.[1] === objective);
    assert.ok(isPrinted, `${objective}: ${gate}`);
  }
  const [comparison = ""] = blocksOf(await textOf("docs/compare.md"), "text");
  const rows = outputLabels(comparison);
  assert.ok(rows.length >= 3, rows.join());
  for (const row of rows) assert.ok(outputLabels(compared).includes(row), `${row}: ${compared}`);
  const [points = ""] = blocksOf(await textOf("docs/sweeps.md"), "text");
  const [point = ""] = outputShape(points);
  // Diagnosis and verdict depend on the machine.
  const metrics = point.replace(/ ms .*$/, " ms ");
  assert.ok(outputShape(sweep).some((line) => line.startsWith(metrics)), `${point}: ${sweep}`);
});

Deno.test("the page for users of other tools shows what translate prints", async () => {
  const page = await textOf("docs/coming_from.md");
  const [command = ""] = commandsOf(page);
  const { code, stdout } = await runCli(parsedCommand(command).args);
  assert.equal(code, 0);
  assert.equal(stdout.trim(), blocksOf(page, "text")[0]?.trim());
});
