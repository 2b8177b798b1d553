import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { FileDatasetPlan } from "../../../config/plan/run_plan.ts";
import type { BlockText } from "../corpus/block_text.ts";
import type { Conversation } from "../conversations/conversation.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";
import type { InputRecord } from "./input_record.ts";
import type { InputSample } from "./input_sample.ts";
import type { InputSource } from "./input_source.ts";
import type { TraceRow } from "./trace_row.ts";

/** What a format says of the beginning of a file. */
export type Recognition =
  /** What the beginning has that only this format has. */
  | { readonly fits: true; readonly why: string }
  /** What it would have to have. */
  | { readonly fits: false; readonly missing: string };

/** What readers need besides the file. */
export interface FormatContext {
  readonly seed: number;
  readonly type: EndpointType;
  /** Whether replies are to be streams. */
  readonly streaming: boolean;
  readonly dataset: FileDatasetPlan;
  /** Whether conversations are sent while the file is read: they have to come one by one. */
  readonly isPaged: boolean;
  /** Counts tokens of texts; undefined where the server does. */
  readonly tokenizer: Tokenizer | undefined;
  /** Text of exact numbers of tokens. */
  blockText(): Promise<BlockText>;
  readonly interrupt: AbortSignal;
  /**
   * Checks that a row has a time where one is needed: a schedule needs those of first turns.
   * @throws {DatasetError} if it has none
   */
  requireTime(
    record: InputRecord,
    session: string | undefined,
    timestampMs: number | undefined,
  ): void;
  /** Called with a sentence about what was made of the file. */
  warn(text: string): void;
}

/**
 * A layout of files with prompts.
 *
 * A new one is a file with one of these and a line in `input_formats.ts`; `openai_batch.ts` is the
 * shortest. It only yields conversations: sorting them by their times, making bodies and sending
 * them is not its business.
 */
export interface InputFormat {
  /** Its name on the command line, as AIPerf writes it, with hyphens. */
  readonly name: string;
  /** What it is, for messages. */
  readonly description: string;
  /** Whether a file of it may be a folder. @default false */
  readonly takesFolders?: boolean;
  /** Whether its rows may have times, at which they can be sent. @default false */
  readonly isTimed?: boolean;
  /** Tokens of a block of `hash_ids`, where rows have them. */
  readonly blockSize?: number;
  /**
   * Whether its conversations come one by one while the file is read: always, or as long as no row
   * has a `session_id`; absent if the whole file is read first.
   */
  readonly paging?: "always" | "without sessions";
  /** Tells whether a file begins like one of this format. */
  recognise(sample: InputSample): Recognition;
  /**
   * Its conversations, in the order of the file.
   * @throws {DatasetError} naming file, line and column of what is wrong
   */
  read(source: InputSource, context: FormatContext): AsyncIterable<Conversation>;
  /** Its lengths and times without texts, where rows state lengths: it is a trace then. */
  readonly rows?: (source: InputSource) => AsyncIterable<TraceRow>;
}

/** A file fits: `why` says what it has. */
export function fits(why: string): Recognition {
  return { fits: true, why };
}

/** A file does not fit: `missing` says what it would have to have. */
export function lacks(missing: string): Recognition {
  return { fits: false, missing };
}
