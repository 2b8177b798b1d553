import { cachedSnapshots, isAbsence } from "../../../config/hub/cached_folder.ts";
import { hubSettings } from "../../../config/hub/hub_settings.ts";
import { listHubFiles } from "../../../config/hub/list_hub_files.ts";
import { hubError } from "../../../config/hub/open_hub_file.ts";
import { filesOfPart } from "../../../config/public_datasets/dataset_files.ts";
import { writeAll } from "../../../core/files/write_all.ts";
import { repositoryRowFile } from "./hub_row_file.ts";
import { LocalRowFile } from "./local_row_file.ts";
import { readRows } from "./read_rows.ts";
import type { RowFile } from "./row_file.ts";

/** Rows of traces in a repository; any file whose rows can be read. */
const PART = { files: "*", subset: undefined, split: "train" };
/** Fields of a Weka trace. */
const COLUMNS = [
  ...["id", "models", "block_size", "hash_id_scope", "tool_tokens", "system_tokens", "requests"],
  "totals",
];
const MAX_DEPTH = 6;

/**
 * Reads the traces of a repository, from the local cache of the hub, else from the hub, and writes
 * them to a file of the temporary folder, one a line. The next run with the repository replaces it.
 * @param repository `org/name`
 * @returns path of the file
 * @throws {HubError} if the traces are in neither place
 */
export async function fetchHubTraces(
  repository: string,
  isOffline: boolean,
  interrupt: AbortSignal,
): Promise<string> {
  const files = await filesOf(repository, isOffline, interrupt);
  const path = await Deno.makeTempFile({ prefix: "inferometer-traces-", suffix: ".jsonl" });
  try {
    await writeTraces(path, files);
  } catch (error) {
    await Deno.remove(path);
    throw error;
  }
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const name = `${folder}inferometer-${repository.replace("/", "--")}.jsonl`;
  try {
    // At once: another run may be reading it.
    await Deno.rename(path, name);
    return name;
  } catch {
    // The file of another user.
    return path;
  }
}

async function writeTraces(path: string, files: readonly RowFile[]): Promise<void> {
  using output = await Deno.open(path, { write: true });
  const encoder = new TextEncoder();
  for (const file of files) {
    for await (const { fields } of readRows(file, COLUMNS)) {
      await writeAll(output, encoder.encode(`${JSON.stringify(fields, plainValue)}\n`));
    }
  }
}

async function filesOf(
  repository: string,
  isOffline: boolean,
  interrupt: AbortSignal,
): Promise<RowFile[]> {
  const hub = hubSettings();
  for (const snapshot of await cachedSnapshots(hub.cacheFolder, "datasets", repository)) {
    const paths = filesOfPart(await snapshotPaths(snapshot), PART);
    if (paths.length > 0) {
      return paths.map((path) => new LocalRowFile(`${snapshot}/${path}`, interrupt));
    }
  }
  const { endpoint, token } = hub;
  const where = { endpoint, repository, file: "its traces" };
  if (isOffline || hub.isOffline) {
    throw hubError(where, "they are not in the cache, and nothing is fetched offline");
  }
  const paths = filesOfPart(
    await listHubFiles({ endpoint, repository, token }, interrupt) ?? [],
    PART,
  );
  if (paths.length === 0) throw hubError(where, "it lists no file of rows");
  return paths.map((file) => repositoryRowFile({ endpoint, repository, file, token }, interrupt));
}

/** Files of a snapshot; none if one of them is missing, as its download leaves it until it is complete. */
async function snapshotPaths(folder: string): Promise<string[]> {
  try {
    return await pathsIn(folder);
  } catch (error) {
    if (!isAbsence(error)) throw error;
    return [];
  }
}

async function pathsIn(folder: string, prefix = "", depth = 0): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name } of Deno.readDir(`${folder}/${prefix}`)) {
    const path = prefix + name;
    // Files of a snapshot are links.
    const { isDirectory } = await Deno.stat(`${folder}/${path}`);
    if (!isDirectory) paths.push(path);
    else if (depth < MAX_DEPTH) paths.push(...await pathsIn(folder, `${path}/`, depth + 1));
  }
  return paths;
}

/** Numbers of 64 bits are those of JSON. */
function plainValue(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
