import { configuredType } from "../../client/endpoint/endpoint_types.ts";
import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import type { FileDatasetPlan, RunPlan } from "../../config/plan/run_plan.ts";
import { conversationTable } from "./conversations/conversation_table.ts";
import { DatasetError } from "../../core/files/dataset_error.ts";
import { conversationUse, firstConversations } from "./conversations/first_conversations.ts";
import type { InputTemplate } from "./conversations/input_template.ts";
import {
  PageReader,
  type Pages,
  type PageSource,
  PAGING,
  type Paging,
  SESSION_PAGING,
} from "./conversations/page_reader.ts";
import { tableWithoutEntries } from "./payloads/payload_page.ts";
import { type PayloadData, PayloadTable } from "./payloads/payload_table.ts";
import { syntheticDataset } from "./synthetic/synthetic_dataset.ts";
import type { Tokenizer } from "./tokenizers/tokenizer.ts";
import { withSystemPrompt } from "./conversations/with_system_prompt.ts";
import { untilAborted } from "../../core/thread/until_aborted.ts";
import {
  buildTokenizer,
  readTokenizerSource,
  type TokenizerSource,
} from "./tokenizers/tokenizer_source.ts";

/** The prompts of a run, and what is needed to count the tokens of its replies. */
export interface Dataset {
  readonly payloads: PayloadTable;
  /** Makes the pages of a file that is sent while it is read; the table has no entries then. */
  readonly pages: Pages | undefined;
  /** `server` if the replies' tokens are not counted here. */
  readonly tokenizer: TokenizerSource;
}

/** Inputs that reading a file needs in addition to the plan. */
export interface InputContext {
  readonly seed: number;
  readonly type: EndpointType;
  readonly streaming: boolean;
  /** Whether answers are compared with those that rows expect. @default false */
  readonly checksAnswers?: boolean;
  /** Folder of the run's files, where temporary ones may be. */
  readonly folder: string;
  /** Counts the tokens of texts; undefined where the server does. */
  readonly tokenizer: Tokenizer | undefined;
  readonly interrupt: AbortSignal;
  /** Called with a sentence about what is not as the user may think. */
  warn(text: string): void;
  /** Called with a sentence about what was found out by itself. */
  note(text: string): void;
}

/** An input file whose format is known. */
export interface OpenInput extends PageSource {
  /**
   * Whether the source has at least this number of bytes, or is a stream that does not end soon.
   */
  isLong(bytes: number): Promise<boolean>;
  /** Why its conversations cannot be sent while it is read; undefined if they can. */
  pagingObstacle(): Promise<string | undefined>;
  /** Has it stay open, so that it can be read during the run. */
  beginPaging(): Promise<void>;
}

/**
 * Functions that are injected, so that a dataset depends neither on file formats nor on terminals.
 */
export interface DatasetHooks {
  openInput(dataset: FileDatasetPlan, context: InputContext): Promise<OpenInput>;
  /** @default PAGING, or SESSION_PAGING for recorded sessions */
  readonly paging?: Paging | undefined;
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
    const template = plan.appliesChatTemplate || plan.body.extraInputs["tools"] !== undefined
      ? await chatTemplateOf(plan, source, (text) => hooks.onNotice(text))
      : undefined;
    return {
      payloads: await syntheticDataset(plan, dataset, type, counting, interrupt, template),
      pages: undefined,
      tokenizer,
    };
  }
  return await fileDataset(plan, dataset, { type, source, tokenizer }, interrupt, hooks);
}

/** The prompts of an input file: all of them, or a head and what makes pages of the rest. */
async function fileDataset(
  plan: RunPlan,
  dataset: FileDatasetPlan,
  { type, source, tokenizer }: {
    readonly type: EndpointType;
    readonly source: TokenizerSource;
    /** Counts the tokens of replies. */
    readonly tokenizer: TokenizerSource;
  },
  interrupt: AbortSignal,
  hooks: DatasetHooks,
): Promise<Dataset> {
  const counting = await buildTokenizer(tokenizer);
  const input = await hooks.openInput(dataset, {
    seed: plan.seed,
    folder: plan.output.directory,
    type,
    streaming: plan.body.streaming,
    checksAnswers: plan.verify?.answers === true,
    tokenizer: counting,
    interrupt,
    warn: (text) => hooks.onWarning(text),
    note: (text) => hooks.onNotice(text),
  });
  const { paging = dataset.agents === undefined ? PAGING : SESSION_PAGING } = hooks;
  const { path } = dataset;
  const chatTemplate = await chatTemplateOf(plan, source, (text) => hooks.onNotice(text));
  const prompted = promptedSource(input, path, plan.systemPrompt);
  const { measured, warmup } = conversationUse(plan);
  const marksWarmup = warmup > 0;
  const tell = (data: PayloadData): void => {
    if (marksWarmup && repeatsBodies(data)) hooks.onWarning(repeatedBodies(path));
  };
  let whole: string | undefined;
  if (await input.isLong(paging.minFileBytes)) {
    whole = obstacleOf(plan) ?? await input.pagingObstacle();
    if (whole === undefined) {
      await input.beginPaging();
      const pages = new PageReader(prompted, plan, type, counting, paging, {
        chatTemplate,
        marksWarmup,
        isOnce: dataset.agents?.wraps === false,
      });
      // A stream may take its time.
      const head = input.isStream ? 1 : HEAD_CONVERSATIONS;
      const payloads = await headOf(pages, head, path, interrupt, tell);
      return { payloads, pages, tokenizer };
    }
  }
  const used = firstConversations(prompted.conversations(), measured + warmup);
  const payloads = await conversationTable(used, plan, type, counting, {
    path,
    interrupt,
    chatTemplate,
    ...(whole === undefined ? {} : { whole }),
    measured,
    marksWarmup,
  });
  tell(payloads.data);
  return { payloads, pages: undefined, tokenizer };
}

/** An input whose conversations begin with the run's system prompt, if it has one. */
function promptedSource(
  input: OpenInput,
  path: string,
  systemPrompt: string | undefined,
): PageSource {
  return {
    path,
    isStream: input.isStream,
    conversations: () =>
      systemPrompt === undefined
        ? input.conversations()
        : withSystemPrompt(input.conversations(), systemPrompt, path),
    close: () => input.close(),
  };
}

/**
 * Returns the setting of the plan that requires all conversations of a file before the first is
 * sent.
 */
function obstacleOf({ phases, samplingStrategy }: RunPlan): string | undefined {
  if (samplingStrategy !== "sequential") {
    return `--dataset-sampling-strategy ${samplingStrategy} needs all of it`;
  }
  return phases.some(({ load }) => load.loop === "open" && load.users !== undefined)
    ? "--user-centric-rate depends on the turns of all conversations"
    : undefined;
}

/** Number of conversations that show which bodies a file has. */
const HEAD_CONVERSATIONS = 16;

/** Whether warm-up sends bodies that are measured as well, and cannot mark them. */
function repeatsBodies({ warmupEntries, markers }: PayloadData): boolean {
  return warmupEntries === 0 && markers !== undefined && markers.at.includes(-1);
}

function repeatedBodies(path: string): string {
  return `Warm-up sends bodies of ${path} that are measured again, as they are: a prefix cache ` +
    "answers them. With more rows than --request-count, warm-up has rows of its own";
}

/**
 * Returns the properties of a file's bodies, taken from the first ones; errors in these are thrown
 * now.
 */
async function headOf(
  pages: PageReader,
  conversations: number,
  path: string,
  interrupt: AbortSignal,
  onFirst: (data: PayloadData) => void,
): Promise<PayloadTable> {
  for await (const page of pages.pages({ conversations, isSchedule: false }, interrupt)) {
    onFirst(page.data);
    return new PayloadTable(tableWithoutEntries(page));
  }
  throw new DatasetError(path, undefined, "File has no rows");
}

/**
 * The template that input tokens are counted with: of all bodies with `--apply-chat-template`, else of those
 * that define tools, as far as the tokenizer has one; undefined if they are counted without.
 */
async function chatTemplateOf(
  { appliesChatTemplate }: RunPlan,
  source: TokenizerSource,
  note: (text: string) => void,
): Promise<InputTemplate | undefined> {
  if (appliesChatTemplate && source.kind !== "file") {
    throw new DatasetError(
      "--apply-chat-template",
      undefined,
      "Needs a tokenizer with a chat template: give its folder with --tokenizer",
    );
  }
  if (source.kind !== "file") return undefined;
  const { ChatTemplate } = await import("./tokenizers/chat_template.ts");
  if (appliesChatTemplate) return { template: new ChatTemplate(source.files), isForAll: true };
  if (!ChatTemplate.isIn(source.files)) return undefined;
  try {
    return { template: new ChatTemplate(source.files), isForAll: false };
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    note(
      `Prompts with tools are counted by their texts, without the chat template: ${error.message}`,
    );
    return undefined;
  }
}
