/**
 * A run in which hosts have other names. Its records, samples and plan are written again with those,
 * and what derives from them is made anew, so that all of it fits together as it did.
 */

import type { ScrapeMessage } from "../../telemetry/scrape/messages.ts";
import { canaryBlock, canaryFileHead } from "../../measurement/canary/canary_file.ts";
import {
  artifactNames,
  GATE_FILES,
  GATE_FOLDER,
  PLOT_FOLDER,
} from "../../report/export/artifact_names.ts";
import { FolderSink } from "../../report/export/file_sink.ts";
import type { FlawTexts } from "../../client/record/flaw_texts.ts";
import { RecordFileWriter } from "../../client/record/record_file.ts";
import { plotRun } from "../collect/plot_run.ts";
import { reportRun } from "../collect/report_run.ts";
import { openRunFolder, type RunFolder } from "../collect/run_folder.ts";
import { RUN_FILES } from "../collect/run_files.ts";
import { manifestText, planHash, readManifest } from "../collect/run_manifest.ts";
import { sealedJson } from "../collect/sealed_json.ts";
import { ScrapeLogWriter } from "../server_metrics/scrape_log.ts";
import { consoleFile } from "../collect/write_run.ts";
import type { HostNames } from "./host_names.ts";
import type { ServerWords } from "./server_words.ts";

/** The hosts that a run's folder names. */
export function addHostsOf(folder: RunFolder, hosts: HostNames): void {
  const { facts } = folder.manifest;
  for (const { origin } of facts.plan.targets) {
    for (const host of [origin.hostname, ...origin.addresses]) hosts.add(host);
  }
  // A merged run names the machines of its shards.
  for (const host of facts.machine.hostname.split(/, | and \d+ more$/)) hosts.add(host);
  hosts.addFrom(manifestText(folder.manifest));
  for (const messages of [folder.scrapes(), folder.gpuScrapes()]) {
    for (const message of messages) {
      if (message.type === "page") hosts.addFrom(JSON.stringify(message.page.newSeries));
      else if (message.type !== "piece") hosts.addFrom(JSON.stringify(message));
      else hosts.addFrom(JSON.stringify(message.piece));
    }
  }
}

/**
 * Writes the run into another folder, its hosts replaced; of a merged run with the records of all
 * shards.
 * @param names of the files that are to be there
 * @param words texts that are left out; undefined for none
 */
export async function writeAnonymousRun(
  folder: RunFolder,
  from: string,
  to: string,
  names: readonly string[],
  hosts: HostNames,
  words?: ServerWords,
): Promise<void> {
  const replaced = (text: string): string => hosts.replacedIn(text);
  const sink = new FolderSink(to);
  const inJson = (json: string): string => hosts.replacedInJson(json);
  const manifest = readManifest(inJson(manifestText(folder.manifest)));
  await sink.write(RUN_FILES.manifest, [
    sealedJson(manifestText({
      ...manifest,
      parts: undefined,
      planHash: await planHash(manifest.facts.plan),
    })),
  ]);
  await sink.write(RUN_FILES.records, recordPieces(folder, replaced));
  const sessions = folder.sessionLines();
  if (sessions.length > 0) await sink.write(RUN_FILES.sessions, [inJson(sessions.join("\n"))]);
  if (names.includes(RUN_FILES.canaries)) {
    await sink.write(RUN_FILES.canaries, canaryPieces(folder));
  }
  if (names.includes(RUN_FILES.serverMetrics)) {
    await sink.write(
      RUN_FILES.serverMetrics,
      scrapePieces(folder.scrapes(), runOf(folder), inJson),
    );
  }
  if (names.includes(RUN_FILES.gpuTelemetry)) {
    await sink.write(
      RUN_FILES.gpuTelemetry,
      scrapePieces(folder.gpuScrapes(), runOf(folder), inJson),
    );
  }
  const { console: consoleName } = artifactNames(manifest.facts.plan.output.prefix);
  for (const name of names.filter((name) => /\.(jsonl|txt)$|^inputs\.json$/.test(name))) {
    if (words !== undefined && name === consoleName) continue;
    const inLines = (lines: string): string =>
      inJson(words === undefined ? lines : words.withoutWordsInLines(lines));
    await writeReplaced(
      `${from}/${name}`,
      `${to}/${name}`,
      name.endsWith(".txt") ? replaced : name.endsWith(".jsonl") ? inLines : inJson,
    );
  }
  const written = await openRunFolder(to);
  const hasConsole = names.includes(consoleName);
  const files = new Set([...written.files, ...(hasConsole ? [consoleName] : [])]);
  const { report, metrics } = await reportRun({ ...written, files }, sink);
  if (words !== undefined && hasConsole) {
    await sink.write(consoleName, [consoleFile(report, manifest.facts.plan, metrics)]);
  }
  if (names.some((name) => name.startsWith(`${PLOT_FOLDER}/`))) {
    const formats = (["svg", "png"] as const).filter((format) =>
      names.some((name) => name.startsWith(`${PLOT_FOLDER}/`) && name.endsWith(`.${format}`))
    );
    await plotRun(written, sink, formats);
  }
  // What the gate command left is not made again by anything.
  const gateFiles = Object.values(GATE_FILES);
  for (const name of [...gateFiles, ...gateFiles.map((name) => `${GATE_FOLDER}/${name}`)]) {
    const isThere = await Deno.stat(`${to}/${name}`).then(() => true, () => false);
    if (!names.includes(name) || isThere) continue;
    if (words?.isIn(unescaped(await Deno.readTextFile(`${from}/${name}`)))) continue;
    const isJson = name.endsWith(".json");
    if (name.includes("/")) await Deno.mkdir(`${to}/${GATE_FOLDER}`, { recursive: true });
    await writeReplaced(`${from}/${name}`, `${to}/${name}`, isJson ? inJson : replaced);
  }
}

function runOf({ manifest }: RunFolder): string {
  return manifest.facts.plan.benchmarkId;
}

/** A text with the characters that JSON, XML and Markdown escape as they are, for comparing. */
function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&").replaceAll("\\", "");
}

function* recordPieces(
  folder: RunFolder,
  replaced: (text: string) => string,
): Generator<Uint8Array> {
  yield RecordFileWriter.head(runOf(folder));
  const writer = new RecordFileWriter();
  for (const record of folder.records()) {
    writer.add({
      ...record,
      error: record.error === undefined ? undefined : replaced(record.error),
      flaw: record.flaw === undefined ? undefined : replaced(record.flaw),
      flawTexts: record.flawTexts && textsReplaced(record.flawTexts, replaced),
    });
    if (writer.isFull) { for (const piece of writer.take()) yield piece.slice(); }
  }
  if (writer.count > 0) { for (const piece of writer.take()) yield piece.slice(); }
}

function textsReplaced(texts: FlawTexts, replaced: (text: string) => string): FlawTexts {
  return JSON.parse(
    JSON.stringify(texts),
    (_, value) => typeof value === "string" ? replaced(value) : value,
  );
}

function* canaryPieces(folder: RunFolder): Generator<Uint8Array> {
  yield canaryFileHead(runOf(folder));
  for (const rows of folder.canaries()) yield* canaryBlock(rows);
}

function* scrapePieces(
  messages: Iterable<ScrapeMessage>,
  run: string,
  replaced: (text: string) => string,
): Generator<Uint8Array> {
  yield ScrapeLogWriter.head(run);
  const writer = new ScrapeLogWriter(replaced);
  for (const message of messages) {
    for (const piece of writer.block(message)) yield piece.slice();
  }
}

/** Writes a text file line by line. */
export async function writeReplaced(
  from: string,
  to: string,
  replaced: (text: string) => string,
): Promise<void> {
  const source = await Deno.open(from);
  let rest = "";
  const lines = new TransformStream<string, string>({
    transform(text, controller) {
      const end = (rest + text).lastIndexOf("\n") + 1;
      const whole = (rest + text).slice(0, end);
      rest = (rest + text).slice(end);
      if (whole !== "") controller.enqueue(replaced(whole));
    },
    flush(controller) {
      if (rest !== "") controller.enqueue(replaced(rest));
    },
  });
  const target = await Deno.create(to);
  await source.readable.pipeThrough(new TextDecoderStream()).pipeThrough(lines)
    .pipeThrough(new TextEncoderStream()).pipeTo(target.writable);
}
