/** A run in one file to share. */

import { fileReason } from "../../core/files/file_reason.ts";
import { GATE_FOLDER, PLOT_FOLDER } from "../../report/export/artifact_names.ts";
import { isClaimed } from "../../report/export/folder_claim.ts";
import { jsonText } from "../../core/files/json_text.ts";
import { USER_AGENT } from "../../config/plan/version.ts";
import { openExportedRun } from "../collect/exported_run.ts";
import { linesOf } from "../collect/exported_files.ts";
import { readDamage } from "../collect/run_damage.ts";
import { openRunFolder, type RunFolder, RunFolderError } from "../collect/run_folder.ts";
import { RUN_FILES } from "../collect/run_files.ts";
import { readManifest } from "../collect/run_manifest.ts";
import { redactedFields } from "../../core/secrets/secret_fields.ts";
import { redactedServerText } from "../../core/secrets/server_texts.ts";
import { addHostsOf, writeAnonymousRun, writeReplaced } from "./anonymous_run.ts";
import { type BundleNames, bundleNames } from "./bundle_names.ts";
import { HostNames } from "./host_names.ts";
import { errorWords, ServerWords } from "./server_words.ts";
import { PROMPT, withoutPrompt, withoutTexts } from "./without_texts.ts";
import { bytesOf, type PackedFile, ZipFile } from "./zip_file.ts";

/** The list of a bundle's files, in it. */
const BUNDLE_MANIFEST = "bundle.json";

/** Settings of a bundle. */
export interface BundleOptions {
  /** Whether prompts and replies are packed. */
  readonly withText: boolean;
  /** Whether hosts get other names. */
  readonly anonymizeHosts: boolean;
}

/** A bundle that is written. */
export interface Bundle {
  readonly path: string;
  readonly files: readonly PackedFile[];
  readonly leftOut: BundleNames["leftOut"];
  /** Hosts that got other names. */
  readonly replacedHosts: number;
  /** Whether the run's `run.json` is not as it was written: one with other names does not tell. */
  readonly isChanged: boolean;
  /** Losses since the run was written, a phrase each. */
  readonly damage: readonly string[];
  /** Texts of servers in whose places kinds and status codes stand. */
  readonly replacedTexts: number;
}

/**
 * Packs the run in a folder into a zip file. The same folder and settings make the same bytes.
 * @throws {RunFolderError} if the folder holds no run, or one that is under way
 * @throws {ExportError} if the file cannot be written
 */
export async function writeBundle(
  directory: string,
  path: string,
  options: BundleOptions,
): Promise<Bundle> {
  if (await isClaimed(directory)) {
    throw new RunFolderError(`${directory}: A run is writing into it: wait until it has ended`);
  }
  const files = await filesIn(directory);
  const folder = await folderIn(directory, files);
  const prefix = folder?.manifest.facts.plan.output.prefix ?? prefixIn(files);
  const names = bundleNames([...files, ...partFiles(folder)], prefix, options.withText);
  if (!names.packed.some((name) => /\.(json|jsonl)$/.test(name))) {
    throw new RunFolderError(`${directory} holds no run`);
  }
  const scratch = await Deno.makeTempDir({ prefix: "inferometer-bundle-" });
  try {
    const damage = await damageIn(directory, folder, files);
    const hosts = new HostNames();
    const source = await sourceOf(directory, scratch, noted(folder, damage), {
      ...{ names, options, hosts },
    });
    const bundle = await pack(source.directory, path, {
      id: await idOf(directory, folder, files),
      names: source.names,
      options,
      replacedHosts: hosts.count,
      damage,
      replacedTexts: source.replacedTexts,
    });
    return { ...bundle, isChanged: folder?.manifest.isChanged === true };
  } finally {
    await Deno.remove(scratch, { recursive: true }).catch(() => {});
  }
}

/** The run of a folder; undefined if its records are not there. */
async function folderIn(
  directory: string,
  files: readonly string[],
): Promise<RunFolder | undefined> {
  if (!files.includes(RUN_FILES.manifest)) return undefined;
  if (files.includes(RUN_FILES.records)) return await openRunFolder(directory);
  const { parts } = readManifest(await Deno.readTextFile(`${directory}/${RUN_FILES.manifest}`));
  return parts === undefined ? undefined : await openRunFolder(directory);
}

/** Losses of a run; without records, contradictions between its lines and its summary. */
async function damageIn(
  directory: string,
  folder: RunFolder | undefined,
  files: readonly string[],
): Promise<readonly string[]> {
  if (folder !== undefined) return await readDamage(folder);
  if (files.includes(RUN_FILES.manifest)) return [];
  return await openExportedRun(directory).then(({ damage }) => damage, (error) => {
    if (!(error instanceof RunFolderError)) throw error;
    return [];
  });
}

/** The run with notes of what it lost: rewritten files have checksums of their own. */
function noted(folder: RunFolder | undefined, damage: readonly string[]): RunFolder | undefined {
  const { manifest } = folder ?? {};
  if (folder === undefined || manifest?.summary === undefined || damage.length === 0) return folder;
  const notes = [
    ...manifest.summary.notes,
    ...damage.map((text) => `Damaged before it was bundled: ${text}`),
  ];
  return { ...folder, manifest: { ...manifest, summary: { ...manifest.summary, notes } } };
}

/** The files of `run/` that a merged run has in the folders of its shards. */
function partFiles(folder: RunFolder | undefined): string[] {
  if (folder?.manifest.parts === undefined) return [];
  const { plan } = folder.manifest.facts;
  return [
    RUN_FILES.records,
    ...(plan.canaries ? [RUN_FILES.canaries] : []),
    ...(plan.serverMetrics === undefined ? [] : [RUN_FILES.serverMetrics]),
    ...(plan.gpuTelemetry === undefined ? [] : [RUN_FILES.gpuTelemetry]),
  ];
}

/**
 * The folder from which is packed: the run's own, or one in which names and secrets are replaced,
 * and in which the records of shards are one file.
 */
async function sourceOf(
  directory: string,
  scratch: string,
  given: RunFolder | undefined,
  { names, options: { anonymizeHosts, withText }, hosts }: {
    readonly names: BundleNames;
    readonly options: BundleOptions;
    readonly hosts: HostNames;
  },
): Promise<Source> {
  if (given !== undefined) {
    const { folder, words } = withText ? { folder: given } : withoutTexts(given);
    if (!anonymizeHosts && words === undefined && folder.manifest.parts === undefined) {
      return { directory, names, replacedTexts: 0 };
    }
    if (anonymizeHosts) addHostsOf(folder, hosts);
    await writeAnonymousRun(folder, directory, scratch, names.packed, hosts, words);
    const written = new Set(await filesIn(scratch));
    const missing = names.packed.filter((name) => !written.has(name));
    const reason = words === undefined
      ? "its hosts cannot be replaced"
      : "words of servers, which may quote prompts";
    return {
      directory: scratch,
      replacedTexts: words?.count ?? 0,
      names: {
        packed: names.packed.filter((name) => written.has(name)),
        leftOut: [
          ...names.leftOut,
          ...missing.map((name) => [name, reason] as const),
        ],
      },
    };
  }
  const words = withText ? undefined : new ServerWords();
  return {
    directory: scratch,
    names: await copied(directory, scratch, names, { anonymizeHosts, hosts, words }),
    replacedTexts: words?.count ?? 0,
  };
}

/** What is packed. */
interface Source {
  readonly directory: string;
  readonly names: BundleNames;
  /** Texts of servers in whose places kinds and status codes stand. */
  readonly replacedTexts: number;
}

/** Copies a run that only has its exported files: it may be AIPerf's, and hold secrets. */
async function copied(
  directory: string,
  scratch: string,
  names: BundleNames,
  { anonymizeHosts, hosts, words }: {
    readonly anonymizeHosts: boolean;
    readonly hosts: HostNames;
    readonly words: ServerWords | undefined;
  },
): Promise<BundleNames> {
  if (words !== undefined) await collectWords(directory, names.packed, words);
  const isText = (name: string): boolean => !/\.(parquet|png)$/.test(name);
  if (anonymizeHosts) {
    for (const name of names.packed.filter((name) => name.endsWith(".json"))) {
      hosts.addFrom(await Deno.readTextFile(`${directory}/${name}`));
    }
  }
  // Pages, tables and the terminal's text repeat the words of a server in forms of their own.
  const isQuoting = (name: string): boolean =>
    words !== undefined && words.count > 0 && /\.(html|txt|md|xml|csv)$/.test(name);
  const packed = names.packed.filter((name) =>
    (isText(name) || !anonymizeHosts) && !isQuoting(name)
  );
  for (const name of packed) {
    const [from, to] = [`${directory}/${name}`, `${scratch}/${name}`];
    if (name.includes("/")) await Deno.mkdir(to.replace(/\/[^/]*$/, ""), { recursive: true });
    if (name.endsWith(".json")) {
      const text = await Deno.readTextFile(from);
      await Deno.writeTextFile(
        to,
        hosts.replacedInJson(withoutWords(withoutSecrets(text, words !== undefined), words)),
      );
    } else if (isText(name)) {
      const isJson = name.endsWith(".jsonl");
      await writeReplaced(
        from,
        to,
        (text) =>
          isJson
            ? hosts.replacedInJson(words?.withoutWordsInLines(text) ?? text)
            : hosts.replacedIn(text),
      );
    } else await Deno.copyFile(from, to);
  }
  return {
    packed,
    leftOut: [
      ...names.leftOut,
      ...names.packed.filter((name) => !packed.includes(name))
        .map((name) =>
          [
            name,
            isQuoting(name)
              ? "words of servers, which may quote prompts"
              : "its hosts cannot be replaced",
          ] as const
        ),
    ],
  };
}

/** Notes what the lines of requests, and the summary, have of servers' words. */
async function collectWords(
  directory: string,
  names: readonly string[],
  words: ServerWords,
): Promise<void> {
  const add = (error: unknown): void => {
    const { code, kind, message, type } = (error ?? {}) as Record<string, unknown>;
    if (typeof message !== "string") return;
    if (errorWords(message, kind ?? type, code) !== message) words.add(message);
  };
  for (const name of names.filter((name) => name.endsWith(".jsonl"))) {
    for await (const line of linesOf(`${directory}/${name}`)) {
      if (line.includes('"error"')) add(objectIn(line)["error"]);
    }
  }
  for (const name of names.filter((name) => name.endsWith(".json"))) {
    const { error_summary: groups } = objectIn(await Deno.readTextFile(`${directory}/${name}`));
    for (const group of Array.isArray(groups) ? groups : []) add(group?.["error_details"]);
  }
}

function objectIn(json: string): Record<string, unknown> {
  try {
    const value = JSON.parse(json);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** JSON in which every text that repeats a server's words is replaced by kind or status. */
function withoutWords(text: string, words: ServerWords | undefined): string {
  if (words === undefined || words.count === 0) return text;
  return text.replace(/"(?:[^"\\]|\\.)*"/g, (token) => {
    const value = objectIn(`{"text":${token}}`)["text"];
    return typeof value === "string" && words.isIn(value) ? '"words of the server"' : token;
  });
}

/** A summary without keys and passwords in the settings and in the command line. */
function withoutSecrets(text: string, isPromptLeftOut: boolean): string {
  let summary: Record<string, unknown>;
  try {
    summary = JSON.parse(text);
  } catch {
    return text;
  }
  const { input_config: config, run_info: info } = summary ?? {};
  if (typeof config !== "object" || config === null) return text;
  const command = (info as Record<string, unknown> | undefined)?.["cli_command"];
  const redacted = {
    ...summary,
    "input_config": redactedFields(config as Record<string, unknown>),
    ...(isPromptLeftOut ? ownConfigWithoutPrompt(summary) : {}),
    ...(typeof command !== "string" ? {} : {
      "run_info": {
        ...info as Record<string, unknown>,
        "cli_command": redactedServerText(
          "command",
          isPromptLeftOut ? withoutPrompt(command) : command,
          (text) => text,
        ),
      },
    }),
  };
  // A file that has none stays as it is, digit for digit.
  return JSON.stringify(redacted) === JSON.stringify(summary) ? text : `${jsonText(redacted)}\n`;
}

/** The settings that only this program has, without the text of a prompt. */
function ownConfigWithoutPrompt(
  { inferometer: own }: Record<string, unknown>,
): Record<string, unknown> {
  return typeof own === "object" && own !== null && "system_prompt" in own
    ? { "inferometer": { ...own, "system_prompt": PROMPT } }
    : {};
}

async function pack(
  directory: string,
  path: string,
  { damage, id, names, options, replacedHosts, replacedTexts }: {
    readonly id: string;
    readonly names: BundleNames;
    readonly options: BundleOptions;
    readonly replacedHosts: number;
    readonly damage: readonly string[];
    readonly replacedTexts: number;
  },
): Promise<Omit<Bundle, "isChanged">> {
  const zip = await ZipFile.create(path);
  const root = `inferometer-${id}`;
  try {
    const files: PackedFile[] = [];
    for (const name of names.packed) {
      const packed = await zip.add(`${root}/${name}`, bytesOf(`${directory}/${name}`));
      files.push({ ...packed, name });
    }
    const manifest = jsonText({
      "format": "inferometer-bundle",
      "version": 1,
      "product": USER_AGENT,
      "benchmark_id": id,
      "with_text": options.withText,
      "hosts": options.anonymizeHosts ? "replaced" : "kept",
      "replaced_texts": replacedTexts,
      ...(damage.length === 0 ? {} : { "damaged": damage }),
      "files": files.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
      "left_out": names.leftOut.map(([name, reason]) => ({ name, reason })),
    }) + "\n";
    await zip.add(`${root}/${BUNDLE_MANIFEST}`, oneOf(new TextEncoder().encode(manifest)));
    await zip.finish();
    return { path, files, leftOut: names.leftOut, replacedHosts, damage, replacedTexts };
  } catch (error) {
    await zip.abandon();
    throw error;
  }
}

async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** What a run is called: its own id, whatever its folder is called. */
async function idOf(
  directory: string,
  folder: RunFolder | undefined,
  files: readonly string[],
): Promise<string> {
  if (folder !== undefined) return folder.manifest.facts.plan.benchmarkId;
  for (const name of files.filter((name) => name.endsWith(".json"))) {
    try {
      const { benchmark_id: id } = JSON.parse(await Deno.readTextFile(`${directory}/${name}`));
      if (typeof id === "string" && /^[\w-]{1,64}$/.test(id)) return id;
    } catch {
      // Another file may say.
    }
  }
  return "run";
}

/** The user's own beginning of names, by a pair of files that both have it. */
function prefixIn(files: readonly string[]): string | undefined {
  return files.flatMap((name) => /^([^/]+)\.jsonl$/.exec(name)?.[1] ?? [])
    .find((prefix) => files.includes(`${prefix}.json`) || files.includes(`${prefix}_aiperf.json`));
}

/** Names of files in a folder, and in the folders that a run may have in it. */
async function filesIn(directory: string): Promise<string[]> {
  const names: string[] = [];
  for (const folder of ["", "run/", `${PLOT_FOLDER}/`, `${GATE_FOLDER}/`]) {
    try {
      for await (const { name, isFile } of Deno.readDir(`${directory}/${folder}`)) {
        if (isFile && !name.startsWith(".")) names.push(folder + name);
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) || folder === "") {
        const reason = error instanceof Deno.errors.NotFound ? "No such folder" : fileReason(error);
        throw new RunFolderError(`${directory}: ${reason}`);
      }
    }
  }
  return names.sort();
}
