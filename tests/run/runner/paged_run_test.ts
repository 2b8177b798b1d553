/** The same file, sent while it is read and read before: servers and readers see no difference. */

import assert from "node:assert/strict";
import { reportExitCode } from "../../../src/cli/profile/report_exit_code.ts";
import { EXIT_CODE } from "../../../src/cli/terminal/exit_code.ts";
import { PAGING } from "../../../src/load/dataset/conversations/page_reader.ts";
import type { ProfileOptions } from "../../../src/config/options/profile/profile_types.ts";
import { withMock } from "../../support/local_mock.ts";
import { played, SMALL_PAGES, withThreads } from "../../support/paged_runs.ts";

const rows = (count: number, row: (i: number) => unknown) =>
  Array.from({ length: count }, (_, i) => `${JSON.stringify(row(i))}\n`).join("");
const text = (i: number) => `question ${i} ${"word ".repeat(i % 7)}`;

const CASES: readonly (readonly [name: string, file: string, options: ProfileOptions])[] = [
  ["single turns, several times, with a warm-up", rows(23, (i) => ({ text: text(i) })), {
    concurrency: 3,
    requestCount: 60,
    warmupRequestCount: 5,
  }],
  [
    "expected answers, also of rows that are read again",
    rows(23, (i) => ({
      text: text(i),
      output_length: 3,
      ...(i % 4 === 0 ? {} : { expected: i % 4 === 1 ? { regex: "^no$" } : "the of and" }),
    })),
    { concurrency: 3, requestCount: 60, verify: ["answers"] },
  ],
  [
    "expected answers that begin behind the first page, with a pattern that RE2 does not support",
    rows(23, (i) => ({
      text: text(i),
      ...(i < 12 ? {} : { expected: { regex: i % 2 === 0 ? "(?<!no)\\bthe\\b" : "(?=no)the" } }),
    })),
    { concurrency: 3, requestCount: 46, verify: ["answers"] },
  ],
  [
    "conversations of several turns",
    rows(19, (i) => ({
      turns: Array.from({ length: 1 + i % 3 }, (_, turn) => ({ text: text(i + turn) })),
    })),
    { concurrency: 4, numSessions: 30 },
  ],
  ["arrivals at a rate", rows(40, (i) => ({ text: text(i) })), {
    requestRate: 400,
    requestCount: 90,
  }],
  [
    "a schedule",
    rows(50, (i) => ({ timestamp: 1000 + 4 * i, input_length: 20 + i, output_length: 3 })),
    { fixedSchedule: true },
  ],
  [
    "ready bodies",
    rows(21, (i) => ({ payload: { model: "m", messages: [{ role: "user", content: text(i) }] } })),
    { customDatasetType: "raw-payload", concurrency: 2, requestCount: 50 },
  ],
];

Deno.test("runProfile sends the same from pages as from a table", (t) =>
  withMock({}, ({ url }) =>
    withThreads(async (folder, warm) => {
      for (const [number, [name, content, options]] of CASES.entries()) {
        await t.step(name, async () => {
          const inputFile = `${folder}/input_${number}.jsonl`;
          await Deno.writeTextFile(inputFile, content);
          const given = { ...options, inputFile };
          const run = (kind: string, paging: typeof PAGING) =>
            played(url, `${folder}/${kind}_${number}`, given, { paging, warm });
          const table = await run("table", PAGING);
          const paged = await run("paged", SMALL_PAGES);
          assert.ok(table.requests.length >= 19);
          assert.deepEqual(paged.requests, table.requests);
          assert.deepEqual(paged.entries, table.entries);
          assert.equal(paged.outcome.report.requests.failed, 0);
          assert.ok(paged.said.some((text) => text.startsWith("inputs.json is not written")));
          assert.deepEqual(paged.files, table.files.filter((file) => file !== "inputs.json"));
        });
      }
    })));

Deno.test("runProfile notes that no row of a large file had an expected answer", () =>
  withMock({}, ({ url }) =>
    withThreads(async (folder, warm) => {
      const inputFile = `${folder}/input.jsonl`;
      await Deno.writeTextFile(inputFile, rows(23, (i) => ({ text: text(i) })));
      const { outcome } = await played(url, `${folder}/run`, {
        ...{ inputFile, requestCount: 30, concurrency: 2, verify: ["answers"] },
      }, { paging: SMALL_PAGES, warm });
      assert.ok(outcome.report.notes.some((note) => note.startsWith("No answer was checked")));
    })));

Deno.test("runProfile ends early, with results, where a large file is wrong in the middle", () =>
  withMock({}, ({ url }) =>
    withThreads(async (folder, warm) => {
      const inputFile = `${folder}/input.jsonl`;
      const bad = '{"text": 5}\n';
      const options = { inputFile, concurrency: 2, requestCount: 900 };
      await Deno.writeTextFile(inputFile, rows(200, (i) => ({ text: text(i) })) + bad);
      const { outcome, said } = await played(url, `${folder}/run`, options, {
        paging: SMALL_PAGES,
        warm,
      });
      assert.match(
        said.join("\n"),
        /The run ends early: the input file cannot be read on: .*:201:/,
      );
      const { requests, endedEarly, endReason, isComplete } = outcome.report;
      assert.match(String(endedEarly), /input\.jsonl:201/);
      assert.equal(endReason, "input_unreadable");
      assert.ok(!isComplete && requests.succeeded > 0 && requests.succeeded < 900);
      assert.equal(reportExitCode(outcome.report, { maxErrorRate: 1, slos: [] }), EXIT_CODE.failed);
    })));

Deno.test("runProfile reads a large file as a whole where it has to", () =>
  withMock({}, ({ url }) =>
    withThreads(async (folder, warm) => {
      const inputFile = `${folder}/input.jsonl`;
      const plain = rows(12, (i) => ({ text: text(i) }));
      const named = rows(12, (i) => ({ text: text(i), session_id: `s${i % 4}` }));
      const unsorted = rows(12, (i) => ({ text: text(i), timestamp: (i * 5) % 7 }));
      const whole: readonly (readonly [string, ProfileOptions])[] = [
        [plain, { datasetSamplingStrategy: "random", requestCount: 12 }],
        [named, { numSessions: 4 }],
        [unsorted, { fixedSchedule: true }],
        [plain, { userCentricRate: 400, numUsers: 3, numSessions: 12 }],
      ];
      for (const [number, [content, options]] of whole.entries()) {
        await Deno.writeTextFile(inputFile, content);
        const run = await played(
          url,
          `${folder}/${number}`,
          { ...options, inputFile },
          { paging: SMALL_PAGES, warm },
        );
        assert.equal(run.outcome.report.requests.succeeded, 12);
        assert.ok(run.files.includes("inputs.json"));
      }
    })));
