import { ByteAccumulator } from "./byte_accumulator.ts";
import { type Delta, type ToolCall, WHOLE_CALL } from "./delta.ts";
import { mergeUsage, type Usage } from "./usage.ts";

const INITIAL_CHUNKS = 64;

/** What a reply contained and when it came; used again for the next one. */
export class ReplyContent {
  #lastChunkNs = -1;

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
  /** Index of the first chunk that is not reasoning alone; -1 if there was none. */
  firstOutputChunk = -1;
  /** Content chunks that share their stamp with the one before: they came with one read. */
  coalescedChunks = 0;
  usage: Usage | undefined;
  /** Completion tokens that the first content chunk reported; undefined where it did not. */
  firstChunkTokens: number | undefined;
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
    this.text.clear();
    this.reasoning.clear();
    this.toolText.clear();
    this.toolCalls.length = 0;
    if (this.chunkNs.length > 16_384) this.chunkNs = new Float64Array(INITIAL_CHUNKS);
    this.chunkCount = 0;
    this.firstOutputChunk = -1;
    this.coalescedChunks = 0;
    this.usage = undefined;
    this.firstChunkTokens = undefined;
    this.firstChunkBytes = 0;
    this.finishReason = null;
    this.items = 0;
    this.endSeen = false;
    this.lastEventNs = NaN;
  }

  /** Adds what an object contributed that arrived at `stampNs`. */
  add(delta: Delta, stampNs: number): void {
    if (delta.usage !== undefined) this.usage = mergeUsage(this.usage, delta.usage);
    if (delta.finishReason !== null) this.finishReason = delta.finishReason;
    if (delta.isEnd) this.endSeen = true;
    const { text, reasoning, toolText, items } = delta;
    for (const call of delta.toolCalls) this.#addToolCall(call);
    if (text === "" && reasoning === "" && toolText === "" && items === 0) return;
    this.text.appendText(text);
    this.reasoning.appendText(reasoning);
    this.toolText.appendText(toolText);
    this.items += items;
    if (this.chunkCount === 0) this.firstChunkTokens = delta.usage?.completionTokens;
    this.addChunk(text !== "" || toolText !== "" || items > 0, stampNs);
  }

  #addToolCall(piece: ToolCall): void {
    const call = this.toolCalls.find(({ index }) => index === piece.index);
    if (call === undefined || piece.index === WHOLE_CALL) {
      this.toolCalls.push({ ...piece });
      return;
    }
    call.id ||= piece.id;
    call.name += piece.name;
    call.argumentsText += piece.argumentsText;
  }

  /** Counts a content chunk. */
  addChunk(isOutput: boolean, stampNs: number): void {
    const index = this.chunkCount++;
    if (index === 0) {
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
