import { addToolCall } from "./add_tool_call.ts";
import { ByteAccumulator } from "./byte_accumulator.ts";
import { ChoiceContent } from "./choice_content.ts";
import type { ChoiceDelta, Delta, ToolCall } from "./delta.ts";
import { newTexts } from "./new_texts.ts";
import type { ChoiceEndings } from "./reply_protocol.ts";
import type { ServerWork } from "./server_work.ts";
import { mergeUsage, type Usage } from "./usage.ts";

const INITIAL_CHUNKS = 64;
/** Maximum number of parts of reasoning that are distinguished in a choice. */
const MAX_PARTS = 1024;

/** The texts of a reply, UTF-8. */
interface ReplyTexts {
  readonly text: Uint8Array;
  readonly reasoning: Uint8Array;
  readonly toolText: Uint8Array;
  /** Bytes of each text per choice, if a reply has several choices. */
  readonly choiceLengths?: readonly (readonly [text: number, reasoning: number, tool: number])[];
  /** Tool calls of each choice; undefined if there are none. */
  readonly toolCalls?: readonly (readonly ToolCall[])[] | undefined;
}

/** Content of a reply and when it arrived; the object is reused for the next reply. */
export class ReplyContent {
  #lastChunkNs = -1;
  /** Chunks that were looked at for what is choice 0's; its first and its last one. */
  #sortedChunks = 0;
  #ownFirstNs = NaN;
  #ownLastNs = NaN;
  /** Text that a part of reasoning adds to earlier parts; undefined before the first part. */
  #newReasoning: ReturnType<typeof newTexts> | undefined;

  /** Choices besides choice 0, whose texts are the fields below; none of an ordinary reply. */
  readonly others = new Map<number, ChoiceContent>();
  /** Answer text, UTF-8. */
  readonly text = new ByteAccumulator();
  /** Reasoning text, UTF-8. */
  readonly reasoning = new ByteAccumulator();
  /** Names and arguments of tool calls, UTF-8. */
  readonly toolText = new ByteAccumulator();
  /** The tool calls that the reply made, put together of their pieces, in the order they began. */
  readonly toolCalls: ToolCall[] = [];
  /** When each content chunk arrived; the first `chunkCount` entries count. */
  chunkNs = new Float64Array(INITIAL_CHUNKS);
  chunkCount = 0;
  /** Index of the first chunk with more than reasoning; -1 if there was none. */
  firstOutputChunk = -1;
  /** Content chunks with the timestamp of the chunk before, because both came with one read. */
  coalescedChunks = 0;
  usage: Usage | undefined;
  /** The server's own report about its work on the request. */
  work: ServerWork | undefined;
  /** Completion tokens that the first content chunk reported; undefined where it did not. */
  firstChunkTokens: number | undefined;
  /** Completion tokens that the last content chunk reported; undefined where it did not. */
  lastChunkTokens: number | undefined;
  /** Bytes of text of any kind that the first content chunk brought. */
  firstChunkBytes = 0;
  finishReason: string | null = null;
  /** Results that are no text: embeddings, ranks, images. */
  items = 0;
  /** Whether something in the reply said that it is over. */
  endSeen = false;
  /** When the last event of any kind arrived; NaN before the first. */
  lastEventNs = NaN;

  /** Forgets the last reply. */
  reset(): void {
    this.#lastChunkNs = -1;
    this.#sortedChunks = 0;
    this.#ownFirstNs = NaN;
    this.#ownLastNs = NaN;
    this.#newReasoning = undefined;
    if (this.others.size > 0) this.others.clear();
    this.text.clear();
    this.reasoning.clear();
    this.toolText.clear();
    if (this.toolCalls.length > 0) this.toolCalls.length = 0;
    if (this.chunkNs.length > 16_384) this.chunkNs = new Float64Array(INITIAL_CHUNKS);
    this.chunkCount = 0;
    this.firstOutputChunk = -1;
    this.coalescedChunks = 0;
    this.usage = undefined;
    this.work = undefined;
    this.firstChunkTokens = undefined;
    this.lastChunkTokens = undefined;
    this.firstChunkBytes = 0;
    this.finishReason = null;
    this.items = 0;
    this.endSeen = false;
    this.lastEventNs = NaN;
  }

  /** Adds what an object contributed that arrived at `stampNs`. */
  add(delta: Delta, stampNs: number): void {
    if (delta.usage !== undefined) this.usage = mergeUsage(this.usage, delta.usage);
    if (delta.work !== undefined) this.work = { ...this.work, ...delta.work };
    if (delta.finishReason !== null) this.finishReason = delta.finishReason;
    if (delta.isEnd) this.endSeen = true;
    const { text, toolText, items } = delta;
    const hasAnswer = this.text.length + this.toolText.length + this.items > 0;
    const reasoning = this.#reasoningOf(delta, 0, hasAnswer);
    for (const call of delta.toolCalls) addToolCall(this.toolCalls, call);
    if (delta.others.length > 0) this.#addOthers({ ...delta, reasoning }, stampNs);
    if (text === "" && reasoning === "" && toolText === "" && items === 0) return;
    this.text.appendText(text);
    this.reasoning.appendText(reasoning);
    this.toolText.appendText(toolText);
    this.items += items;
    const isOutput = text !== "" || toolText !== "" || items > 0;
    this.addChunk(isOutput, stampNs, delta.usage?.completionTokens);
  }

  /** Adds what an object brought of other choices; with choice 0 in it, that is a part of its chunk. */
  #addOthers(delta: Delta, stampNs: number): void {
    this.#sortChunks();
    const hasContent = delta.others.filter((piece) => {
      const choice = this.#choice(piece);
      const hasAnswer = choice.text.length + choice.toolText.length > 0;
      const reasoning = this.#reasoningOf(piece, piece.index, hasAnswer);
      return choice.add({ ...piece, reasoning }, stampNs);
    });
    for (const { items } of hasContent) this.items += items;
    const isOwnChunk = delta.text + delta.reasoning + delta.toolText !== "" || delta.items > 0;
    if (hasContent.length === 0 || isOwnChunk) return;
    const isOutput = hasContent.some(({ text, toolText, items }) =>
      text + toolText !== "" || items > 0
    );
    this.addChunk(isOutput, stampNs, delta.usage?.completionTokens);
    this.#sortedChunks = this.chunkCount;
  }

  /** The reasoning that an object adds to a choice. */
  #reasoningOf(
    { reasoning, reasoningParts, unknownText }: ChoiceDelta | Delta,
    choice: number,
    hasAnswer: boolean,
  ): string {
    if (reasoningParts.length > 0) {
      const added = this.#newReasoning ??= newTexts();
      return reasoning +
        reasoningParts.map(({ index, text }) => added(text, choice * MAX_PARTS + index % MAX_PARTS))
          .join("");
    }
    return unknownText === "" || hasAnswer ? reasoning : reasoning + unknownText;
  }

  #choice({ index }: ChoiceDelta): ChoiceContent {
    const known = this.others.get(index);
    if (known !== undefined) return known;
    const choice = new ChoiceContent(index);
    this.others.set(index, choice);
    return choice;
  }

  /** Notes the chunks since the last look: those of other choices are noted when they come. */
  #sortChunks(): void {
    if (this.chunkCount === this.#sortedChunks) return;
    if (Number.isNaN(this.#ownFirstNs)) {
      this.#ownFirstNs = this.chunkNs[this.#sortedChunks] as number;
    }
    this.#ownLastNs = this.chunkNs[this.chunkCount - 1] as number;
    this.#sortedChunks = this.chunkCount;
  }

  /** Time from the first to the last chunk of each choice, added up; 0 of an ordinary reply. */
  get choiceSpansNs(): number {
    if (this.others.size === 0) return 0;
    this.#sortChunks();
    let sum = this.#ownLastNs - this.#ownFirstNs || 0;
    for (const { firstNs, lastNs } of this.others.values()) sum += lastNs - firstNs || 0;
    return sum;
  }

  /** Answer, reasoning and tool calls; of several choices all of theirs, one behind the other. */
  get texts(): ReplyTexts {
    const { text, reasoning, toolText } = this;
    if (this.others.size === 0) {
      const toolCalls = this.toolCalls.length === 0 ? undefined : [this.toolCalls];
      return { text: text.view, reasoning: reasoning.view, toolText: toolText.view, toolCalls };
    }
    const choices = [this, ...this.#sortedOthers];
    return {
      text: joined(choices.map(({ text }) => text)),
      reasoning: joined(choices.map(({ reasoning }) => reasoning)),
      toolText: joined(choices.map(({ toolText }) => toolText)),
      choiceLengths: choices.map(({ text, reasoning, toolText }) =>
        [text.length, reasoning.length, toolText.length] as const
      ),
      toolCalls: choices.some(({ toolCalls }) => toolCalls.length > 0)
        ? choices.map(({ toolCalls }) => toolCalls)
        : undefined,
    };
  }

  get #sortedOthers(): ChoiceContent[] {
    return [...this.others.values()].sort((a, b) => a.index - b.index);
  }

  /** Returns how the requested choices ended; undefined for a reply with one choice. */
  endingsOf(asked: number): ChoiceEndings | undefined {
    if (asked <= 1 && this.others.size === 0) return undefined;
    const { finishReason } = this;
    const { text, reasoning, toolText, items } = this;
    const hasContent = text.length + reasoning.length + toolText.length + items > 0;
    const own = { index: 0, hasContent, finishReason };
    const seen = this.#sortedOthers;
    return { asked, seen: hasContent || finishReason !== null ? [own, ...seen] : seen };
  }

  /**
   * Counts a content chunk.
   * @param tokens completion tokens that it reported; undefined where it did not
   */
  addChunk(isOutput: boolean, stampNs: number, tokens?: number): void {
    const index = this.chunkCount++;
    this.lastChunkTokens = tokens;
    if (index === 0) {
      this.firstChunkTokens = tokens;
      this.firstChunkBytes = this.text.length + this.reasoning.length + this.toolText.length;
    }
    if (index === this.chunkNs.length) {
      const longer = new Float64Array(index * 2);
      longer.set(this.chunkNs);
      this.chunkNs = longer;
    }
    this.chunkNs[index] = stampNs;
    if (isOutput && this.firstOutputChunk < 0) this.firstOutputChunk = index;
    if (stampNs === this.#lastChunkNs) this.coalescedChunks++;
    this.#lastChunkNs = stampNs;
  }
}

function joined(texts: readonly ByteAccumulator[]): Uint8Array {
  const whole = new ByteAccumulator();
  for (const { view, length } of texts) whole.append(view, 0, length);
  return whole.view;
}
