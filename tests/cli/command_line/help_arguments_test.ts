import assert from "node:assert/strict";
import { helpArguments } from "../../../src/cli/command_line/help_arguments.ts";

const COMMANDS = ["profile", "report", "mock"];

Deno.test("help followed by a command or a topic prints the help of it", () => {
  const cases: [string, string][] = [
    ["help", "--help"],
    ["help --help", "--help"],
    ["help report", "report --help"],
    ["help profile data", "profile --help data"],
    ["help data", "profile --help data"],
    ["help all", "profile --help all"],
    ["help server-metrics", "profile --help server-metrics"],
    ["help reprot", "reprot"],
    ["report help", "report help"],
    ["mock --port 0", "mock --port 0"],
  ];
  for (const [given, expected] of cases) {
    assert.equal(helpArguments(given.split(" "), COMMANDS).join(" "), expected, given);
  }
});
