/** Recorded sessions, sent while their file is read and read before: servers see no difference. */

import assert from "node:assert/strict";
import type { ProfileOptions } from "../../../src/config/options/profile/profile_types.ts";
import { PAGING } from "../../../src/load/dataset/conversations/page_reader.ts";
import { withMock } from "../../support/local_mock.ts";
import { played, SMALL_PAGES, withThreads } from "../../support/paged_runs.ts";

const AGENTS = new URL("../../../fixtures/agents/", import.meta.url).pathname;
const FAST: ProfileOptions = { toolTime: "none", userTime: "none", concurrency: 3 };

/** Copies of a file with other names of sessions, one after the other. */
async function copies(file: string, count: number, names: readonly string[]): Promise<string> {
  const text = (await Deno.readTextFile(`${AGENTS}${file}`)).trim();
  const lines = text.startsWith('{"') && text.includes("\n{")
    ? text
    : JSON.stringify(JSON.parse(text));
  return Array.from(
    { length: count },
    (_, copy) =>
      names.reduce((all, name) => all.replaceAll(`"${name}"`, `"${copy}-${name}"`), lines),
  ).join("\n");
}

const CASES: readonly (readonly [
  file: string,
  names: readonly string[],
  count: number,
  options: ProfileOptions,
])[] = [
  ["weka_mixed_long.json", ["mix-1"], 9, {}],
  ["weka_linear_compaction.json", ["lin-1"], 5, {
    trajectoryStartMinRatio: 0.2,
    trajectoryStartMaxRatio: 0.7,
  }],
  ["mlperf_rows.jsonl", ["c1", "c2"], 6, { numSessions: 5 }],
  ["weka_flat_fanout.json", ["flat-1"], 4, { numSessions: 11, allowDatasetWrap: true }],
];

Deno.test("runProfile sends recorded sessions from pages as from a table", (t) =>
  withMock({}, ({ url }) =>
    withThreads(async (folder, warm) => {
      for (const [number, [file, names, count, options]] of CASES.entries()) {
        await t.step(file, async () => {
          const inputFile = `${folder}/input_${number}.jsonl`;
          await Deno.writeTextFile(inputFile, await copies(file, count, names));
          const given = { ...FAST, ...options, inputFile };
          const run = (kind: string, paging: typeof PAGING) =>
            played(url, `${folder}/${kind}_${number}`, given, { paging, warm });
          const table = await run("table", PAGING);
          const paged = await run("paged", SMALL_PAGES);
          assert.ok(paged.said.some((text) => text.startsWith("inputs.json is not written")));
          assert.deepEqual(paged.requests, table.requests);
          assert.equal(paged.outcome.report.requests.failed, 0);
          assert.deepEqual(paged.files, table.files.filter((name) => name !== "inputs.json"));
        });
      }
    })));
