/** What `docs/live.md` says is true. */

import assert from "node:assert/strict";
import { PROFILE_COMMAND_OPTIONS } from "../../src/config/options/commands/option_tables.ts";
import { resolveOptions } from "../../src/config/options/resolve_options.ts";
import { exposition } from "../../src/report/live/exposition.ts";
import { liveModel } from "../support/live_models.ts";
import { parseOptions, shellWords } from "../support/parse_options.ts";

const page = await Deno.readTextFile(new URL("../../docs/live.md", import.meta.url));

Deno.test("docs/live.md names every metric with its type, and no other", () => {
  const { load } = liveModel();
  const sessions = { inProgress: 1, begun: 1, planned: 1, isRateOfSessions: false };
  const text = exposition(liveModel({ load: { ...load, ratePerSecond: 5 }, sessions }));
  const given = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]),
  );
  const named = new Map<string, string>();
  for (const [, names = "", type = ""] of page.matchAll(/^\| (`inferometer_.*?) *\| (\w+) *\|/gm)) {
    for (const [, name = ""] of names.matchAll(/`(\w+)`/g)) named.set(name, type);
  }
  assert.deepEqual([...named.keys()].toSorted(), [...given.keys()].toSorted());
  for (const [name, type] of named) if (type !== "both") assert.equal(given.get(name), type, name);
});

Deno.test("docs/live.md shows command lines that can be used", async () => {
  const commands = [...page.matchAll(/^(?:\w+=\S+ )?inferometer profile (.*)$/gm)];
  assert.ok(commands.length >= 3);
  for (const [, words = ""] of commands) {
    const options = await parseOptions(PROFILE_COMMAND_OPTIONS, shellWords(words));
    resolveOptions(PROFILE_COMMAND_OPTIONS, options);
  }
});
