import type { Command } from "npm:commander@15.1.0";
import { artifactNames } from "../../report/export/artifact_names.ts";
import { FolderSink } from "../../report/export/file_sink.ts";
import { importedFiles, type NamedFile } from "../../results/foreign/imported_files.ts";
import { objectIn } from "../../results/foreign/foreign_result.ts";
import { readForeign } from "../../results/foreign/read_foreign.ts";
import { IMPORT_OPTIONS } from "../../config/options/commands/import_options.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { exportedNames } from "../../results/collect/exported_files.ts";
import { openExportedRun } from "../../results/collect/exported_run.ts";
import { REQUEST_LINES } from "../../report/export/request_lines.ts";
import { readDamage } from "../../results/collect/run_damage.ts";
import { RUN_FILES } from "../../results/collect/run_files.ts";
import { openRunFolder, RunFolderError } from "../../results/collect/run_folder.ts";
import { printableText } from "../../report/console/printable_text.ts";
import { withoutEndSlash } from "../../core/files/without_end_slash.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { readInput } from "../operands/read_input.ts";
import { writeMessage, writeOut } from "../terminal/terminal.ts";

const NO_RESULTS = "It holds no results: no .json and no .jsonl";

/**
 * Runs `inferometer import`: results of another tool become the files of a run.
 * @param operand its result file, or a folder of AIPerf
 * @returns the exit code
 */
export async function importCommand(command: Command, operand: string): Promise<number> {
  const { from, artifactDir, overwrite = false } = resolveOptions(
    IMPORT_OPTIONS,
    await optionValues(command, IMPORT_OPTIONS),
  );
  const path = withoutEndSlash(operand);
  const { tool, runs } = await runsIn(path, from);
  const name = path.split(/[/\\]/).at(-1)?.replace(/\.(?:jsonl?|ya?ml)$/, "") || "run";
  const folder = artifactDir ?? `artifacts/imported-${tool}-${name}`;
  if (!overwrite) await assertEmpty(folder);
  const found = from === undefined ? " (found out from its content)" : "";
  writeOut(`${printableText(path, Infinity)}: results of ${tool}${found}\n`);
  for (const [at, { files, notes }] of runs.entries()) {
    const place = runs.length === 1 ? folder : `${folder}/run_${at + 1}`;
    await Deno.mkdir(place, { recursive: true });
    const sink = new FolderSink(place);
    for (const [file, text] of files) await sink.write(file, [text]);
    for (const note of notes) writeMessage("warning", `${place}: ${note}`);
    writeOut(`${printableText(place, Infinity)}\n`);
  }
  return EXIT_CODE.done;
}

interface ImportedRun {
  readonly files: readonly NamedFile[];
  readonly notes: readonly string[];
}

interface FoundRuns {
  readonly tool: string;
  readonly runs: readonly ImportedRun[];
}

async function runsIn(path: string, from: string | undefined): Promise<FoundRuns> {
  const info = await Deno.stat(path).catch(() => undefined);
  if (info?.isDirectory === true) {
    const own = await exportedNames(path).then((names) => names.summary !== undefined, () => false);
    if (own && (from === undefined || from === "aiperf")) return await aiperfRun(path);
    return await filesIn(path, from);
  }
  const text = new TextDecoder().decode(await readInput(path));
  if (from === undefined || from === "aiperf") {
    if (isAiperfSummary(text)) return await aiperfFile(path, text);
    if (from !== undefined) {
      throw new UsageError(
        path,
        "Not a result of aiperf: expected its folder, or the summary in it",
      );
    }
  }
  return foreignRuns(text, path, from, info?.mtime?.getTime());
}

/** Whether text is the summary of a run of AIPerf: only that has all settings in it. */
function isAiperfSummary(text: string): boolean {
  try {
    return Object.keys(objectIn(objectIn(JSON.parse(text))["input_config"])).length > 0;
  } catch {
    return false;
  }
}

/** The run whose summary this is, with its requests where they lie beside it. */
async function aiperfFile(path: string, text: string): Promise<FoundRuns> {
  const slash = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  const folder = slash < 0 ? "." : path.slice(0, slash) || "/";
  const names = await exportedNames(folder).catch(() => undefined);
  if (names?.summary === path.slice(slash + 1)) return await aiperfRun(folder);
  const { json, records } = artifactNames(undefined);
  const notes = [
    "The file has only statistics; use --export-level records in AIPerf to include each request",
  ];
  const files: NamedFile[] = [[json, withoutLines(text)], [records, ""]];
  return { tool: "aiperf", runs: [{ files, notes }] };
}

/** A summary that says that it has no lines; its own text stays, digit for digit. */
function withoutLines(text: string): string {
  if ("inferometer" in objectIn(JSON.parse(text))) return text;
  return text.replace("{", `{\n  "inferometer": { "${REQUEST_LINES}": 0 },`);
}

function foreignRuns(
  text: string,
  path: string,
  from: string | undefined,
  writtenMs = Date.now(),
): FoundRuns {
  const source = from === "vllm" || from === "sglang" || from === "guidellm" ? from : undefined;
  const { source: tool, results } = readForeign(text, path, source, writtenMs);
  return {
    tool,
    runs: results.map((result) => ({ files: importedFiles(result), notes: result.notes })),
  };
}

/** The results that lie in a folder, all of one tool. */
async function filesIn(folder: string, from: string | undefined): Promise<FoundRuns> {
  const names: string[] = [];
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (isFile && /\.jsonl?$/.test(name)) names.push(name);
  }
  const read = [];
  for (const name of names.sort()) {
    const path = `${folder}/${name}`;
    const { mtime } = await Deno.stat(path);
    const text = new TextDecoder().decode(await readInput(path));
    const isAiperf = (from === undefined || from === "aiperf") && isAiperfSummary(text);
    if (isAiperf) read.push(await aiperfFile(path, text));
    else if (from !== "aiperf") read.push(foreignRuns(text, path, from, mtime?.getTime()));
  }
  const tools = new Set(read.map(({ tool }) => tool));
  if (tools.size !== 1) {
    throw new UsageError(
      folder,
      tools.size === 0
        ? from === "aiperf" ? "It holds no run of AIPerf" : NO_RESULTS
        : `It holds results of ${[...tools].join(" and ")}: name one file`,
    );
  }
  return { tool: [...tools][0] as string, runs: read.flatMap(({ runs }) => runs) };
}

/** AIPerf's files are ours as well: they are checked and copied. */
async function aiperfRun(folder: string): Promise<FoundRuns> {
  try {
    const { damage, partial } = await openExportedRun(folder);
    const { summary, lines, serverMetrics } = await exportedNames(folder);
    const files: NamedFile[] = [];
    for (const name of [summary, lines, serverMetrics, serverMetrics.replace(/json$/, "jsonl")]) {
      const text = name === undefined
        ? undefined
        : await Deno.readTextFile(`${folder}/${name}`).catch(() => undefined);
      if (name !== undefined && text !== undefined) files.push([name, text]);
    }
    const notes = [
      ...(partial === undefined ? [] : [partial]),
      ...damage,
      ...await damageOfRecords(folder),
    ];
    return { tool: "aiperf", runs: [{ files, notes }] };
  } catch (error) {
    if (error instanceof RunFolderError) throw new UsageError(folder, error.message);
    throw error;
  }
}

/** Losses in the records of a run of this program; records are not copied. */
async function damageOfRecords(folder: string): Promise<string[]> {
  const isOwn = await Deno.stat(`${folder}/${RUN_FILES.manifest}`).then(() => true, () => false);
  return isOwn ? await readDamage(await openRunFolder(folder)) : [];
}

async function assertEmpty(folder: string): Promise<void> {
  try {
    for await (const _ of Deno.readDir(folder)) {
      throw new UsageError(
        "--artifact-dir",
        `${folder} is not empty: name another, or --overwrite`,
      );
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    if (error instanceof Deno.errors.NotADirectory) {
      throw new UsageError("--artifact-dir", `${folder} is not a folder`);
    }
    throw error;
  }
}
