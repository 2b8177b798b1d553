import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import type { OutputPlan, PhasePlan } from "../run_plan.ts";
import { UsageError } from "../../options/usage_error.ts";

const MAX_PREFIX_LENGTH = 100;
const MAX_NAME_LENGTH = 80;
/** Names that are devices on Windows, whatever their ending. */
const RESERVED_NAME = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;
/** Names of files that no prefix changes. */
const FIXED_NAME = /^(inputs|server_metrics_export|gate|junit|exports)$/i;
/** Endings that people add to a prefix because they think of one file. */
const FILE_ENDING =
  /(_raw|_timeslices|_console|_server_metrics|_report)?\.(jsonl|json|csv|txt|parquet|html)$/i;

/** Files of a run and their folder, which is not created yet. */
export function resolveOutput(
  settings: ProfileSettings,
  models: readonly string[],
  endpointType: string,
  profiling: PhasePlan,
): OutputPlan {
  const { exportLevel, exportHttpTrace, showTraceTiming, overwrite, keep } = settings;
  if (exportHttpTrace && exportLevel === "summary") {
    throw new UsageError("--export-http-trace", "Needs --export-level records or raw");
  }
  return {
    directory: settings.artifactDir ??
      `artifacts/${runName(models, endpointType, profiling)}`,
    prefix: settings.profileExportPrefix === undefined
      ? undefined
      : filePrefix(settings.profileExportPrefix),
    exportLevel,
    sliceNs: settings.sliceDuration === undefined
      ? undefined
      : Math.round(settings.sliceDuration * 1e9),
    exportHttpTrace,
    keepRecords: !settings.noRecords,
    showTraceTiming,
    ...(settings.itlDialects ? { itlDialects: true } : {}),
    page: !settings.noReport,
    existing: overwrite
      ? "overwrite"
      : settings.artifactDir !== undefined && !keep
      ? "replace"
      : "number",
  };
}

/** `<model>[_multi]-openai-<endpoint>-<stimulus>`, as AIPerf names its folders. */
function runName(models: readonly string[], endpointType: string, { load }: PhasePlan): string {
  const stimulus = load.loop === "closed"
    ? `concurrency${load.concurrency}`
    : load.isSchedule
    ? "fixed_schedule"
    : `${load.concurrency === Infinity ? "" : `concurrency${load.concurrency}-`}${
      load.users === undefined ? "" : `users${load.users}-`
    }request_rate${load.ratePerSecond}` +
      (load.rateSeries === undefined ? "" : "_series");
  const several = models.length > 1 ? "_multi" : "";
  return `${modelName(models[0])}${several}-openai-${endpointType}-${stimulus}`;
}

function modelName(model: string | undefined): string {
  if (model === undefined) return "<model>";
  const name = model.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_");
  return name.slice(0, MAX_NAME_LENGTH) || "model";
}

/**
 * A prefix of file names: a name, never a path out of the folder. Of an absolute path the last name
 * counts, and a file's ending is dropped, as AIPerf does both.
 */
export function filePrefix(text: string): string {
  const fail = (reason: string): never => {
    throw new UsageError("--profile-export-prefix", `${reason}: got ${JSON.stringify(text)}`);
  };
  const name = (/^([/\\]|[A-Za-z]:[/\\])/.test(text) ? text.split(/[/\\]/).at(-1) ?? "" : text)
    .replace(FILE_ENDING, "");
  // deno-lint-ignore no-control-regex
  if (/[/\\:\u0000-\u001f\u007f]/.test(name)) fail("Must be a name, not a path");
  if (name === "" || /^\.+$/.test(name) || RESERVED_NAME.test(name)) fail("Not a usable file name");
  if (FIXED_NAME.test(name)) fail("Another file of the run has this name");
  if (name.length > MAX_PREFIX_LENGTH) fail(`Must have at most ${MAX_PREFIX_LENGTH} characters`);
  return name;
}
