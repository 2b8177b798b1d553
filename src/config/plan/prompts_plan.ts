/** How synthetic prompts are generated, and their prefixes. */

import type { TaskKind } from "./task_kinds.ts";
import type { ImagesPlan, RankingsPlan, RecordingsPlan } from "./media_plan.ts";

/** A share of the requests, and the lengths that they have. */
export interface LengthShare {
  readonly inputTokens: number;
  readonly inputStddev: number;
  readonly outputTokens: number;
  readonly outputStddev: number;
  readonly percent: number;
}

/** Smallest and largest lengths in tokens; all between are as likely. */
export interface LengthRange {
  readonly input: readonly [low: number, high: number];
  readonly output: readonly [low: number, high: number];
}

/** Text that prompts are cut from. */
export type CorpusName = "sonnet" | "coding" | "random";

/** Where a marker stands that nothing sent before has, so that no cache knows what follows it. */
export type CacheBustTarget =
  | "system-prefix"
  | "system-suffix"
  | "first-turn-prefix"
  | "first-turn-suffix"
  | "warmup-isolation-system"
  | "warmup-isolation-first-turn";

/** Content of synthetic prompts in addition to a length; every part may be absent. */
export interface PromptsPlan {
  /** Lengths instead of a mean and a deviation. */
  readonly mixture?: readonly LengthShare[];
  readonly range?: LengthRange;
  /** Absent for prose. */
  readonly corpus?: CorpusName;
  /** Texts that the first turns' prompts begin with: how many, and how long each is. */
  readonly prefixes?: {
    readonly count: number;
    readonly tokens: number;
    /** Different lengths, each this much longer than the one before. */
    readonly lengths?: { readonly count: number; readonly stepTokens: number };
  };
  /** Length of a system message that all conversations share. */
  readonly sharedSystemTokens?: number;
  /** Length of a message that comes before the first prompt of a conversation, in none twice. */
  readonly userContextTokens?: number;
  /** Texts in a request, where there are several. */
  readonly textsPerRequest?: number;
  /** Whether requests contain only images or recordings. */
  readonly withoutText?: true;
  /** Images and recordings in addition to the texts. */
  readonly images?: ImagesPlan;
  readonly recordings?: RecordingsPlan;
  /** Kinds of tasks that the prompts are; absent for prose. */
  readonly tasks?: readonly TaskKind[];
  /** A query and passages instead of a prompt. */
  readonly rankings?: RankingsPlan;
}
