/** The same file, sent while it is read and read before: servers and readers see no difference. */

import assert from "node:assert/strict";
import { reportExitCode } from "../../../src/cli/profile/report_exit_code.ts";
import { EXIT_CODE } from "../../../src/cli/terminal/exit_code.ts";
import { inspectInput } from "../../../src/load/dataset/formats/inspect_input.ts";
import { PAGING } from "../../../src/load/dataset/conversations/page_reader.ts";
import type { ProfileOptions } from "../../../src/config/options/profile/profile_types.ts";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import { KeptThreads } from "../../../src/run/runner/kept_threads.ts";
import { ResultsClient } from "../../../src/run/runner/results_client.ts";
import type { WarmThreads } from "../../../src/run/runner/run_hooks.ts";
import { type RunOutcome, runProfile } from "../../../src/run/runner/run_profile.ts";
import { FIELD } from "../../../src/client/record/request_fields.ts";
import { openRunFolder } from "../../../src/results/collect/run_folder.ts";
import { withFolder } from "../../support/artifacts.ts";
import { withMock } from "../../support/local_mock.ts";

/** Pages so small that a short file has many. */
const SMALL_PAGES = { ...PAGING, minFileBytes: 1, pageBytes: 700, firstPageBytes: 300 };

interface Played {
  readonly outcome: RunOutcome;
  readonly said: readonly string[];
  /** What each request was, by its place in the run. */
  readonly requests: readonly string[];
  /** Numbers of entries as the run folder has them. */
  readonly entries: readonly string[];
  readonly files: readonly string[];
}

/** Runs a test with threads that go from one run to the next, in folders below its own. */
function withThreads(test: (folder: string, warm: WarmThreads) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    const threads = new KeptThreads();
    const results = new ResultsClient(folder, undefined, {
      onWarning: (text) => assert.fail(text),
      onWriting: () => {},
    });
    try {
      await test(folder, { threads, results });
    } finally {
      results.close();
      threads.close();
    }
  });
}

async function played(
  url: string,
  folder: string,
  options: ProfileOptions,
  { paging, warm }: { readonly paging: typeof PAGING; readonly warm: WarmThreads },
): Promise<Played> {
  const said: string[] = [];
  const plan = await resolvePlan({
    ...{ url: [url], model: "mock-model", noServerMetrics: true, workers: 2, exportLevel: "raw" },
    ...{ artifactDir: folder, randomSeed: 3, tokenizer: "builtin", overwrite: true },
    ...options,
  }, {
    cores: 2,
    cliCommand: "test",
    findModel: () => Promise.resolve("mock-model"),
    inspectInput,
  });
  const outcome = await runProfile(plan, {
    ...warm,
    paging,
    onWarning: (text) => said.push(text),
    onNotice: (text) => said.push(text),
  });
  const lines = (await Deno.readTextFile(`${folder}/profile_export_raw.jsonl`)).trimEnd();
  const metrics = new Map(
    (await Deno.readTextFile(`${folder}/profile_export.jsonl`)).trimEnd().split("\n")
      .map((line) => JSON.parse(line))
      .map(({ metadata, metrics }) => [metadata.x_request_id, metrics]),
  );
  const requests = lines.split("\n").map((line) => JSON.parse(line)).map(({ metadata, payload }) =>
    JSON.stringify([
      ...[metadata.benchmark_phase, metadata.session_num, metadata.turn_index],
      ...[metadata.conversation_id, payload],
      metrics.get(metadata.x_request_id)?.input_sequence_length?.value,
    ])
  ).sort();
  const stored = await openRunFolder(folder);
  const entries = [...stored.records()].map(({ row }) =>
    JSON.stringify([
      ...[row[FIELD.phase], row[FIELD.session], row[FIELD.turn], row[FIELD.entry]],
    ])
  ).sort();
  const files = (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).sort();
  return { outcome, said, requests, entries, files };
}

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
