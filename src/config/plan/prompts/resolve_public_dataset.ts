import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import { cachedSnapshots, isAbsence } from "../../hub/cached_folder.ts";
import { type HubSettings, isDefaultHub } from "../../hub/hub_settings.ts";
import {
  ENTRIES_WITHOUT_COUNT,
  MAX_COMPUTED_ENTRIES,
} from "../../options/profile/computed_defaults.ts";
import { nearest } from "../../options/nearest.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { UsageError } from "../../options/usage_error.ts";
import { filePattern, filesOfPart, ROW_FILES } from "../../public_datasets/dataset_files.ts";
import { whyLeftOut } from "../../public_datasets/left_out_datasets.ts";
import type { PublicDataset } from "../../public_datasets/public_dataset.ts";
import { PUBLIC_DATASETS, publicDataset } from "../../public_datasets/public_datasets.ts";
import { withoutEndSlash } from "../../../core/files/without_end_slash.ts";
import type { DatasetPlace, PublicDatasetPlan } from "../public_dataset_plan.ts";
import { sessionLimit } from "../load/resolve_phases.ts";
import type { PhasePlan } from "../run_plan.ts";

const FLAG = "--public-dataset";
const FOLDER_FLAG = "--public-dataset-folder";
/** Where AIPerf keeps what it fetched itself, below the working folder. */
const AIPERF_CACHE = ".cache/aiperf/datasets";
/** Maximum number of files in the folder of a dataset. */
const MAX_FILES = 100_000;
const MAX_DEPTH = 6;

/** Settings that determine the source of a dataset. */
export interface PublicDatasetContext {
  readonly type: EndpointType;
  readonly phases: readonly PhasePlan[];
  readonly hub: HubSettings;
}

/**
 * Returns the dataset that a run names: from a folder, else from the local cache of the hub, else
 * from the hub. Nothing is fetched.
 * @returns undefined if none is named
 * @throws {UsageError} if no dataset has the name, or its files cannot be found
 */
export async function resolvePublicDataset(
  settings: ProfileSettings,
  { type, phases, hub }: PublicDatasetContext,
): Promise<PublicDatasetPlan | undefined> {
  if (settings.publicDataset === undefined) return undefined;
  const dataset = datasetOf(settings.publicDataset);
  checkEndpoint(dataset, type);
  const part = {
    subset: settings.hfSubset ?? dataset.subset,
    split: dataset.split,
    isOtherSubset: settings.hfSubset !== undefined && settings.hfSubset !== dataset.subset,
  };
  return {
    name: dataset.name,
    ...part,
    filters: filtersOf(settings.datasetFilter ?? []),
    entries: publicEntries(settings, phases),
    place: await placeOf(dataset, part, settings, hub),
  };
}

/**
 * Returns the number of conversations built from a dataset: as many as synthetic prompts would be.
 */
export function publicEntries(settings: ProfileSettings, phases: readonly PhasePlan[]): number {
  const { numPrompts, numDatasetEntries = numPrompts } = settings;
  if (numDatasetEntries !== undefined) return numDatasetEntries;
  // A choice is made from more than are sent.
  if (settings.datasetSamplingStrategy !== "sequential") return MAX_COMPUTED_ENTRIES;
  const sessions = Math.max(...phases.map(sessionLimit));
  return sessions === Infinity ? ENTRIES_WITHOUT_COUNT : Math.min(sessions, MAX_COMPUTED_ENTRIES);
}

function datasetOf(name: string): PublicDataset {
  const dataset = publicDataset(name);
  if (dataset !== undefined) return dataset;
  const shown = JSON.stringify(name);
  const why = whyLeftOut(name);
  if (why !== undefined) throw new UsageError(FLAG, `${shown} is ${why}`);
  const names = PUBLIC_DATASETS.map(({ name }) => name);
  const meant = nearest(name.replaceAll("-", "_"), names);
  throw new UsageError(
    FLAG,
    `Must be one of ${names.join(", ")}: got ${shown}` +
      (meant === undefined ? "" : ` (did you mean ${meant}?)`),
  );
}

function checkEndpoint(dataset: PublicDataset, type: EndpointType): void {
  for (
    const [media, name] of [["image", "pictures"], ["audio", "recordings"], [
      "video",
      "films",
    ]] as const
  ) {
    if (dataset[media] === undefined || takesMedia(type, media)) continue;
    throw new UsageError(
      FLAG,
      `${dataset.name} has ${name}, which endpoint type ${type.name} does not take`,
    );
  }
}

function takesMedia(type: EndpointType, media: "image" | "audio" | "video"): boolean {
  return media === "video" ? type.name === "chat" : type.media.includes(media);
}

function filtersOf(texts: readonly string[]): [string, string][] {
  const filters = new Map<string, string>();
  for (const text of texts) {
    const [, column = "", value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    if (column.trim() === "" || value.trim() === "") {
      throw new UsageError("--dataset-filter", `Must be column=value: got ${JSON.stringify(text)}`);
    }
    if (filters.has(column.trim())) {
      throw new UsageError("--dataset-filter", `Names a column twice: ${column.trim()}`);
    }
    filters.set(column.trim(), value.trim());
  }
  return [...filters];
}

type Part = Pick<PublicDatasetPlan, "subset" | "split" | "isOtherSubset">;

async function placeOf(
  dataset: PublicDataset,
  { isOtherSubset, ...names }: Part,
  { publicDatasetFolder: folder, offline }: ProfileSettings,
  hub: HubSettings,
): Promise<DatasetPlace> {
  const part = { ...names, files: dataset.files };
  if (folder !== undefined) {
    const files = await filesIn(folder, (paths) => filesOfPart(paths, part, isOtherSubset));
    if (files.length > 0) return { kind: "local", files, from: "a folder" };
    throw new UsageError(
      FOLDER_FLAG,
      `${folder} has no file of ${dataset.name}: ${filePattern(part)} of ${dataset.repository}`,
    );
  }
  if (dataset.aiperfFile !== undefined) {
    const path = `${AIPERF_CACHE}/${dataset.aiperfFile}`;
    if ((await filesIn(path, (paths) => [...paths])).length > 0) {
      return { kind: "local", files: [path], from: "the cache" };
    }
  }
  for (const snapshot of await cachedSnapshots(hub.cacheFolder, "datasets", dataset.repository)) {
    const files = await filesIn(snapshot, (paths) => filesOfPart(paths, part, isOtherSubset));
    if (files.length > 0) return { kind: "local", files, from: "the cache" };
  }
  if (offline || hub.isOffline) {
    throw new UsageError(
      FLAG,
      `"${dataset.name}" (${dataset.repository}) is not in the cache ` +
        `(${
          hub.cacheFolder ?? "there is none"
        }), and nothing is fetched offline: give the folder ` +
        `of its files with ${FOLDER_FLAG}`,
    );
  }
  // A mirror that the user named is asked for everything; nobody else is.
  return dataset.origin !== undefined && isDefaultHub(hub)
    ? { kind: "hub", endpoint: new URL(dataset.origin).origin, url: dataset.origin }
    : { kind: "hub", endpoint: hub.endpoint };
}

/**
 * Files below a folder, with the folder before their names; a file is its own.
 * @param choose gets their names within the folder
 */
async function filesIn(
  folder: string,
  choose: (paths: readonly string[]) => string[],
): Promise<string[]> {
  const base = withoutEndSlash(folder);
  const paths: string[] = [];
  const visit = async (path: string, depth: number): Promise<void> => {
    for await (const { name } of Deno.readDir(path === "" ? base : `${base}/${path}`)) {
      const inside = path === "" ? name : `${path}/${name}`;
      // A snapshot's files are links.
      const { isFile, isDirectory } = await Deno.stat(`${base}/${inside}`);
      if (isFile) paths.push(inside);
      else if (isDirectory && depth < MAX_DEPTH && !name.startsWith(".")) {
        await visit(inside, depth + 1);
      }
      if (paths.length > MAX_FILES) {
        throw new UsageError(FOLDER_FLAG, `${folder} has more than ${MAX_FILES} files`);
      }
    }
  };
  try {
    if ((await Deno.stat(base)).isFile) {
      return ROW_FILES.some((ending) => base.toLowerCase().endsWith(`.${ending}`)) ? [base] : [];
    }
    await visit("", 0);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (!isAbsence(error)) throw error;
    return [];
  }
  return choose(paths).map((path) => `${base}/${path}`);
}
