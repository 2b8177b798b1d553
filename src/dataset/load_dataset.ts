import { configuredType } from "../endpoint/endpoint_types.ts";
import type { EndpointType } from "../endpoint/endpoint_type.ts";
import type { FileDatasetPlan, RunPlan } from "../plan/run_plan.ts";
import type { Conversation } from "./conversation.ts";
import { conversationTable } from "./conversation_table.ts";
import { firstConversations, neededConversations } from "./first_conversations.ts";
import type { ChatTemplate } from "./chat_template.ts";
import { DatasetError } from "./dataset_error.ts";
import type { PayloadTable } from "./payload_table.ts";
import { syntheticDataset } from "./synthetic_dataset.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { withSystemPrompt } from "./with_system_prompt.ts";
import { untilAborted } from "../thread/until_aborted.ts";
import { buildTokenizer, readTokenizerSource, type TokenizerSource } from "./tokenizer_source.ts";

/** The prompts of a run, and what is needed to count the tokens of its replies. */
export interface Dataset {
  readonly payloads: PayloadTable;
  /** `server` if the replies' tokens are not counted here. */
  readonly tokenizer: TokenizerSource;
}

/** What the reading of an input file needs besides its plan. */
export interface InputContext {
  readonly seed: number;
  readonly type: EndpointType;
  readonly streaming: boolean;
  /** Counts the tokens of texts; undefined where the server does. */
  readonly tokenizer: Tokenizer | undefined;
  readonly interrupt: AbortSignal;
  /** Called with a sentence about what is not as the user may think. */
  warn(text: string): void;
  /** Called with a sentence about what was found out by itself. */
  note(text: string): void;
}

/** What is passed in, so that a dataset knows neither formats of files nor screens. */
export interface DatasetHooks {
  /** Reads the conversations of an input file. */
  readInput(dataset: FileDatasetPlan, context: InputContext): AsyncIterable<Conversation>;
  onWarning(text: string): void;
  onNotice(text: string): void;
}

/**
 * Makes all prompts of a run and reads its tokenizer, so that nothing is left to read when the
 * first request goes out.
 * @param interrupt ends it, however much there is to do
 * @throws {DatasetError} if an input or a tokenizer file cannot be used
 */
export async function loadDataset(
  plan: RunPlan,
  interrupt: AbortSignal,
  hooks: DatasetHooks,
): Promise<Dataset> {
  const type = configuredType(plan);
  const source = await untilAborted(readTokenizerSource(plan), interrupt);
  const tokenizer: TokenizerSource = plan.useServerTokenCount ? { kind: "server" } : source;
  const { dataset } = plan;
  if (dataset.source === "synthetic") {
    // The corpus carries its counts for the builtin tokenizer, which then need not be built.
    const counting = source.kind === "file" ? await buildTokenizer(source) : undefined;
    const template = await chatTemplateOf(plan, source);
    return {
      payloads: await syntheticDataset(plan, dataset, type, counting, interrupt, template),
      tokenizer,
    };
  }
  const counting = await buildTokenizer(tokenizer);
  const conversations = hooks.readInput(dataset, {
    seed: plan.seed,
    type,
    streaming: plan.body.streaming,
    tokenizer: counting,
    interrupt,
    warn: (text) => hooks.onWarning(text),
    note: (text) => hooks.onNotice(text),
  });
  const used = firstConversations(conversations, neededConversations(plan));
  const { systemPrompt } = plan;
  const payloads = await conversationTable(
    systemPrompt === undefined ? used : withSystemPrompt(used, systemPrompt, dataset.path),
    plan,
    type,
    counting,
    { path: dataset.path, interrupt, chatTemplate: await chatTemplateOf(plan, source) },
  );
  return { payloads, tokenizer };
}

/** The template that input tokens are counted with; undefined if they are counted without. */
async function chatTemplateOf(
  { appliesChatTemplate }: RunPlan,
  source: TokenizerSource,
): Promise<ChatTemplate | undefined> {
  if (!appliesChatTemplate) return undefined;
  if (source.kind !== "file") {
    throw new DatasetError(
      "--apply-chat-template",
      undefined,
      "Needs a tokenizer with a chat template: give its folder with --tokenizer",
    );
  }
  const { ChatTemplate } = await import("./chat_template.ts");
  return new ChatTemplate(source.files);
}
