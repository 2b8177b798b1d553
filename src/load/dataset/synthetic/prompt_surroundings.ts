import type { CacheBustTarget, PromptsPlan } from "../../../config/plan/prompts_plan.ts";
import type { RunPlan } from "../../../config/plan/run_plan.ts";
import type { ChatTemplate, TemplateOverhead } from "../tokenizers/chat_template.ts";
import type { MeasuredWindow } from "../corpus/measured_windows.ts";
import type { PromptSource } from "../corpus/prompt_source.ts";
import {
  isPrefixTarget,
  isSystemTarget,
  isWarmupTarget,
  sessionMarker,
} from "../payloads/session_marker.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";

/** Texts around the prompts of a run, and their numbers of tokens. */
export interface PromptSurroundings {
  /** System message of every conversation; undefined for none. */
  readonly system: string | undefined;
  /** Tokens of the system message, with the marker if that is part of it. */
  readonly systemTokens: number;
  /** Texts that first prompts begin with. */
  readonly prefixes: readonly PromptPrefix[];
  /** Where the marker stands; undefined for none. */
  readonly marker: MarkerPlace | undefined;
  /** Tokens of chat template around messages. */
  readonly template: TemplateOverhead;
}

/** Text that prompts begin with. */
export interface PromptPrefix {
  /** Windows of the corpus; a prompt has the first one, and as many of the others as its turn is. */
  readonly windows: readonly MeasuredWindow[];
  /** The end of the text up to each window, for tokenizers that have to count. */
  readonly ends: readonly string[];
}

/** The place of markers, and what they cost. */
export interface MarkerPlace {
  readonly target: CacheBustTarget;
  readonly isInSystem: boolean;
  readonly isPrefix: boolean;
  /** Whether only warm-up has the marker; its tokens are then added to the requested length. */
  readonly isWarmup: boolean;
  /** One as it may be, for tokenizers that have to count. */
  readonly sample: string;
  readonly tokens: number;
}

/** End of a prefix that tokens of the text after it may merge with. */
const SEAM_LENGTH = 64;
const NO_TEMPLATE: TemplateOverhead = { first: 0, single: 0, later: 0, reply: 0 };

/**
 * Makes what all conversations share.
 * @param tokenizer counts what is not cut from the corpus
 * @param template of chats, if input tokens are counted with it
 */
export function promptSurroundings(
  { seed, systemPrompt, cacheBust }: Pick<RunPlan, "seed" | "systemPrompt" | "cacheBust">,
  { prefixes, sharedSystemTokens, userContextTokens }: PromptsPlan,
  source: PromptSource,
  tokenizer: Tokenizer | undefined,
  template: ChatTemplate | undefined,
): PromptSurroundings {
  const hasSystem = systemPrompt !== undefined || sharedSystemTokens !== undefined;
  const marker = cacheBust === undefined
    ? undefined
    : markerPlace(cacheBust, seed, hasSystem, systemPrompt ?? "", tokenizer);
  const inSystem = marker?.isInSystem ? marker : undefined;
  const cost = inSystem === undefined || inSystem.isWarmup ? 0 : inSystem.tokens;
  let system = systemPrompt;
  let systemTokens = systemPrompt === undefined ? 0 : tokenizer?.count(systemPrompt) ?? 0;
  if (sharedSystemTokens !== undefined) {
    const { isPrefix = true, sample = "" } = inSystem ?? {};
    const window = source.next(
      Math.max(1, sharedSystemTokens - cost),
      { continues: false, endsInWord: !isPrefix },
      { before: isPrefix ? sample : "", after: isPrefix ? "" : sample },
    );
    system = source.corpus.textOf(window.offset, window.length);
    systemTokens = window.tokens;
  }
  const roles = [
    ...system === undefined ? [] : ["system"],
    ...userContextTokens === undefined ? [] : ["user"],
    "user",
  ];
  return {
    system,
    systemTokens: systemTokens + cost,
    prefixes: Array.from(
      { length: prefixes?.count ?? 0 },
      () => promptPrefix(prefixes ?? { tokens: 0 }, source),
    ),
    marker,
    template: template === undefined || tokenizer === undefined
      ? NO_TEMPLATE
      : template.overhead(tokenizer, roles),
  };
}

function promptPrefix(
  { lengths, tokens }: Pick<NonNullable<PromptsPlan["prefixes"]>, "lengths" | "tokens">,
  source: PromptSource,
): PromptPrefix {
  const windows = [source.next(tokens)];
  const endOf = ({ offset, length }: MeasuredWindow): string => {
    const text = source.corpus.textOf(offset, length);
    return text.slice(Math.max(0, text.indexOf(" ", text.length - SEAM_LENGTH)));
  };
  const ends = windows.map(endOf);
  const { count, stepTokens } = lengths ?? { count: 1, stepTokens: 0 };
  while (windows.length < count) {
    const before = ends.at(-1) as string;
    const place = { continues: true, endsInWord: false };
    const window = source.next(stepTokens, place, { before, after: "" });
    windows.push(window);
    ends.push(endOf(window));
  }
  return { windows, ends };
}

function markerPlace(
  target: CacheBustTarget,
  seed: number,
  hasSystem: boolean,
  systemPrompt: string,
  tokenizer: Tokenizer | undefined,
): MarkerPlace {
  const isWarmup = isWarmupTarget(target);
  const sample = sessionMarker({ target, seed }, { phase: "warmup", session: 0 });
  const isInSystem = isSystemTarget(target) && hasSystem;
  const isPrefix = isPrefixTarget(target);
  // Prompts are cut so that nothing merges with a marker; what the user wrote ends as it does.
  const beside = isInSystem ? systemPrompt : "";
  const count = (text: string) => tokenizer?.count(text) ?? 0;
  return {
    target,
    isInSystem,
    isPrefix,
    isWarmup,
    sample,
    tokens: count(isPrefix ? sample + beside : beside + sample) - count(beside),
  };
}
