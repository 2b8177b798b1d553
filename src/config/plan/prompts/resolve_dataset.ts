import {
  ENTRIES_WITHOUT_COUNT,
  MAX_COMPUTED_ENTRIES,
} from "../../options/profile/computed_defaults.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import type { AgentsPlan } from "../agents_plan.ts";
import type { InputPlan } from "./resolve_input.ts";
import { hasTurns, sessionLimit } from "../load/resolve_phases.ts";
import type {
  DatasetPlan,
  PhasePlan,
  TokenizerPlan,
  TurnDelayPlan,
  TurnsPlan,
} from "../run_plan.ts";
import type { PromptsPlan } from "../prompts_plan.ts";
import { saltOf } from "../salted_dataset.ts";
import type { PublicDatasetPlan } from "../public_dataset_plan.ts";
import { UsageError } from "../../options/usage_error.ts";
import { cachedFolder, MAIN } from "../../hub/cached_folder.ts";
import { isHubName, isRevision } from "../../hub/hub_name.ts";
import type { HubSettings } from "../../hub/hub_settings.ts";

/** Prompts that are drawn from a pool, unless a number of sessions is given. */
const DRAWS = 100;

/** Different prompts of AIPerf where neither them nor requests are counted. */
const AIPERF_ENTRIES = 100;

/** Different tasks of a run, and the tokens of all of them, at most. */
const MAX_TASKS = 1000;
const MIN_TASKS = 10;
const MAX_TASK_TOKENS = 4_000_000;

/** Maximum number of prompts per request from which a random choice is drawn. */
const ENTRIES_DRAWN_FROM = 100;

/**
 * Source of prompts. By default each synthetic prompt begins with a salt of its own, so that no
 * prompt is served from a cache that an earlier one filled.
 * @param seed of the run
 */
export function resolveDataset(
  settings: ProfileSettings,
  phases: readonly PhasePlan[],
  input: InputPlan,
  seed: number,
  prompts?: PromptsPlan,
  publicDataset?: PublicDatasetPlan,
  agents?: AgentsPlan,
): DatasetPlan {
  const { inputFile, numPrompts, numDatasetEntries = numPrompts } = settings;
  const isAiperf = settings.defaults === "aiperf";
  const outputs = { outputTokensMean: settings.osl, outputTokensStddev: settings.oslStddev };
  const path = publicDataset?.name ?? inputFile;
  if (path !== undefined) {
    return {
      source: "file",
      path,
      format: input.facts?.format ?? settings.customDatasetType,
      allowedFolders: settings.allowFiles ?? [],
      ...outputs,
      draws: settings.numSessions ?? DRAWS,
      blockSize: settings.islBlockSize,
      synthesis: input.synthesis,
      schedule: input.schedule,
      ...(agents === undefined ? {} : { agents }),
      ...(publicDataset === undefined ? {} : { public: publicDataset }),
    };
  }
  // Drawn at random, more than a hundred for each request do not show; in turn, one is enough.
  const isRandom = settings.datasetSamplingStrategy === "random";
  // Tasks are counted one by one, and differ by their salts where they repeat.
  const hasMost = prompts?.tasks !== undefined && numDatasetEntries === undefined;
  const most = hasMost ? mostTasks(settings.isl) : Infinity;
  const entriesOf = (phase: PhasePlan | undefined): number => Math.min(most, promptsOf(phase));
  const promptsOf = (phase: PhasePlan | undefined): number => {
    if (phase === undefined) return 0;
    const sessions = sessionLimit(phase);
    if (sessions === Infinity) {
      return numDatasetEntries ?? (isAiperf ? AIPERF_ENTRIES : ENTRIES_WITHOUT_COUNT);
    }
    if (numDatasetEntries === undefined) return Math.min(sessions, MAX_COMPUTED_ENTRIES);
    return Math.min(numDatasetEntries, sessions * (isRandom ? ENTRIES_DRAWN_FROM : 1));
  };
  const profiling = phases.find(({ kind }) => kind === "profiling");
  return {
    source: "synthetic",
    inputTokensMean: settings.isl,
    inputTokensStddev: settings.islStddev,
    ...outputs,
    ...(hasTurns(settings) ? { turns: turnsOf(settings) } : {}),
    ...(prompts === undefined ? {} : { prompts }),
    entries: entriesOf(profiling),
    warmupEntries: entriesOf(phases.find(({ kind }) => kind === "warmup")),
    ...(isAiperf || numDatasetEntries !== undefined ? {} : { salt: saltOf(seed) }),
  };
}

/** Returns the largest number of different tasks of a mean length in tokens. */
function mostTasks(tokens: number): number {
  return Math.min(MAX_TASKS, Math.max(MIN_TASKS, Math.floor(MAX_TASK_TOKENS / tokens)));
}

function turnsOf(settings: ProfileSettings): TurnsPlan {
  return {
    mean: settings.sessionTurnsMean,
    stddev: settings.sessionTurnsStddev,
    delayMeanMs: settings.sessionTurnDelayMean,
    delayStddevMs: settings.sessionTurnDelayStddev,
    delayRatio: settings.sessionTurnDelayRatio,
  };
}

/** Returns the plan for the times between turns; undefined if they stay unchanged. */
export function resolveTurnDelays(
  { ignoreTraceDelays, interTurnDelayCapSeconds }: ProfileSettings,
): TurnDelayPlan | undefined {
  if (!ignoreTraceDelays && interTurnDelayCapSeconds === undefined) return undefined;
  return { ignored: ignoreTraceDelays, maxMs: (interTurnDelayCapSeconds ?? Infinity) * 1000 };
}

/** Settings that determine the source of a tokenizer. */
export interface TokenizerChoice {
  /** Requested tokenizer; undefined for the model's own if it is available. */
  readonly tokenizer: string | undefined;
  readonly model: string | undefined;
  /** Revision of the named tokenizer. @default "main" */
  readonly revision?: string;
  readonly offline: boolean;
  readonly hub: HubSettings;
}

/**
 * The tokenizer of a run: `builtin`, a local `tokenizer.json` or its folder, or that of a model that
 * is named: from the local cache of its hub, else from the hub itself. Without a name it is that of
 * the model if the cache holds it; nothing is fetched then.
 * @throws {UsageError} if a file does not exist
 */
export async function resolveTokenizer(
  { tokenizer, model, revision = MAIN, offline, hub }: TokenizerChoice,
): Promise<TokenizerPlan> {
  const cached = (name: string) => cachedFolder(hub.cacheFolder, name, "tokenizer.json", revision);
  if (!isRevision(revision)) {
    throw new UsageError("--tokenizer-revision", "Must be a branch, a tag, or a commit");
  }
  if (tokenizer === undefined) {
    const path = model === undefined ? undefined : await cached(model);
    return path === undefined ? { kind: "builtin" } : { kind: "file", path, name: model };
  }
  if (tokenizer === "builtin" || tokenizer === "o200k_base") return { kind: "builtin" };
  if (tokenizer.trim() === "" || tokenizer.includes("\0")) {
    throw new UsageError("--tokenizer", "Must be builtin, a path, or the name of a model");
  }
  if (await exists(tokenizer)) return { kind: "file", path: tokenizer, name: undefined };
  if (!isHubName(tokenizer)) {
    throw new UsageError("--tokenizer", `No file or folder ${JSON.stringify(tokenizer)}`);
  }
  const path = await cached(tokenizer);
  if (path !== undefined) return { kind: "file", path, name: tokenizer };
  if (offline || hub.isOffline) {
    throw new UsageError(
      "--tokenizer",
      `"${tokenizer}" is not a file and not in the cache (${
        hub.cacheFolder ?? "there is none"
      }), ` +
        "and nothing is fetched offline: give the path of its tokenizer.json, or --tokenizer builtin",
    );
  }
  return {
    kind: "hub",
    name: tokenizer,
    endpoint: hub.endpoint,
    ...(revision === MAIN ? {} : { revision }),
  };
}

async function exists(path: string): Promise<boolean> {
  try {
    const { isFile, isDirectory } = await Deno.stat(path);
    return isFile || isDirectory;
  } catch (error) {
    const isForbidden = error instanceof Deno.errors.NotCapable ||
      error instanceof Deno.errors.PermissionDenied;
    if (isForbidden) throw error;
    // Not there, or no name that a file can have.
    return false;
  }
}
