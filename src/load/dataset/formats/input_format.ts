import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { FileDatasetPlan } from "../../../config/plan/run_plan.ts";
import type { BlockText } from "../corpus/block_text.ts";
import type { Conversation } from "../conversations/conversation.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";
import type { Expected } from "../../../measurement/answers/expected/expected.ts";
import type { InputRecord, JsonPath } from "./input_record.ts";
import type { InputSample } from "./input_sample.ts";
import type { InputSource } from "./input_source.ts";
import type { TraceRow } from "./trace_row.ts";

/** Whether the beginning of a file fits a format, and why. */
export type Recognition =
  /** Property of the beginning that only this format has. */
  | { readonly fits: true; readonly why: string }
  /** Property that the file lacks. */
  | { readonly fits: false; readonly missing: string };

/** Inputs that readers need in addition to the file. */
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
  /**
   * Returns the answer that a row expects; undefined if it has none, or answers are not checked.
   * @param path of the row within its record
   * @param value of its field `expected`, if the record is no JSON
   * @throws {DatasetError} if it is not of a known kind
   */
  expectedOf(record: InputRecord, path: JsonPath, value?: unknown): Expected | undefined;
  /** Whether answers are compared with those that rows expect. @default false */
  readonly checksAnswers?: boolean;
  /** Called with a sentence about how the file was interpreted. */
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
  /** Name of the format on the command line, as AIPerf writes it, with hyphens. */
  readonly name: string;
  /** Description of the format, for messages. */
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
  /** Returns whether a file begins like one of this format. */
  recognise(sample: InputSample): Recognition;
  /**
   * Yields the conversations of a file in its order.
   * @throws {DatasetError} naming file, line and column of what is wrong
   */
  read(source: InputSource, context: FormatContext): AsyncIterable<Conversation>;
  /**
   * Yields the lengths and times of a file without texts, if its rows state lengths: the file is a
   * trace then.
   */
  readonly rows?: (source: InputSource) => AsyncIterable<TraceRow>;
}

/** Returns that a file fits: `why` names the property that proves it. */
export function fits(why: string): Recognition {
  return { fits: true, why };
}

/** Returns that a file does not fit: `missing` names the property that it lacks. */
export function lacks(missing: string): Recognition {
  return { fits: false, missing };
}
