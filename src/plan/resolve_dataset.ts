import { chosen } from "../options/check_options.ts";
import type { ProfileOptions } from "../options/profile_types.ts";
import type { DatasetPlan, PhasePlan, TokenizerPlan } from "./run_plan.ts";
import { UsageError } from "../options/usage_error.ts";

/** Tokens of a synthetic prompt. */
const DEFAULT_ISL = 550;
/** Different prompts where the number of requests is not known beforehand. */
const DEFAULT_ENTRIES = 1000;
/** Most different prompts that are made unless more are asked for. */
const MAX_DEFAULT_ENTRIES = 10_000;

/**
 * Where prompts come from. Unless told otherwise there are as many different ones as requests, so
 * that no prompt is served from a cache that an earlier one filled.
 */
export function resolveDataset(options: ProfileOptions, phases: readonly PhasePlan[]): DatasetPlan {
  const outputs = {
    outputTokensMean: options.osl,
    outputTokensStddev: options.oslStddev ?? 0,
  };
  if (options.oslStddev !== undefined && options.osl === undefined) {
    throw new UsageError("--osl-stddev", "Needs --osl");
  }
  chosen(
    "customDatasetType",
    options.customDatasetType,
    ["single-turn", "inputs-json"],
    "single-turn",
  );
  if (options.inputFile !== undefined) {
    return { source: "file", path: options.inputFile, ...outputs };
  }
  const entriesOf = (phase: PhasePlan | undefined): number => {
    if (phase === undefined) return 0;
    const { requestCount } = phase;
    if (requestCount === Infinity) return options.numDatasetEntries ?? DEFAULT_ENTRIES;
    return Math.min(requestCount, options.numDatasetEntries ?? MAX_DEFAULT_ENTRIES);
  };
  const profiling = phases.find(({ kind }) => kind === "profiling");
  return {
    source: "synthetic",
    inputTokensMean: options.isl ?? DEFAULT_ISL,
    inputTokensStddev: options.islStddev ?? 0,
    ...outputs,
    entries: options.numDatasetEntries ?? entriesOf(profiling),
    warmupEntries: entriesOf(phases.find(({ kind }) => kind === "warmup")),
  };
}

/**
 * The tokenizer that an option names: `builtin`, or a local `tokenizer.json` or its folder.
 * @throws {UsageError} for anything that is not there
 */
export async function resolveTokenizer(name: string | undefined): Promise<TokenizerPlan> {
  if (name === undefined || name === "builtin" || name === "o200k_base") return { kind: "builtin" };
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
