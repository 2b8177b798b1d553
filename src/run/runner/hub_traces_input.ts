import type { ProfileOptions } from "../../config/options/profile/profile_types.ts";
import { flagOf } from "../../config/options/option.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { HubError } from "../../config/hub/open_hub_file.ts";
import { fetchHubTraces } from "../../load/dataset/public/hub_traces.ts";

const FLAG = "--hf-weka-dataset";
/** Files of traces by their repositories: several runs of a command read one. */
const FETCHED = new Map<string, Promise<string>>();

/** Options that name other prompts. */
const OTHERS = ["inputFile", "customDatasetType", "publicDataset"] as const;

/**
 * Returns options with the file of the traces that `--hf-weka-dataset` names.
 * @throws {UsageError} if they cannot be fetched, or other prompts are named
 */
export async function withHubTraces(
  { hfWekaDataset: repository, ...options }: ProfileOptions,
  interrupt: AbortSignal,
): Promise<ProfileOptions> {
  if (repository === undefined) return options;
  const other = OTHERS.find((name) => options[name] !== undefined);
  if (other !== undefined) {
    throw new UsageError(FLAG, `Cannot be combined with ${flagOf(other)}`);
  }
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) {
    throw new UsageError(FLAG, `Must be owner/name: got ${JSON.stringify(repository)}`);
  }
  const file = FETCHED.get(repository) ??
    fetchHubTraces(repository, options.offline === true, interrupt);
  FETCHED.set(repository, file);
  try {
    return { ...options, inputFile: await file, customDatasetType: "weka-trace" };
  } catch (error) {
    if (error instanceof HubError) throw new UsageError(FLAG, error.message);
    throw error;
  }
}
