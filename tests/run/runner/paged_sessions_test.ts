/** Recorded sessions, sent while their file is read and read before: servers see no difference. */

import assert from "node:assert/strict";
import type { ProfileOptions } from "../../../src/config/options/profile/profile_types.ts";
import { PAGING } from "../../../src/load/dataset/conversations/page_reader.ts";
import { withMock } from "../../support/local_mock.ts";
import { played, SMALL_PAGES, withThreads } from "../../support/paged_runs.ts";

const AGENTS = new URL("../../../fixtures/agents/", import.meta.url).pathname;
const FAST: ProfileOptions = { toolTime: "none", userTime: "none", concurrency: 3 };

/** Names that copies of a session must not have in common. */
const NAMES =
  /"(?:id|session_id|parent_session_id|trajectory_id|request_id|conversation_id|turn_id|traceId|spanId|trace_id|span_id)": ?"([^"]+)"/g;
const CONVERSATION = /"gen_ai.conversation.id", ?"value": ?{"stringValue": ?"([^"]+)"/g;

/** Copies of a file with other names: one after the other, or with their rows in turn. */
async function copies(file: string, count: number, isMixed: boolean): Promise<string> {
  const text = (await Deno.readTextFile(`${AGENTS}${file}`)).trim();
  const isLines = text.includes('\n{"');
  const rows = isLines ? text.split("\n") : [JSON.stringify(JSON.parse(text))];
  const names = new Set(
    [...text.matchAll(NAMES), ...text.matchAll(CONVERSATION)].map(([, name]) => name),
  );
  const all = Array.from(
    { length: count },
    (_, copy) =>
      rows.map((row) =>
        [...names].reduce(
          (all: string, name) => all.replaceAll(`"${name}"`, `"${copy}-${name}"`),
          row,
        )
      ),
  );
  const isHeader = (row: string): boolean =>
    row.includes('"agentic_mooncake') || row.includes('"version": 2');
  const placed = isMixed
    ? rows.flatMap((_, row) => all.map((copy) => copy[row] as string))
    : all.flat();
  return placed.filter((row, place) => place === 0 || !isHeader(row)).join("\n");
}

const CASES: readonly (readonly [
  file: string,
  count: number,
  isMixed: boolean,
  options: ProfileOptions,
])[] = [
  ["weka_mixed_long.json", 9, false, {}],
  ["weka_linear_compaction.json", 5, false, {
    trajectoryStartMinRatio: 0.2,
    trajectoryStartMaxRatio: 0.7,
  }],
  ["mlperf_rows.jsonl", 6, false, { numSessions: 5 }],
  ["weka_mixed_long.json", 6, false, { agenticCacheWarmupDuration: 0.2 }],
  ["weka_flat_fanout.json", 4, false, { numSessions: 11, allowDatasetWrap: true }],
  ["agentperf_task.jsonl", 4, false, {}],
  ["agentperf_task.jsonl", 3, true, {}],
  ["dag_nested.jsonl", 4, false, {}],
  ["dag_spawn_join.jsonl", 3, true, {}],
  ["otel_otlp_lines.jsonl", 4, true, {}],
  ["otel_sessions.jsonl", 3, false, {}],
  ["dynamo_tools_children.jsonl", 3, true, {}],
  ["tracelab_subagent.jsonl", 3, true, {}],
  ["agentic_mooncake_v1.jsonl", 3, true, {}],
  ["agentic_mooncake_v2.jsonl", 3, true, { numSessions: 5, allowDatasetWrap: true }],
];

Deno.test("runProfile sends recorded sessions from pages as from a table", (t) =>
  withMock({}, ({ url }) =>
    withThreads(async (folder, warm) => {
      for (const [number, [file, count, isMixed, options]] of CASES.entries()) {
        await t.step(`${file}${isMixed ? ", rows of sessions in turn" : ""}`, async () => {
          const inputFile = `${folder}/input_${number}.jsonl`;
          await Deno.writeTextFile(inputFile, await copies(file, count, isMixed));
          const given = { ...FAST, ...options, inputFile };
          const run = (kind: string, paging: typeof PAGING) =>
            played(url, `${folder}/${kind}_${number}`, given, { paging, warm });
          const table = await run("table", PAGING);
          const paged = await run("paged", SMALL_PAGES);
          assert.ok(paged.said.some((text) => text.startsWith("inputs.json is not written")));
          const isIndexed = paged.said.some((text) =>
            text.includes("rows of a session lie anywhere")
          );
          const isScattered = isMixed || /^(otel|dynamo|tracelab|agentic)/.test(file);
          assert.equal(isIndexed, isScattered);
          assert.ok(table.requests.length >= 10);
          assert.deepEqual(paged.requests, table.requests);
          assert.equal(paged.outcome.report.requests.failed, 0);
          const { sent = 0 } = paged.outcome.report.priming ?? {};
          assert.ok(sent > 0 || options.agenticCacheWarmupDuration === undefined);
          assert.deepEqual(paged.files, table.files.filter((name) => name !== "inputs.json"));
        });
      }
    })));

Deno.test("runProfile generates texts that only a later page of recorded sessions needs", () =>
  withMock({}, ({ url }) =>
    withThreads(async (folder, warm) => {
      const inputFile = `${folder}/spans.jsonl`;
      const sessions = Array.from({ length: 20 }, (_, session) => ({
        "trace_id": `t${session}`,
        "spans": [0, 1].map((call) => ({
          "span_id": `${session}-${call}`,
          "name": "chat m",
          "start_time": `2026-09-21T14:13:2${call}.000Z`,
          "end_time": `2026-09-21T14:13:2${call}.900Z`,
          "attributes": {
            "gen_ai.operation.name": "chat",
            "gen_ai.usage.input_tokens": 40,
            "gen_ai.usage.output_tokens": 5,
            ...(session < 15 && {
              "gen_ai.input.messages": [{ "role": "user", "content": `Question ${session}` }],
            }),
          },
        })),
      }));
      await Deno.writeTextFile(
        inputFile,
        sessions.map((session) => JSON.stringify(session)).join("\n"),
      );
      // A thread of its own reads the file where the tokenizer is not the builtin one.
      const given = { ...FAST, inputFile, tokenizer: `${AGENTS}tok_bytes` };
      const { outcome, requests } = await played(url, `${folder}/run`, given, {
        paging: SMALL_PAGES,
        warm,
      });
      assert.equal(outcome.report.requests.succeeded, 40);
      assert.equal(requests.length, 40);
    })));
