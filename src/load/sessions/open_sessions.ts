import type { FileDatasetPlan } from "../../config/plan/run_plan.ts";
import { DatasetError } from "../../core/files/dataset_error.ts";
import type { Conversation } from "../dataset/conversations/conversation.ts";
import { BlockText } from "../dataset/corpus/block_text.ts";
import { Corpus } from "../dataset/corpus/corpus.ts";
import { InputSource } from "../dataset/formats/input_source.ts";
import type { InputContext, OpenInput } from "../dataset/load_dataset.ts";
import type { TokenCoder, Tokenizer } from "../dataset/tokenizers/tokenizer.ts";
import { withCountedReplies } from "./counted_replies.ts";
import { AGENT_FORMATS } from "./formats/session_formats.ts";
import type { AgentSession } from "./model/agent_session.ts";
import { PagedSessions } from "./paged_sessions.ts";
import { PromptEncoder } from "./prompt_encoder.ts";
import { SessionConversations } from "./session_conversations.ts";

/** Tokens of a block where neither the format nor the user states them. */
const BLOCK_SIZE = 16;

/**
 * Opens a file of recorded agent sessions; undefined for files of other formats.
 * @throws {DatasetError} if the file does not exist, or its sessions cannot be replayed
 */
export async function openSessions(
  dataset: FileDatasetPlan,
  context: InputContext,
): Promise<OpenInput | undefined> {
  const { agents, path } = dataset;
  const format = AGENT_FORMATS.get(dataset.format ?? "");
  if (agents === undefined || format === undefined) return undefined;
  const source = await InputSource.open(path, context.interrupt);
  const settings = {
    blockSize: dataset.blockSize ?? BLOCK_SIZE,
    outputTokens: dataset.outputTokensMean,
    usesThinkTime: agents.usesThinkTime,
  };
  let corpus: Corpus | undefined;
  let text: Promise<BlockText> | undefined;
  let coder: PromptEncoder | undefined;
  const { tokenizer } = context;
  if (tokenizer !== undefined && isCoder(tokenizer)) coder = new PromptEncoder(tokenizer);
  const paged = new PagedSessions(source, format, settings, context);
  let hasTold = false;
  async function* conversations(): AsyncGenerator<Conversation> {
    if (format === undefined || agents === undefined) return;
    const file = paged.read();
    const made = new SessionConversations({
      agents,
      isLive: agents.history === "live",
      checksAnswers: context.checksAnswers,
      hasGlobalBlocks: format.hasGlobalBlocks,
      blockSize: () => file.blockSize(),
      blockText: () => text ??= BlockText.load(context.seed, tokenizer, corpus),
    });
    let [count, leftOut] = [0, 0];
    for await (const session of file.sessions()) {
      if (isTooLong(session, agents.maxContextTokens)) {
        leftOut++;
        continue;
      }
      count++;
      yield await made.of(withCountedReplies(session, coder));
    }
    if (leftOut > 0 && !hasTold) {
      hasTold = true;
      context.warn(`${path}: sessions longer than --max-context-length, left out: ${leftOut}`);
    }
    if (count === 0) throw new DatasetError(path, undefined, "File has no session to replay");
  }
  return {
    path,
    conversations,
    isStream: source.isStream,
    isLong: async (bytes) => !source.isStream && await source.size() >= bytes,
    pagingObstacle: () => paged.obstacle(),
    async beginPaging() {
      await paged.begin();
      // Only a later page may need it, when its thread can no longer read files.
      corpus ??= await Corpus.load();
    },
    close: () => paged.close(),
  };
}

function isCoder(tokenizer: Tokenizer): tokenizer is TokenCoder {
  return "encode" in tokenizer;
}

function isTooLong({ calls }: AgentSession, maxTokens: number | undefined): boolean {
  return maxTokens !== undefined &&
    calls.some(({ prompt, outputTokens }) =>
      prompt.kind === "blocks" &&
      prompt.inputTokens + (outputTokens || 0) > maxTokens
    );
}
