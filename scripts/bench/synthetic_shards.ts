/** Shards of a run that nobody made: records of streamed replies with plausible times. */

import { nextPlace } from "../../src/client/record/record_batch.ts";
import { RecordFileWriter } from "../../src/client/record/record_file.ts";
import { FIELD, RECORD_FIELD, RECORD_FIELD_COUNT } from "../../src/client/record/request_fields.ts";
import { resolvePlan } from "../../src/config/plan/resolve/resolve_plan.ts";
import type { RunPlan } from "../../src/config/plan/run_plan.ts";
import { USER_AGENT } from "../../src/config/plan/version.ts";
import { shardFolderName } from "../../src/config/shard/shard.ts";
import { FolderSink } from "../../src/report/export/file_sink.ts";
import { RUN_FILES } from "../../src/results/collect/run_files.ts";
import {
  manifestText,
  planHash,
  RUN_FORMAT,
  RUN_VERSION,
} from "../../src/results/collect/run_manifest.ts";
import { writeShardManifest } from "../../src/results/collect/write_shard_manifest.ts";

/** What is made. */
export interface SyntheticShards {
  readonly shards: number;
  /** Requests of each shard. */
  readonly requests: number;
  /** Content chunks of each reply. */
  readonly chunks: number;
  /** Whether each shard has `profile_export.jsonl`. */
  readonly withLines: boolean;
}

const BASE_EPOCH_NS = 1_790_000_000_000_000_000n;
/** Between two requests of the whole run. */
const INTERVAL_NS = 20_000;
const FIRST_NS = 1_000_000_000;

/** Writes the folders of shards into a folder. */
export async function writeSyntheticShards(
  folder: string,
  { shards: count, requests, chunks, withLines }: SyntheticShards,
): Promise<void> {
  const plan = await syntheticPlan(folder, count * requests, withLines);
  const hash = await planHash(plan);
  for (let index = 0; index < count; index++) {
    const shard = { index, count };
    const path = `${folder}/${shardFolderName(shard)}`;
    const sink = new FolderSink(path);
    await Deno.mkdir(path, { recursive: true });
    const endNs = writeRecords(sink, { index, count, requests, chunks });
    if (withLines) writeLines(sink, requests);
    const facts = {
      plan: { ...plan, shard, output: { ...plan.output, directory: path } },
      baseEpochNs: BASE_EPOCH_NS,
      tokenizer: "builtin",
      hasImages: false,
      machine: {
        ...{ hostname: `node${index}`, os: "linux", arch: "x86_64", cores: 2 },
        ...{ runtime: "deno", engine: "v8" },
      },
      threads: [],
    };
    await sink.write(RUN_FILES.manifest, [manifestText({
      ...{ format: RUN_FORMAT, version: RUN_VERSION, product: USER_AGENT, planHash: hash, facts },
      phases: [{ kind: "profiling", startNs: FIRST_NS, endNs }],
      summary: {
        ...{ wasCancelled: false, isComplete: true, startNs: FIRST_NS, endNs, sent: requests },
        ...{ unsentArrivals: 0, loopLagMs: [], cpuCores: 0.5, notes: [] },
      },
    })]);
    await writeShardManifest(path, {
      ...{ planHash: hash, version: USER_AGENT, seed: plan.seed, shard, host: `node${index}` },
      ...{ start: undefined, clock: undefined, exitReason: "complete", endReason: undefined },
      partial: false,
      counts: { requests, failed: 0, cancelled: 0, sessions: requests },
    });
  }
}

async function syntheticPlan(
  folder: string,
  requests: number,
  withLines: boolean,
): Promise<RunPlan> {
  return await resolvePlan(
    {
      ...{ url: ["http://127.0.0.1:1"], model: "m", streaming: true, requestCount: requests },
      ...{ requestRate: 1e9 / INTERVAL_NS, noServerMetrics: true, randomSeed: 1, canaries: false },
      ...{ artifactDir: folder, exportLevel: withLines ? "records" : "summary" },
    },
    { cores: 2, cliCommand: "bench", findModel: () => Promise.resolve("m") },
  );
}

/** @returns when the last one ended */
function writeRecords(
  sink: FolderSink,
  { index, count, requests, chunks }: Readonly<
    Record<"index" | "count" | "requests" | "chunks", number>
  >,
): number {
  const file = sink.openLines(RUN_FILES.records);
  file.append([RecordFileWriter.head()]);
  const writer = new RecordFileWriter();
  const random = randomOf(index + 1);
  const row = new Float64Array(RECORD_FIELD_COUNT).fill(NaN);
  const chunkNs = new Float64Array(chunks);
  let placeNs = -Infinity;
  for (let own = 0; own < requests; own++) {
    const k = own * count + index;
    const intendedNs = FIRST_NS + k * INTERVAL_NS;
    const startNs = intendedNs + Math.floor(random() * 50_000);
    let stampNs = startNs + 20e6 + Math.floor(random() * 30e6);
    for (let chunk = 0; chunk < chunks; chunk++) {
      chunkNs[chunk] = stampNs;
      stampNs += 4e6 + Math.floor(random() * 2e6);
    }
    const lastNs = chunkNs[chunks - 1] as number;
    const set = (fields: Partial<Record<keyof typeof RECORD_FIELD, number>>): void => {
      for (const name in fields) {
        row[RECORD_FIELD[name as keyof typeof RECORD_FIELD]] =
          fields[name as keyof typeof RECORD_FIELD] as number;
      }
    };
    const inputTokens = 500 + Math.floor(random() * 100);
    set({
      ...{ index: k, session: k, turn: 0, turns: 1, phase: 1, worker: index, entry: k % 1000 },
      ...{ target: 0, intendedNs, claimedNs: intendedNs, startNs, blockedNs: 900, dnsNs: 0 },
      ...{ connectingNs: 0, tlsNs: 0, sendStartNs: startNs + 1000, sendEndNs: startNs + 41_000 },
      ...{ sentSyncNs: startNs + 20_000, headNs: (chunkNs[0] as number) - 90_000 },
      ...{ firstBodyNs: (chunkNs[0] as number) - 10_000, lastBodyNs: lastNs + 30_000 },
      ...{ endNs: lastNs + 40_000, lastEventNs: lastNs + 20_000, bytesSent: 3000 },
      ...{ bytesReceived: 20_000, writes: 1, reads: chunks + 1, reused: 1, retried: 0 },
      ...{ status: 200, errorKind: -1, isWhole: 0, chunkCount: chunks, firstOutputChunk: 0 },
      ...{ coalescedChunks: 0, promptTokens: inputTokens, completionTokens: chunks },
      ...{ totalTokens: inputTokens + chunks, refusedCounts: 0, textBytes: 4 * chunks },
      ...{ reasoningBytes: 0, toolBytes: 0, inputTokens, outputTokens: chunks },
      ...{ requestedTokens: chunks, images: 0 },
    });
    placeNs = nextPlace(placeNs, row[FIELD.endNs] as number);
    row[RECORD_FIELD.takenNs] = placeNs;
    writer.add({
      ...{ row, chunkNs, requestId: idOf(k), finishReason: "length", error: undefined },
    });
    if (writer.isFull) file.append(writer.take());
  }
  if (writer.count > 0) file.append(writer.take());
  file.close();
  return placeNs;
}

/** Lines of the usual length. */
function writeLines(sink: FolderSink, requests: number): void {
  const file = sink.openLines("profile_export.jsonl");
  const line = `{"metadata":{"session_num":0},"metrics":{"x":"${"1234567890".repeat(180)}"}}\n`;
  const block = new TextEncoder().encode(line.repeat(100));
  for (let left = requests; left > 0; left -= 100) {
    file.append([left >= 100 ? block : new TextEncoder().encode(line.repeat(left))]);
  }
  file.close();
}

function idOf(k: number): string {
  return `00000000-0000-4000-8000-${k.toString(16).padStart(12, "0")}`;
}

/** Uniform numbers from 0 to 1: a xorshift generator, the same ones each time. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761 >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

if (import.meta.main) {
  const [folder, shards, requests, chunks, lines] = Deno.args as string[];
  await writeSyntheticShards(folder as string, {
    ...{ shards: Number(shards), requests: Number(requests), chunks: Number(chunks) },
    withLines: lines === "lines",
  });
}
