import {
  artifactNames,
  GATE_FILES,
  GATE_FOLDER,
  gpuTelemetryName,
  isPlotName,
  networkLatencyName,
  PLOT_FOLDER,
  serverMetricsName,
} from "../../report/export/artifact_names.ts";
import { RUN_FILES } from "../collect/run_files.ts";

/** The reason why a file stays out of a bundle. */
export type LeftOutReason =
  | "prompts and replies"
  | "not of the run"
  | "its hosts cannot be replaced"
  | "words of servers, which may quote prompts";

/** The files of a run by what becomes of them. */
export interface BundleNames {
  /** By ascending names. */
  readonly packed: readonly string[];
  readonly leftOut: readonly (readonly [name: string, reason: LeftOutReason])[];
}

/** Files whose names begin with the user's own word, as this program and AIPerf call them. */
const ENDINGS = ["", "_aiperf"];

/**
 * Which files of a folder belong to its run, and which of them may be shared.
 * @param files names of the files in the folder and in the folders of it
 * @param prefix the user's own beginning of names
 */
export function bundleNames(
  files: Iterable<string>,
  prefix: string | undefined,
  withText: boolean,
): BundleNames {
  const prefixes = prefix === undefined ? [undefined] : [prefix, undefined];
  const names = prefixes.map(artifactNames);
  const text = new Set(names.flatMap(({ inputs, rawRecords }) => [inputs, rawRecords]));
  const known = new Set([
    ...names.flatMap((all) => Object.values(all)),
    ...prefixes.flatMap((one) =>
      ["json", "csv", "parquet", "jsonl"].map((format) => serverMetricsName(one, format))
    ),
    ...prefixes.flatMap((one) => [gpuTelemetryName(one), networkLatencyName(one)]),
    ...ENDINGS.flatMap((ending) => prefix === undefined ? [] : [`${prefix}${ending}.json`]),
    ...Object.values(GATE_FILES),
    ...Object.values(GATE_FILES).map((name) => `${GATE_FOLDER}/${name}`),
    ...Object.values(RUN_FILES),
  ]);
  const packed: string[] = [];
  const leftOut: [string, LeftOutReason][] = [];
  for (const name of [...files].sort()) {
    const isPlot = name.startsWith(`${PLOT_FOLDER}/`) &&
      isPlotName(name.slice(PLOT_FOLDER.length + 1));
    if (!known.has(name) && !isPlot) {
      leftOut.push([name, "not of the run"]);
    } else if (text.has(name) && !withText) leftOut.push([name, "prompts and replies"]);
    else packed.push(name);
  }
  return { packed, leftOut };
}
