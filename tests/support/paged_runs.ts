/** Runs of a file that is sent while it is read, and of one that is read before. */

import assert from "node:assert/strict";
import { PAGING } from "../../src/load/dataset/conversations/page_reader.ts";
import { inspectSessions } from "../../src/load/sessions/inspect_sessions.ts";
import type { ProfileOptions } from "../../src/config/options/profile/profile_types.ts";
import { resolvePlan } from "../../src/config/plan/resolve/resolve_plan.ts";
import { KeptThreads } from "../../src/run/runner/kept_threads.ts";
import { ResultsClient } from "../../src/run/runner/results_client.ts";
import type { WarmThreads } from "../../src/run/runner/run_hooks.ts";
import { type RunOutcome, runProfile } from "../../src/run/runner/run_profile.ts";
import { FIELD } from "../../src/client/record/request_fields.ts";
import { openRunFolder } from "../../src/results/collect/run_folder.ts";
import { withFolder } from "./artifacts.ts";

/** Pages so small that a short file has many. */
export const SMALL_PAGES = { ...PAGING, minFileBytes: 1, pageBytes: 700, firstPageBytes: 300 };

/** A run, and what it sent. */
export interface Played {
  readonly outcome: RunOutcome;
  readonly said: readonly string[];
  /** What each request was, by its place in the run. */
  readonly requests: readonly string[];
  /** Numbers of entries as the run folder has them. */
  readonly entries: readonly string[];
  readonly files: readonly string[];
}

/** Runs a test with threads that go from one run to the next, in folders below its own. */
export function withThreads(
  test: (folder: string, warm: WarmThreads) => Promise<void>,
): Promise<void> {
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

/** Runs a file in pages, or as a whole. */
export async function played(
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
    inspectInput: inspectSessions,
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
      ...[metadata.conversation_id, payload, metadata.answer],
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
