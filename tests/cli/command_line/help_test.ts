import assert from "node:assert/strict";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { helpText } from "../../../src/cli/command_line/help_text.ts";
import { programHelp } from "../../../src/cli/command_line/program_help.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../../src/config/options/commands/option_tables.ts";

Deno.test("the help of the program is one screen of 80 columns and 24 rows", () => {
  const lines = programHelp(COMMANDS).split("\n");
  // The last line is empty; below it stands the prompt.
  assert.ok(lines.length <= 24, `${lines.length} lines`);
  for (const line of lines) assert.ok(line.length <= 80, line);
  const alsoAt = lines.findIndex((line) => line.startsWith("  also: "));
  const rare = lines.slice(alsoAt, lines.indexOf("", alsoAt)).join(" ").split(/\s+/);
  for (const { name, isRare } of COMMANDS) {
    const isNamed = isRare === true
      ? rare.includes(name)
      : lines.some((line) => line.startsWith(`  ${name} `));
    assert.ok(isNamed, name);
  }
  assert.equal(lines.filter((line) => line.startsWith("  inferometer ")).length, 3, "examples");
});

/** Flags at the beginning of the lines of help. */
function flagsIn(topic: string | undefined): string[] {
  const text = helpText({
    usage: "inferometer profile",
    description: "",
    table: PROFILE_COMMAND_OPTIONS,
    topic,
    examples: [],
    width: 80,
  });
  for (const line of text.split("\n")) assert.ok(line.length <= 80, line);
  return [...text.matchAll(/^ {2}(?:-\w,| {3}) (--[a-z-]+)/gm)].map(([, flag = ""]) => flag);
}

Deno.test("the help of a benchmark lists ten options, and all of them for the topic all", () => {
  const common = flagsIn(undefined);
  assert.equal(common.length, 10);
  const all = flagsIn("all");
  assert.ok(all.length > 3 * common.length);
  for (const flag of common) assert.ok(all.includes(flag), flag);
  const load = flagsIn("load");
  assert.ok(load.includes("--arrival-pattern") && !load.includes("--url"), load.join(" "));
  assert.ok(flagsIn("interface").includes("--console"));
});
