import assert from "node:assert/strict";
import fc from "fast-check";
import { PayloadTable } from "../../../src/load/dataset/payloads/payload_table.ts";
import { PayloadTableBuilder } from "../../../src/load/dataset/payloads/payload_table_builder.ts";
import { chat } from "../../../src/client/endpoint/openai/chat.ts";
import { ExportError } from "../../../src/report/export/export_error.ts";
import type { FileSink } from "../../../src/report/export/file_sink.ts";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import { ERROR_KINDS } from "../../../src/client/record/error_kind.ts";
import type { StoredRecord } from "../../../src/client/record/record_file.ts";
import { RECORD_FIELD_COUNT, RECORD_FIELDS } from "../../../src/client/record/request_fields.ts";
import { importedFiles } from "../../../src/results/foreign/imported_files.ts";
import type { ForeignResult } from "../../../src/results/foreign/foreign_result.ts";
import { readForeign } from "../../../src/results/foreign/read_foreign.ts";
import { recomputedFolder } from "../../../src/results/collect/recomputed_folder.ts";
import { vllmResult } from "../../../src/results/collect/vllm_result.ts";
import { readRun, reportRun } from "../../../src/results/collect/report_run.ts";
import { metricsReport } from "../../../src/results/server_metrics/finish_metrics.ts";
import type { ScrapeMessage } from "../../../src/telemetry/scrape/messages.ts";
import { PageReader } from "../../../src/telemetry/scrape/page_reader.ts";
import { joinedFolder, type RunFolder } from "../../../src/results/collect/run_folder.ts";
import type { RunPart } from "../../../src/results/collect/run_part.ts";
import { RunFolderWriter } from "../../../src/results/collect/run_folder_writer.ts";
import {
  planHash,
  RUN_FORMAT,
  type RunFacts,
  type RunManifest,
  type RunSummary,
} from "../../../src/results/collect/run_manifest.ts";
import { RunRecords } from "../../../src/results/collect/run_records.ts";
import { writeRun } from "../../../src/results/collect/write_run.ts";
import { writeSummary } from "../../../src/results/collect/write_summary.ts";
import { recordCursor } from "../../../src/measurement/metrics/record_cursor.ts";
import { recordWith } from "../../support/records.ts";
import { partOf } from "../../support/run_parts.ts";
import { BASE_EPOCH_NS, MACHINE } from "../../support/reports.ts";

const plan: RunPlan = await resolvePlan(
  {
    ...{ url: ["http://127.0.0.1:1"], model: "m", streaming: true, sliceDuration: 0.5 },
    ...{ noServerMetrics: true, randomSeed: 1, artifactDir: "a" },
  },
  { cores: 2, cliCommand: "test", findModel: () => Promise.reject(new Error("not asked")) },
);
/** The same with server metrics. */
const SCRAPED: RunPlan = await resolvePlan(
  { url: ["http://127.0.0.1:1"], model: "m", streaming: true, randomSeed: 1, artifactDir: "a" },
  { cores: 2, cliCommand: "test", findModel: () => Promise.reject(new Error("not asked")) },
);
const facts: RunFacts = {
  plan,
  baseEpochNs: BASE_EPOCH_NS,
  tokenizer: "builtin",
  hasImages: false,
  machine: MACHINE,
  threads: [],
};
const manifest: RunManifest = {
  format: RUN_FORMAT,
  version: 1,
  product: "inferometer/0",
  planHash: await planHash(plan),
  facts,
  phases: [{ kind: "profiling", startNs: 1e9, endNs: undefined }],
  summary: undefined,
};

/** Of a run that came to its end. */
const SUMMARY: RunSummary = {
  ...{ wasCancelled: false, isComplete: true, startNs: 1e9, endNs: 9e9, sent: 30 },
  ...{ unsentArrivals: 0, loopLagMs: [], cpuCores: 0.5, notes: [] },
};

const record: fc.Arbitrary<StoredRecord> = fc.record({
  startNs: fc.integer({ min: 1e9, max: 4e9 }),
  gaps: fc.array(fc.integer({ min: 0, max: 50_000_000 }), { minLength: 2, maxLength: 6 }),
  inputTokens: fc.integer({ min: 1, max: 2000 }),
  outputTokens: fc.integer({ min: 2, max: 500 }),
  fails: fc.boolean(),
}).map(({ startNs, gaps, inputTokens, outputTokens, fails }) => {
  let stampNs = startNs;
  const chunkNs = Float64Array.from(gaps, (gap) => stampNs += gap);
  const fields = recordWith({
    ...{ startNs, chunkNs, inputTokens, outputTokens, endNs: stampNs },
    ...(fails ? { error: "timeout" as const } : {}),
  });
  const row = Float64Array.from(RECORD_FIELDS, (name) => fields[name]);
  assert.equal(row.length, RECORD_FIELD_COUNT);
  const error = fails ? "No complete reply within 1 s" : undefined;
  return { row, chunkNs, requestId: "id", finishReason: null, error };
});

/** Canaries of every kind, and stalls. */
const CANARIES = Float64Array.from(
  Array.from({ length: 200 }, (_, row) => {
    const writtenNs = 1e9 + row * 16e6;
    return [row % 5, writtenNs, writtenNs, writtenNs + (row % 7) * 1e5];
  }).flat(),
);

function folderOf(
  records: readonly StoredRecord[],
  changed: Partial<RunManifest> = {},
): RunFolder {
  return folderOfParts([partOf(records, [{ worker: 0, rows: CANARIES, placeNs: 0 }])], changed);
}

function folderOfParts(
  parts: readonly RunPart[],
  changed: Partial<RunManifest> = {},
): RunFolder {
  return joinedFolder({ ...manifest, ...changed }, new Set(["inputs.json"]), parts);
}

/** A sink that keeps files as texts. */
function textSink(files: Map<string, string>): FileSink {
  return {
    write(name, pieces) {
      const decoder = new TextDecoder();
      const text = [...pieces].map((piece) =>
        typeof piece === "string" ? piece : decoder.decode(piece)
      );
      files.set(name, text.join(""));
      return Promise.resolve();
    },
    openLines: () => ({ append() {}, close() {} }),
  };
}

async function filesOf(folder: RunFolder): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  await reportRun(folder, textSink(files));
  return files;
}

Deno.test("reportRun makes the same files of a run's parts, however its records are divided", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(record, fc.integer({ min: 0, max: 2 })), { minLength: 1, maxLength: 30 }),
      async (divided) => {
        const parts = [0, 1, 2].map((part) =>
          partOf(
            divided.filter(([, of]) => of === part).map(([record]) => record),
            part === 0 ? [{ worker: 0, rows: CANARIES, placeNs: 0 }] : [],
          )
        );
        const whole = await filesOf(folderOf(divided.map(([record]) => record)));
        assert.deepEqual(await filesOf(folderOfParts(parts)), whole);
        assert.ok(whole.has("profile_export_aiperf_timeslices.json"));
      },
    ),
    { numRuns: 30 },
  );
});

Deno.test("reportRun makes of the records what the run itself made of them", async () => {
  const stored = fc.sample(record, { numRuns: 20, seed: 1 });
  const records = new RunRecords(plan, chat, false);
  const cursor = recordCursor();
  for (const one of stored) {
    cursor.row = one.row;
    cursor.chunkNs = one.chunkNs;
    records.add({ ...one, record: cursor, rawReply: undefined });
  }
  records.canaries.add(0, CANARIES);
  const summary = {
    ...{ wasCancelled: false, isComplete: true, startNs: 1e9, endNs: 5e9, sent: 20 },
    ...{ unsentArrivals: 0, loopLagMs: [], cpuCores: 0.5, notes: ["n"] },
    ...{ endedEarly: "nobody was there", stalls: [{ startNs: 2e9, endNs: 3e9 }] },
  };
  const files = new Map<string, string>();
  const { phases } = manifest;
  await writeSummary({ facts, phases, records, summary }, textSink(files), {
    ...{ metrics: undefined, timeline: [], withPage: true },
    recordFiles: [],
    otherFiles: ["inputs.json"],
  });
  assert.deepEqual(await filesOf(folderOf(stored, { summary })), files);
});

Deno.test("writeRun lists no file that could not be written, neither in the report nor on its pages", async () => {
  const payloads = new PayloadTableBuilder();
  payloads.addEntry([payloads.addSegment(new TextEncoder().encode("{}"))], {
    ...{ inputTokens: 1, outputTokens: 1, images: 0 },
  });
  const written = async (refused: string) => {
    const run = readRun(folderOf(fc.sample(record, 3), { summary: SUMMARY }));
    const files = new Map<string, string>();
    const kept = textSink(files);
    const sink: FileSink = {
      ...kept,
      write: (name, pieces) =>
        name === refused
          ? Promise.reject(new ExportError(name, new Error("no room")))
          : kept.write(name, pieces),
    };
    const { report, screenText, failure } = await writeRun({ ...run, gpu: undefined }, sink, {
      ...{ names: [], metrics: undefined, timeline: [], redact: (text: string) => text },
      payloads: new PayloadTable(payloads.finish(0).data),
      screen: { width: 140, color: false, style: "full" },
      onWriting() {},
    });
    const pages = [screenText, files.get("profile_export_console.txt") ?? ""];
    return { failure, lists: [report.files.join(), ...pages] };
  };
  const names = ["inputs.json", "profile_export_console.txt"];
  for (const name of names) {
    const { failure, lists } = await written(name);
    assert.match(failure ?? "", /^Cannot write \S+: .*no room/);
    assert.deepEqual(lists.map((list) => list.includes(name)), [false, false, false], name);
  }
  const { failure, lists } = await written("nothing");
  assert.equal(failure, undefined);
  assert.ok(lists.every((list) => names.every((name) => list.includes(name))), lists.join("\n"));
});

Deno.test("reportRun names the files of an ended run that lack something", async () => {
  const stored = fc.sample(record, { numRuns: 3, seed: 1 });
  const lossyFiles = new Set(["run/server_metrics.bin", "run/records.bin", "run/canaries.bin"]);
  const namedIn = async (summary: RunSummary | undefined): Promise<string[]> => {
    const files = await filesOf({ ...folderOf(stored, { summary }), lossyFiles });
    const { notes } = JSON.parse(files.get("profile_export_aiperf.json") ?? "") as {
      notes: string[];
    };
    return notes.flatMap((note) =>
      / is damaged; unreadable records are excluded /.test(note) ? note.split(" ", 1) : []
    );
  };
  assert.deepEqual(await namedIn({ ...SUMMARY, isComplete: false }), [...lossyFiles].sort());
  // A complete run says how many records are missing.
  assert.deepEqual(await namedIn(SUMMARY), ["run/canaries.bin", "run/server_metrics.bin"]);
  assert.deepEqual(await namedIn(undefined), []);
});

Deno.test("RunFolderWriter tells once that it cannot write, and lets the run go on", async () => {
  for (const failsAt of ["open", "append", "write"] as const) {
    const failures: string[] = [];
    const fail = (): never => {
      throw new ExportError("run/records.bin", new Error("no space left"));
    };
    const nothing = () => {};
    const sink: FileSink = {
      write: () => failsAt === "write" ? Promise.resolve().then(fail) : Promise.resolve(),
      openLines: () =>
        failsAt === "open"
          ? fail()
          : { append: failsAt === "append" ? fail : nothing, close: nothing },
    };
    const writer = new RunFolderWriter(sink, {
      facts,
      redactPage: (text) => text,
      onFailure: (message) => failures.push(message),
    });
    await writer.begin();
    const [one] = fc.sample(record, 1) as [StoredRecord];
    for (let i = 0; i < 3000; i++) writer.addRecord(one);
    writer.beginPhase("profiling", 1);
    writer.endPhase(2);
    const failure = await writer.finish({
      ...{ wasCancelled: false, isComplete: true, startNs: 0, endNs: 1, sent: 1 },
      ...{ unsentArrivals: 0, loopLagMs: [], cpuCores: 1, notes: [] },
    });
    assert.equal(failures.length, 1, failsAt);
    assert.match(failures[0] as string, /No space left on the device/);
    assert.equal(failure, failures[0]);
  }
});

Deno.test("recomputedFolder with the run's own definitions makes the run's files", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 20 }), async (records) => {
      const folder = folderOf(records);
      const { folder: same, changes } = recomputedFolder(folder, {
        // A request meets all or not: in another order they are the same.
        objectives: plan.objectives.toReversed(),
        sliceNs: plan.output.sliceNs,
        fromNs: 0,
      });
      assert.deepEqual(changes, []);
      assert.deepEqual(await filesOf(same), await filesOf(folder));
    }),
    { numRuns: 20 },
  );
});

Deno.test("recomputedFolder judges goodput by other limits, and says so in each file", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 60 }),
      async (records, limit) => {
        const { folder } = recomputedFolder(folderOf(records, { summary: SUMMARY }), {
          objectives: [{ tag: "time_to_first_token", threshold: limit }],
        });
        const files = await filesOf(folder);
        const summary = JSON.parse(files.get("profile_export_aiperf.json") as string);
        const good = records.filter(({ row, chunkNs, error }) =>
          error === undefined &&
          ((chunkNs[0] as number) - (row[RECORD_FIELDS.indexOf("startNs")] as number)) / 1e6 <=
            limit
        );
        assert.equal(summary.good_request_count?.avg ?? 0, good.length);
        const told = `goodput time_to_first_token:${limit} (was none)`;
        assert.equal(summary.tags.recomputed, told);
        for (const [name, text] of files) {
          if (!name.endsWith("timeslices.csv")) assert.ok(text.includes(told), name);
        }
      },
    ),
    { numRuns: 20 },
  );
});

Deno.test("recomputedFolder takes the latencies of requests that began in a window", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 0, max: 2e9 }),
      fc.integer({ min: 1, max: 2e9 }),
      async (records, fromNs, lengthNs) => {
        const toNs = fromNs + lengthNs;
        const { folder } = recomputedFolder(folderOf(records, { summary: SUMMARY }), {
          fromNs,
          toNs,
        });
        const inside = records.filter(({ row }) => {
          const startNs = row[RECORD_FIELDS.indexOf("startNs")] as number;
          return startNs >= 1e9 + fromNs && startNs < 1e9 + toNs;
        });
        const read = async (some: RunFolder) =>
          JSON.parse((await filesOf(some)).get("profile_export_aiperf.json") as string);
        const summary = await read(folder);
        const alone = await read(folderOf(inside, { summary: SUMMARY }));
        assert.equal(summary.requests.sent, inside.length);
        for (const tag of ["request_latency", "time_to_first_token", "request_count"]) {
          assert.deepEqual(summary[tag], alone[tag]);
        }
      },
    ),
    { numRuns: 30 },
  );
});

/** Two requests a second, each of which takes 0.7 s. */
function steadyRecords(): StoredRecord[] {
  return Array.from({ length: 8 }, (_, index): StoredRecord => {
    const startNs = 1e9 + index * 5e8;
    const chunkNs = Float64Array.of(startNs + 1e8, startNs + 7e8);
    const fields = recordWith({ startNs, chunkNs, endNs: startNs + 7e8 });
    const row = Float64Array.from(RECORD_FIELDS, (name) => fields[name]);
    return { row, chunkNs, requestId: "id", finishReason: null, error: undefined };
  });
}

Deno.test("recomputedFolder counts rates inside of its window, with replies that straddle its ends", async () => {
  const records = steadyRecords();
  const failed = recordWith({
    ...{ startNs: 2.4e9, endNs: 2.9e9, error: "timeout", intendedNs: 2.4e9 },
    chunkNs: new Float64Array(),
  });
  records.push({
    row: Float64Array.from(RECORD_FIELDS, (name) => failed[name]),
    ...{ chunkNs: new Float64Array(), requestId: "id", finishReason: null, error: "timed out" },
  });
  const { folder } = recomputedFolder(folderOf(records, { summary: { ...SUMMARY, sent: 9 } }), {
    fromNs: 1e9,
    toNs: 2e9,
  });
  const summary = JSON.parse((await filesOf(folder)).get("profile_export_aiperf.json") as string);
  assert.equal(summary.benchmark_duration.avg, 1);
  // Replies end at 2.2 and 2.7 s; only the second of them starts in the window.
  assert.equal(summary.request_throughput.avg, 2);
  assert.equal(summary.request_count.avg, 2);
  // First chunks at 2.1 and 2.6 s, last ones at 2.2 and 2.7 s.
  const perReply = summary.output_sequence_length.avg;
  const tokens = summary.output_token_throughput.avg;
  assert.ok(Math.abs(tokens - 2 * perReply) < 0.35 * perReply, `${tokens} of ${perReply}`);
  assert.equal(summary.load.served_rate, 2);
  // Each second has two replies of 0.7 s in flight, and half a second of the failed one.
  assert.ok(Math.abs(summary.load.mean_in_flight - 1.9) < 1e-9, `${summary.load.mean_in_flight}`);
  assert.match(summary.steady_state.none, /--from or --to/);
});

Deno.test("recomputedFolder's window counts what servers did in it, and not until the run's end", () => {
  const reader = new PageReader();
  const encoder = new TextEncoder();
  // A hundred tokens a second, told four times a second.
  const scrapes = Array.from({ length: 40 }, (_, index): ScrapeMessage => {
    const firstByteNs = index * 2.5e8;
    const text = `# TYPE vllm:generation_tokens counter\nvllm:generation_tokens_total ${
      index * 25
    }\n`;
    const times = { sentNs: firstByteNs - 500, firstByteNs, latencyNs: 1e6 };
    const type = "text/plain; version=0.0.4";
    const page = reader.read(encoder.encode(text), type, times);
    return {
      type: "page",
      endpoint: 0,
      page,
      text: undefined,
      contentType: type,
      droppedSeries: 0,
    };
  });
  const part: RunPart = {
    ...partOf(steadyRecords()),
    *scrapes() {
      yield* scrapes;
    },
  };
  const rateOf = (folder: RunFolder): number => {
    const { metrics } = readRun(folder);
    assert.ok(metrics !== undefined);
    const report = metricsReport(metrics.store, metrics.facts, metrics.span);
    const [family] = report.metrics.filter(({ name }) => name === "vllm:generation_tokens");
    return family?.series[0]?.stats["rate"] as number;
  };
  const scraped = { ...facts, plan: { ...plan, serverMetrics: SCRAPED.serverMetrics } };
  const whole = folderOfParts([part], { facts: scraped, summary: SUMMARY });
  const { folder } = recomputedFolder(whole, { fromNs: 1e9, toNs: 2e9 });
  assert.ok(Math.abs(rateOf(folder) - 100) <= 25, `${rateOf(folder)}`);
});

Deno.test("recomputedFolder's window ends where it should, or with the run, and may be empty", () => {
  const records = steadyRecords();
  const partOfRun = (fromNs: number, toNs?: number) => {
    const { folder, isEmpty } = recomputedFolder(folderOf(records, { summary: SUMMARY }), {
      fromNs,
      toNs,
    });
    const { startNs, endNs, sent, goesOn } = folder.manifest.summary as RunSummary;
    return [startNs, endNs, sent, goesOn ?? false, isEmpty];
  };
  assert.deepEqual(partOfRun(1e9, 2e9), [2e9, 3e9, 2, true, false]);
  assert.deepEqual(partOfRun(1e9, 3.5e9), [2e9, 4.5e9, 5, true, false], "one begins at its end");
  assert.deepEqual(partOfRun(1e9), [2e9, 9e9, 6, false, false]);
  assert.deepEqual(partOfRun(1e9, 5e9), [2e9, 9e9, 6, false, false], "none began later");
  const [, , ...nothing] = partOfRun(4e9, 5e9);
  assert.deepEqual(nothing, [0, false, true]);
});

Deno.test("vllmResult is read back with the figures of the run's report", async () => {
  const records = fc.sample(record, { numRuns: 25, seed: 3 });
  const folder = folderOf(records, { summary: SUMMARY });
  const { results } = readForeign(vllmResult(folder), "v.json", undefined, 0);
  const imported = JSON.parse(importedFiles(results[0] as ForeignResult)[0]?.[1] as string);
  const own = JSON.parse((await filesOf(folder)).get("profile_export_aiperf.json") as string);
  for (const tag of ["request_latency", "time_to_first_token", "inter_token_latency"]) {
    for (const stat of ["avg", "p50", "p99", "std"]) {
      const [a, b] = [imported[tag][stat], own[tag][stat]];
      assert.ok(Math.abs(a - b) <= 1e-6 * Math.abs(b) + 1e-9, `${tag} ${stat}: ${a} ${b}`);
    }
  }
  assert.equal(imported.request_count.avg, own.request_count.avg);
});

Deno.test("vllmResult of a run whose dead threads' requests began at times unknown is no longer for them", () => {
  const [first, ...others] = fc.sample(record, { numRuns: 25, seed: 3 }) as [
    StoredRecord,
    ...StoredRecord[],
  ];
  const lost = { ...first, error: "Its thread ended", row: first.row.slice() };
  lost.row[RECORD_FIELDS.indexOf("startNs")] = NaN;
  lost.row[RECORD_FIELDS.indexOf("errorKind")] = ERROR_KINDS.indexOf("worker_lost");
  const made = (records: readonly StoredRecord[]) =>
    JSON.parse(vllmResult(folderOf(records, { summary: SUMMARY })));
  const [without, withLost] = [made(others), made([lost, ...others])];
  assert.equal(withLost.duration, without.duration);
  assert.equal(withLost.request_throughput, without.request_throughput);
  assert.equal(withLost.failed, without.failed + 1);
  assert.equal(withLost.start_times[0], Math.min(...without.start_times));
});

Deno.test("vllmResult takes more requests than a call takes arguments", () => {
  const [one] = fc.sample(record, { numRuns: 1, seed: 3 }) as [StoredRecord];
  const records = Array.from({ length: 150_000 }, () => one);
  assert.equal(JSON.parse(vllmResult(folderOf(records))).start_times.length, 150_000);
});

Deno.test("vllmResult has vLLM's keys in vLLM's order", async () => {
  const sample = JSON.parse(
    await Deno.readTextFile(new URL("../../../fixtures/import/vllm_result.json", import.meta.url)),
  );
  const made = JSON.parse(vllmResult(folderOf(fc.sample(record, { numRuns: 5, seed: 3 }))));
  assert.deepEqual(Object.keys(made), Object.keys(sample));
});

Deno.test("vllmResult of embeddings has the keys of vLLM's pooling backends", () => {
  const embedding = { ...plan, endpointType: "embeddings" as const };
  const made = JSON.parse(
    vllmResult(folderOf(fc.sample(record, { numRuns: 5, seed: 3 }), {
      facts: { ...manifest.facts, plan: embedding },
    })),
  );
  assert.equal(made.endpoint_type, "openai-embeddings");
  assert.equal(made.total_input_sequences, made.completed);
  assert.equal(made.total_token_throughput * made.duration, made.total_input_tokens);
  for (const key of ["failed", "ttfts", "output_lens", "mean_ttft_ms", "rtfx"]) {
    assert.ok(!(key in made), key);
  }
});
