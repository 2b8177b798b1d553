import { ENTRIES_WITHOUT_COUNT, MAX_COMPUTED_ENTRIES } from "../options/computed_defaults.ts";
import type { ProfileSettings } from "../options/profile_options.ts";
import type { DatasetPlan, PhasePlan, TokenizerPlan } from "./run_plan.ts";
import { UsageError } from "../options/usage_error.ts";

/**
 * Where prompts come from. Unless told otherwise there are as many different ones as requests, so
 * that no prompt is served from a cache that an earlier one filled.
 */
export function resolveDataset(
  settings: ProfileSettings,
  phases: readonly PhasePlan[],
): DatasetPlan {
  const { inputFile, numDatasetEntries } = settings;
  const outputs = { outputTokensMean: settings.osl, outputTokensStddev: settings.oslStddev };
  if (inputFile !== undefined) return { source: "file", path: inputFile, ...outputs };
  const entriesOf = (phase: PhasePlan | undefined): number => {
    if (phase === undefined) return 0;
    const { requestCount } = phase;
    if (requestCount === Infinity) return numDatasetEntries ?? ENTRIES_WITHOUT_COUNT;
    return Math.min(requestCount, numDatasetEntries ?? MAX_COMPUTED_ENTRIES);
  };
  const profiling = phases.find(({ kind }) => kind === "profiling");
  return {
    source: "synthetic",
    inputTokensMean: settings.isl,
    inputTokensStddev: settings.islStddev,
    ...outputs,
    entries: numDatasetEntries ?? entriesOf(profiling),
    warmupEntries: entriesOf(phases.find(({ kind }) => kind === "warmup")),
  };
}

/**
 * The tokenizer that an option names: `builtin`, or a local `tokenizer.json` or its folder.
 * @throws {UsageError} for anything that is not there
 */
export async function resolveTokenizer(name: string): Promise<TokenizerPlan> {
  if (name === "builtin" || name === "o200k_base") return { kind: "builtin" };
  try {
    await Deno.stat(name);
    return { kind: "file", path: name };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  throw new UsageError(
    "--tokenizer",
    `No file or folder "${name}". Names of a model hub are not fetched: download its ` +
      `tokenizer.json and give its path, or use --tokenizer builtin or --use-server-token-count`,
  );
}
