/** The page of prompts: its options exist, and its commands run. */

import assert from "node:assert/strict";
import { kebab } from "../../src/config/options/option.ts";
import { PROMPT_OPTIONS } from "../../src/config/options/profile/prompt_options.ts";
import { commandsOf, runPage } from "../support/page_commands.ts";

const page = await Deno.readTextFile(new URL("../../docs/prompts.md", import.meta.url));

Deno.test("the page of prompts names every option of prompts", () => {
  for (const name of Object.keys(PROMPT_OPTIONS)) {
    assert.ok(page.includes(`--${kebab(name)}`), name);
  }
  for (const value of PROMPT_OPTIONS.cacheBust.choices.slice(1)) {
    assert.ok(page.includes(`\`${value}\``), value);
  }
});

Deno.test("every command of the page of prompts runs", async (t) => {
  const commands = commandsOf(page);
  assert.equal(commands.length, 1);
  await runPage(t, commands, { runs: [], files: {} });
});
