import { canaryBlock, canaryFileHead } from "../../src/measurement/canary/canary_file.ts";
import {
  artifactNames,
  gpuTelemetryName,
  serverMetricsName,
} from "../../src/report/export/artifact_names.ts";
import { FolderSink } from "../../src/report/export/file_sink.ts";
import { RecordFileWriter } from "../../src/client/record/record_file.ts";
import { openRunFolder } from "../../src/results/collect/run_folder.ts";
import { RUN_FILES } from "../../src/results/collect/run_files.ts";
import { manifestText, type RunManifest } from "../../src/results/collect/run_manifest.ts";
import { shardFolderName } from "../../src/config/shard/shard.ts";
import { writeShardManifest } from "../../src/results/collect/write_shard_manifest.ts";

/** How a run is divided among shards. */
export interface Partition {
  readonly count: number;
  /** The shard of each record, by its place in the file. */
  shardOf(place: number): number;
  /** Changes to the run's manifest as a shard has it. */
  readonly changed?: (manifest: RunManifest, index: number) => RunManifest;
}

/** Writes shards that have the records of a run among them. */
export async function partitionRun(
  from: string,
  to: string,
  { count, shardOf, changed = (manifest) => manifest }: Partition,
): Promise<void> {
  const folder = await openRunFolder(from);
  const { manifest } = folder;
  const { plan } = manifest.facts;
  const { records, rawRecords, inputs } = artifactNames(plan.output.prefix);
  const shards = Array.from({ length: count }, (_, index) => {
    const path = `${to}/${shardFolderName({ index, count })}`;
    const sink = new FolderSink(path);
    Deno.mkdirSync(path, { recursive: true });
    const file = sink.openLines(RUN_FILES.records);
    file.append([RecordFileWriter.head()]);
    return { path, sink, file, writer: new RecordFileWriter(), sent: 0, failed: 0 };
  });
  let place = 0;
  for (const record of folder.records()) {
    const shard = shards[shardOf(place++)] as typeof shards[number];
    shard.writer.add(record);
    if (shard.writer.isFull) shard.file.append(shard.writer.take());
    shard.sent++;
  }
  for (const { writer, file } of shards) {
    if (writer.count > 0) file.append(writer.take());
    file.close();
  }
  for (const name of [records, rawRecords]) {
    const text = await Deno.readTextFile(`${from}/${name}`).catch(() => undefined);
    if (text === undefined) continue;
    const lines = text.split("\n").slice(0, -1);
    for (const [index, { path }] of shards.entries()) {
      const own = lines.filter((_, place) => shardOf(place) === index);
      await Deno.writeTextFile(`${path}/${name}`, own.map((line) => `${line}\n`).join(""));
    }
  }
  const first = shards[0] as typeof shards[number];
  const lines = serverMetricsName(plan.output.prefix, "jsonl");
  const gpu = gpuTelemetryName(plan.output.prefix);
  const { gpuTelemetry, serverMetrics, sessions } = RUN_FILES;
  for (const name of [inputs, serverMetrics, lines, gpuTelemetry, gpu, sessions]) {
    await Deno.copyFile(`${from}/${name}`, `${first.path}/${name}`).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
  if (plan.canaries) {
    const pieces = shards.map(() => [canaryFileHead()]);
    let block = 0;
    for (const rows of folder.canaries()) {
      pieces[shardOf(block++)]?.push(...canaryBlock(rows).map((piece) => piece.slice()));
    }
    for (const [index, { sink }] of shards.entries()) {
      await sink.write(RUN_FILES.canaries, pieces[index] as Uint8Array[]);
    }
  }
  const { summary } = manifest;
  for (const [index, { path, sink, sent }] of shards.entries()) {
    const own = changed({
      ...manifest,
      summary: summary && {
        ...summary,
        sent: index === 0 ? summary.sent : 0,
        unsentArrivals: index === 0 ? summary.unsentArrivals : 0,
        ...(index === 0 ? {} : { loopLagMs: [], cpuCores: 0, stalls: [], metricsInfo: [] }),
      },
    }, index);
    await sink.write(RUN_FILES.manifest, [manifestText(own)]);
    await writeShardManifest(path, {
      planHash: own.planHash,
      version: own.product,
      seed: own.facts.plan.seed,
      shard: { index, count },
      host: own.facts.machine.hostname,
      start: undefined,
      clock: undefined,
      counts: { requests: own.summary?.sent ?? sent, failed: 0, cancelled: 0, sessions: sent },
      exitReason: "complete",
      endReason: undefined,
      partial: false,
    });
  }
}
