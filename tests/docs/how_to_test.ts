/** The commands of the pages of tasks, run as they are written, on small loads. */

import assert from "node:assert/strict";
import { commandsOf, runPage } from "../support/page_commands.ts";

async function page(name: string): Promise<string> {
  return await Deno.readTextFile(new URL(`../../docs/${name}`, import.meta.url));
}

Deno.test("every command of the how-to page does what it says", async (t) => {
  const text = await page("how_to.md");
  const commands = commandsOf(text);
  assert.ok(commands.length >= 10);
  await runPage(t, commands.filter((command) => !command.includes(" mock ")), {
    runs: ["earlier", "artifacts/my-run"],
    files: {
      "trace.jsonl": '{"timestamp":0,"input_length":9}\n{"timestamp":9,"input_length":9}\n',
      "prompts.txt": "One\nTwo\n",
      "prompts.csv": "id,prompt\n1,One\n2,Two\n",
      "prompts.jsonl": '{"text":"One"}\n{"text":"Two"}\n',
      "run.yaml": /```yaml\n([^`]+)```/.exec(text)?.[1] as string,
    },
  });
});

Deno.test("every command of the page of load shapes does what it says", async (t) => {
  const text = await page("load_shapes.md");
  const commands = commandsOf(text);
  assert.ok(commands.length >= 9);
  await runPage(t, commands.filter((command) => !command.includes(" mock ")), {
    runs: [],
    files: { "rates.json": /```json\n([^`]+)```/.exec(text)?.[1] as string },
  });
});

Deno.test("every command of the page of gates does what it says", async (t) => {
  const commands = commandsOf(await page("gates.md"));
  assert.ok(commands.length >= 5);
  await runPage(t, commands, { runs: [], files: {} });
});

Deno.test("every command of the page of comparisons does what it says", async (t) => {
  const commands = commandsOf(await page("compare.md"));
  assert.ok(commands.length >= 4);
  const runs = ["old", "old2", "new", "new2"].map((name) => `artifacts/${name}`);
  await runPage(t, commands, { runs, files: {}, requests: 20 });
});

Deno.test("every command of the page of runs does what it says", async (t) => {
  const commands = commandsOf(await page("runs.md"));
  assert.ok(commands.length >= 10);
  await runPage(t, commands, { runs: [], files: {} });
});

Deno.test("every command of the page of other systems does what it says", async (t) => {
  const commands = commandsOf(await page("integrations.md"));
  assert.ok(commands.length >= 2);
  await runPage(t, commands, { runs: ["artifacts/my-run"], files: {} });
});

Deno.test("every command of the quick start does what it says", async (t) => {
  const commands = commandsOf(await page("quick_start.md"));
  assert.ok(commands.length >= 6);
  await runPage(t, commands.filter((command) => !command.includes(" mock ")), {
    runs: [],
    files: {},
  });
});

Deno.test("every command of the page of servers does what it says", async (t) => {
  const commands = commandsOf(await page("servers.md"));
  assert.ok(commands.length >= 6);
  await runPage(t, commands, { runs: [], files: {} });
});

Deno.test("every command of the page of agents does what it says", async (t) => {
  const commands = commandsOf(await page("agents.md"));
  assert.ok(commands.length >= 7);
  const names = ["agents_graph.jsonl", "agents_spans.jsonl", "agents_tools.jsonl"];
  const files = await Promise.all(
    [...names, "agents_weka.json"].map(async (name) =>
      [name, await page(`examples/${name}`)] as const
    ),
  );
  await runPage(t, commands, { runs: [], files: Object.fromEntries(files) });
});

for (
  const [name, least] of [
    ["accuracy.md", 1],
    ["coming_from.md", 3],
    ["index.md", 1],
    ["publishing.md", 2],
    ["search.md", 1],
    ["sweeps.md", 2],
    ["troubleshooting.md", 1],
  ] as const
) {
  Deno.test(`every command of ${name} does what it says`, async (t) => {
    const commands = commandsOf(await page(name));
    assert.ok(commands.length >= least);
    await runPage(t, commands, { runs: [], files: {} });
  });
}
