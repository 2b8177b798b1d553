import { CONVERSATION_TYPES } from "../../../client/endpoint/endpoint_types.ts";
import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import { readFile, ReadFileError, utf8Text } from "../../../core/files/read_file.ts";
import { PROFILE_OPTIONS, type ProfileSettings } from "../../options/profile/profile_options.ts";
import { flagOf } from "../../options/option.ts";
import { UsageError } from "../../options/usage_error.ts";
import { sharedPrefix } from "./shared_prefix.ts";
import { mediaPlan } from "./resolve_media.ts";
import { hasGivenPrompts } from "../load/resolve_phases.ts";
import type { TokenizerPlan } from "../run_plan.ts";
import { parseLengthMixture } from "./length_mixture.ts";
import { parseLengthRange, type RangeStyle } from "./length_range.ts";
import { TASK_KINDS, type TaskKind } from "../task_kinds.ts";
import type { CacheBustTarget, CorpusName, LengthRange, PromptsPlan } from "../prompts_plan.ts";

/**
 * Maximum size of a system prompt in bytes, more than the longest generated prompt; every
 * conversation begins with it.
 */
const MAX_SYSTEM_BYTES = 64_000_000;

/** Prompts that a run's options request, and notes for the user. */
export interface ResolvedPrompts {
  /** undefined where synthetic prompts are a length of prose and nothing else. */
  readonly prompts: PromptsPlan | undefined;
  /** System message of every conversation, as the user wrote it. */
  readonly systemPrompt: string | undefined;
  readonly cacheBust: CacheBustTarget | undefined;
  readonly notices: readonly string[];
}

/** Options that need an API of messages. */
export const MESSAGE_OPTIONS = [
  ...["systemPrompt", "systemPromptFile", "sharedSystemPromptLength"],
  ...["userContextPromptLength", "cacheBust", "applyChatTemplate"],
] as const satisfies readonly (keyof ProfileSettings)[];

/**
 * Determines the content of prompts.
 * @throws {UsageError} if options are incompatible with each other or with the endpoint type, or a
 * file cannot be read
 */
export async function resolvePrompts(
  settings: ProfileSettings,
  type: EndpointType,
): Promise<ResolvedPrompts> {
  for (const name of MESSAGE_OPTIONS) {
    const value = settings[name];
    if (value === undefined || value === false || value === "none") continue;
    if (type.conversation === undefined) {
      throw new UsageError(
        flagOf(name),
        `Endpoint type ${type.name} takes no messages: this needs --endpoint-type ` +
          CONVERSATION_TYPES,
      );
    }
  }
  const { inputFile, cacheBust, promptBatchSize } = settings;
  if (promptBatchSize > 1 && hasGivenPrompts(settings)) {
    throw new UsageError(
      "--prompt-batch-size",
      `Cannot be used together with ${
        inputFile === undefined ? "--public-dataset" : "--input-file"
      }`,
    );
  }
  const { systemPromptFile, sharedSystemPromptLength } = settings;
  if (
    cacheBust === "warmup-isolation-system" && inputFile === undefined &&
    (settings.systemPrompt ?? systemPromptFile ?? sharedSystemPromptLength) === undefined
  ) {
    throw new UsageError(
      "--cache-bust",
      "warmup-isolation-system needs --system-prompt, --system-prompt-file or " +
        "--shared-system-prompt-length: without them it is warmup-isolation-first-turn",
    );
  }
  return {
    prompts: hasGivenPrompts(settings) ? undefined : promptsPlan(settings, type),
    systemPrompt: await systemPromptOf(settings),
    cacheBust: cacheBust === "none" ? undefined : cacheBust as CacheBustTarget,
    notices: noticesOf(settings, type),
  };
}

/** @throws {UsageError} if the tokenizer can have no chat template */
export function checkChatTemplate(settings: ProfileSettings, { kind }: TokenizerPlan): void {
  if (!settings.applyChatTemplate || kind !== "builtin") return;
  throw new UsageError(
    "--apply-chat-template",
    "Requires a tokenizer with a chat template, which builtin does not have; set --tokenizer",
  );
}

/** Returns the content of synthetic prompts; undefined if they are only prose of a length. */
export function promptsPlan(
  settings: ProfileSettings,
  type: EndpointType,
): PromptsPlan | undefined {
  const { seqDist, numPrefixPrompts: count = 0, prefixPromptLength: tokens = 0 } = settings;
  const { sharedSystemPromptLength, userContextPromptLength, promptBatchSize } = settings;
  const range = rangeOf(settings);
  const prompts: PromptsPlan = {
    ...(seqDist === undefined ? {} : { mixture: parseLengthMixture(seqDist) }),
    ...(range === undefined ? {} : { range }),
    ...(settings.promptCorpus === "sonnet" ? {} : { corpus: settings.promptCorpus as CorpusName }),
    ...(count > 0 && tokens > 0 ? { prefixes: { count, tokens, ...lengthsOf(settings) } } : {}),
    ...(sharedSystemPromptLength === undefined
      ? {}
      : { sharedSystemTokens: sharedSystemPromptLength }),
    ...(userContextPromptLength === undefined
      ? {}
      : { userContextTokens: userContextPromptLength }),
    ...(promptBatchSize > 1 ? { textsPerRequest: promptBatchSize } : {}),
    ...tasksPlan(settings),
    ...mediaPlan(settings, type),
  };
  return Object.keys(prompts).length > 0 ? prompts : undefined;
}

/** Lengths of the prefix of `--prefix-hit-rate`; none of another prefix. */
function lengthsOf(
  { isl, prefixHitRate: rate = 0, prefixPromptLength: tokens = 0 }: ProfileSettings,
): Pick<NonNullable<PromptsPlan["prefixes"]>, "lengths"> {
  // What the prefix takes has been subtracted.
  const lengths = rate > 0 ? sharedPrefix(isl + tokens, rate).lengths : undefined;
  return lengths === undefined ? {} : { lengths };
}

function tasksPlan({ verifyTasks }: ProfileSettings): Pick<PromptsPlan, "tasks"> {
  if (verifyTasks === undefined) return {};
  const isAsked = (kind: TaskKind) => verifyTasks.some((name) => name === kind || name === "all");
  return { tasks: TASK_KINDS.filter(isAsked) };
}

function rangeOf(settings: ProfileSettings): LengthRange | undefined {
  const { randomRangeRatio, randomCorpusStyle, isl, osl } = settings;
  if (randomRangeRatio === undefined) return undefined;
  if (osl === undefined) throw new UsageError("--random-range-ratio", "Needs --osl");
  const range = parseLengthRange(randomRangeRatio, randomCorpusStyle as RangeStyle, { isl, osl });
  const prefix = settings.numPrefixPrompts ? settings.prefixPromptLength ?? 0 : 0;
  if (range.input[0] + prefix < 1) {
    throw new UsageError(
      "--random-range-ratio",
      `Prompts would have 0 tokens: with --isl ${isl} they are drawn from ` +
        `${range.input.join(" to ")}`,
    );
  }
  return range;
}

async function systemPromptOf(
  { systemPrompt, systemPromptFile }: ProfileSettings,
): Promise<string | undefined> {
  if (systemPromptFile === undefined) return systemPrompt;
  const fail = (message: string): never => {
    throw new UsageError("--system-prompt-file", `${systemPromptFile}: ${message}`);
  };
  let text: string;
  try {
    text = utf8Text(await readFile(systemPromptFile, { maxBytes: MAX_SYSTEM_BYTES, pipes: true }));
  } catch (error) {
    if (error instanceof ReadFileError) return fail(error.message);
    throw error;
  }
  return text.trim() === "" ? fail("There is no text in it") : text;
}

function inWords(names: readonly string[]): string {
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((name) => name !== "")
    .join(" and ");
}

function noticesOf(settings: ProfileSettings, type: EndpointType): string[] {
  const { promptBatchSize, seqDist, osl } = settings;
  const notices: string[] = [];
  const overruled = [
    ...(settings.isl === PROFILE_OPTIONS.isl.default ? [] : ["--isl"]),
    ...(osl === undefined ? [] : ["--osl"]),
    ...(settings.islStddev > 0 ? ["--isl-stddev"] : []),
  ];
  if (seqDist !== undefined && overruled.length > 0) {
    notices.push(
      `--seq-dist decides the lengths: ${inWords(overruled)} ` +
        `${overruled.length > 1 ? "have" : "has"} no effect`,
    );
  }
  if (promptBatchSize > 1 && type.name === "completions") {
    notices.push(
      `--prompt-batch-size: servers answer each of the ${promptBatchSize} prompts of a request ` +
        "with a choice of its own; its output tokens are those of all choices together",
    );
  }
  return notices;
}
