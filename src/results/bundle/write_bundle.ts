/** A run in one file to share. */

import { fileReason } from "../../core/files/file_reason.ts";
import { GATE_FOLDER, PLOT_FOLDER } from "../../report/export/artifact_names.ts";
import { isClaimed } from "../../report/export/folder_claim.ts";
import { jsonText } from "../../core/files/json_text.ts";
import { USER_AGENT } from "../../config/plan/version.ts";
import { openExportedRun } from "../collect/exported_run.ts";
import { readDamage } from "../collect/run_damage.ts";
import { openRunFolder, type RunFolder, RunFolderError } from "../collect/run_folder.ts";
import { RUN_FILES } from "../collect/run_files.ts";
import { readManifest } from "../collect/run_manifest.ts";
import { addHostsOf, writeAnonymousRun } from "./anonymous_run.ts";
import { type BundleNames, bundleNames } from "./bundle_names.ts";
import { copyExportedRun } from "./copy_exported_run.ts";
import { HostNames } from "./host_names.ts";
import { ServerWords } from "./server_words.ts";
import { withoutTexts } from "./without_texts.ts";
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
    names: await copyExportedRun(directory, scratch, names, { anonymizeHosts, hosts, words }),
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
