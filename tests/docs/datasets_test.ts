/** The page of input files: its examples are the fixtures, and its commands run. */

import assert from "node:assert/strict";
import { PUBLIC_DATASETS } from "../../src/config/public_datasets/public_datasets.ts";
import { INPUT_FORMATS } from "../../src/load/dataset/formats/input_formats.ts";
import { commandsOf, runPage } from "../support/page_commands.ts";

const page = await Deno.readTextFile(new URL("../../docs/datasets.md", import.meta.url));

/** The files that the page shows, by the names that stand last before them. */
function examples(): Record<string, string> {
  const blocks = [...page.matchAll(/```(?:json|csv|txt)\n([^`]+)```/g)];
  return Object.fromEntries(blocks.map(({ index, 1: text }) => {
    const names = [...page.slice(0, index).matchAll(/`([a-z_]+\.(?:jsonl|json|csv|txt))`/g)];
    return [names.at(-1)?.[1] as string, text as string];
  }));
}

Deno.test("the page of input files shows every format", () => {
  const headings = [...page.matchAll(/^### (.*)$/gm)].map(([, name]) => name as string);
  assert.deepEqual(headings.sort(), [...INPUT_FORMATS.keys()].sort());
  // And a session of agents, which analyze-trace reads, and rows with expected answers.
  assert.equal(Object.keys(examples()).length, INPUT_FORMATS.size + 2);
});

Deno.test("the page of input files names every public dataset", () => {
  const section = page.slice(page.indexOf("## Public datasets"));
  for (const { name, repository, aliases = [] } of PUBLIC_DATASETS) {
    const row = section.split("\n").find((line) => line.startsWith(`| \`${name}\` `)) ?? "";
    for (const text of [repository, ...aliases]) assert.ok(row.includes(text), `${name}: ${text}`);
  }
});

Deno.test("every command of the page of input files does what it says", async (t) => {
  const commands = commandsOf(page);
  assert.ok(commands.length > INPUT_FORMATS.size);
  await runPage(t, commands, { runs: [], files: examples() });
});
