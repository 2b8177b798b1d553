import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { Conversation } from "./conversation.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { InputTemplate } from "./input_template.ts";
import { LoadPause } from "./load_pause.ts";
import type { PayloadTable } from "../payloads/payload_table.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";
import {
  ConversationTableMaker,
  type Salting,
  type TablePlan,
} from "./conversation_table_maker.ts";

/** The source of conversations, and what ends the work on them. */
export interface ConversationSource {
  /** Names it in errors. */
  readonly path: string;
  readonly interrupt?: AbortSignal;
  /** Chat template with which input tokens are counted; absent to count only the texts. */
  readonly chatTemplate?: InputTemplate | undefined;
  /** Why it cannot be sent while it is read; undefined if nothing forbids that. */
  readonly whole?: string;
  /** Turns at the end that are warm-up's; absent for none of their own. */
  readonly warmupTurns?: number;
  /** Conversations at the beginning that are measured: any behind them are warm-up's. */
  readonly measured?: number;
  /** Whether warm-up marks its prompts, so that none is one that is measured. */
  readonly marksWarmup?: boolean;
  /** Salts of the texts; absent for none. */
  readonly salting?: Salting;
}

/**
 * Builds the payload table of conversations one at a time, so that only their bytes are kept in
 * memory.
 *
 * A turn of content or messages carries the earlier turns and the replies to them, if it requests
 * that; a body of fields or bytes is sent unchanged, to the model that it names.
 *
 * @param tokenizer counts the input tokens of what each turn adds; undefined to leave them unknown
 * @throws {DatasetError} if the endpoint type cannot send a turn, or there is no conversation
 */
export async function conversationTable(
  conversations: Iterable<Conversation> | AsyncIterable<Conversation>,
  plan: TablePlan,
  type: EndpointType,
  tokenizer: Tokenizer | undefined,
  {
    path,
    interrupt = new AbortController().signal,
    whole,
    chatTemplate,
    warmupTurns = 0,
    measured = Infinity,
    marksWarmup = false,
    salting,
  }: ConversationSource,
): Promise<PayloadTable> {
  const pause = new LoadPause(interrupt);
  const maker = new ConversationTableMaker(plan, type, tokenizer, path, {
    whole,
    chatTemplate,
    marksWarmup,
    salting,
  });
  let ownTurns = warmupTurns;
  for await (const conversation of conversations) {
    if (pause.isDue) await pause.take();
    if (maker.count >= measured) ownTurns += conversation.turns.length;
    maker.add(conversation);
  }
  if (maker.count === 0) throw new DatasetError(path, undefined, "There is no conversation in it");
  return maker.take(false, ownTurns);
}
