/**
 * Records on their way from a load worker to the results worker.
 *
 * They travel in blocks of columns whose buffers are transferred: posting records one by one costs
 * five times more, and there is no backpressure to hold them back.
 */

import { packRows, unpackRows } from "./packed_rows.ts";
import { FIELD, FIELD_COUNT } from "./request_fields.ts";

/** Records of some requests, in the order in which they ended. */
export interface RecordBlock {
  readonly count: number;
  /** `count` rows of {@linkcode FIELD_COUNT} numbers, packed: {@linkcode rowsOf} has them. */
  readonly rows: Uint8Array<ArrayBuffer>;
  /** Timestamps of the content chunks of all records, in the order of the records. */
  readonly chunkNs: Float64Array<ArrayBuffer>;
  /** UTF-8 of all records: of each its answer, its reasoning, its tool calls. */
  readonly text: Uint8Array<ArrayBuffer>;
  /** Records of several choices: their row, and what of their texts is whose. */
  readonly choiceTexts: readonly (readonly [row: number, lengths: ChoiceLengths])[];
  /** Records with tool calls: their row, and the calls of each choice. */
  readonly toolCalls: readonly (readonly [row: number, calls: ChoiceCalls])[];
  /** One of each record. */
  readonly requestIds: readonly string[];
  /** Later turns of sessions: their row and the request ID of the first turn. */
  readonly correlationIds: readonly (readonly [row: number, id: string])[];
  readonly finishReasons: readonly (string | null)[];
  /** Failed requests: their row and the reason. */
  readonly errors: readonly (readonly [row: number, message: string])[];
  /** Whole replies, where they are to be exported; one of each record. */
  readonly rawReplies: readonly RawReply[] | undefined;
}

/** Bytes of answer, reasoning and tool calls of each choice, in the order of their texts. */
export type ChoiceLengths = readonly (readonly [text: number, reasoning: number, tool: number])[];

/** A call of a tool in a reply. */
export interface CalledTool {
  readonly name: string;
  /** Text of the arguments, mostly JSON; unchecked. */
  readonly argumentsText: string;
}

/** Tool calls of each choice, in their order. */
export type ChoiceCalls = readonly (readonly CalledTool[])[];

/** A reply as it arrived. */
export interface RawReply {
  /** Body of the request, where it is not that of its entry. */
  readonly requestBody?: Uint8Array<ArrayBuffer>;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The decoded body, up to a limit. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Length of the body after each read, and the time at which the read was processed. */
  readonly readEnds: readonly (readonly [length: number, stampNs: number])[];
}

/** Texts of a record besides its numbers. */
export interface RecordText {
  readonly requestId: string;
  /** Request ID of the session's first turn; undefined if this is it. */
  readonly correlationId: string | undefined;
  readonly finishReason: string | null;
  /** The reason of its failure, undefined for a valid request. */
  readonly error: string | undefined;
  /** Texts of all choices in order, if there are several. */
  readonly text: Uint8Array;
  readonly reasoning: Uint8Array;
  readonly toolText: Uint8Array;
  /** Lengths of the texts of each choice; undefined for one choice. */
  readonly choiceLengths?: ChoiceLengths | undefined;
  /** Tool calls of each choice; undefined if there are none. */
  readonly toolCalls?: ChoiceCalls | undefined;
  readonly rawReply: RawReply | undefined;
}

/** The rows of a block, one after another. */
export function rowsOf({ count, rows }: RecordBlock): Float64Array<ArrayBuffer> {
  return unpackRows(rows, count, FIELD_COUNT);
}

/** Gathers records until a block of them is taken. */
export class RecordBlockBuilder {
  readonly #keepRaw: boolean;
  #count = 0;
  #rows = new Float64Array(FIELD_COUNT * 32);
  #chunkNs = new Float64Array(4096);
  #chunkCount = 0;
  #text = new Uint8Array(16_384);
  #textLength = 0;
  #requestIds: string[] = [];
  #finishReasons: (string | null)[] = [];
  #errors: [number, string][] = [];
  #correlationIds: [number, string][] = [];
  #choiceTexts: [number, ChoiceLengths][] = [];
  #toolCalls: [number, ChoiceCalls][] = [];
  #rawReplies: RawReply[] = [];

  constructor(keepRaw = false) {
    this.#keepRaw = keepRaw;
  }

  /** Records gathered since the last block. */
  get count(): number {
    return this.#count;
  }

  /** Bytes gathered since the last block, roughly. */
  get bytes(): number {
    return this.#count * FIELD_COUNT * 8 + this.#chunkCount * 8 + this.#textLength;
  }

  /**
   * Adds a record.
   * @param row the record's numbers by column; the lengths of the texts are filled in here
   * @param chunkNs timestamps of the content chunks; the first `row[chunkCount]` are used
   */
  add(row: Float64Array, chunkNs: Float64Array, texts: RecordText): void {
    const index = this.#count++;
    const offset = index * FIELD_COUNT;
    if (offset + FIELD_COUNT > this.#rows.length) {
      const longer = new Float64Array(this.#rows.length * 2);
      longer.set(this.#rows);
      this.#rows = longer;
    }
    row[FIELD.textBytes] = texts.text.length;
    row[FIELD.reasoningBytes] = texts.reasoning.length;
    row[FIELD.toolBytes] = texts.toolText.length;
    this.#rows.set(row, offset);
    this.#addChunks(chunkNs, row[FIELD.chunkCount] as number);
    this.#addText(texts.text);
    this.#addText(texts.reasoning);
    this.#addText(texts.toolText);
    this.#requestIds.push(texts.requestId);
    this.#finishReasons.push(texts.finishReason);
    if (texts.correlationId !== undefined) this.#correlationIds.push([index, texts.correlationId]);
    if (texts.choiceLengths !== undefined) this.#choiceTexts.push([index, texts.choiceLengths]);
    if (texts.toolCalls !== undefined) {
      this.#toolCalls.push([index, texts.toolCalls.map((calls) => calls.map(calledTool))]);
    }
    if (texts.error !== undefined) this.#errors.push([index, texts.error]);
    if (this.#keepRaw) this.#rawReplies.push(texts.rawReply ?? NO_REPLY);
  }

  /** Takes the block and starts the next one. The buffers of `transfer` may be handed over. */
  take(): { readonly block: RecordBlock; readonly transfer: ArrayBuffer[] } {
    const block: RecordBlock = {
      count: this.#count,
      rows: packRows(this.#rows, this.#count, FIELD_COUNT),
      chunkNs: this.#chunkNs.slice(0, this.#chunkCount),
      text: this.#text.slice(0, this.#textLength),
      choiceTexts: this.#choiceTexts,
      toolCalls: this.#toolCalls,
      requestIds: this.#requestIds,
      correlationIds: this.#correlationIds,
      finishReasons: this.#finishReasons,
      errors: this.#errors,
      rawReplies: this.#keepRaw ? this.#rawReplies : undefined,
    };
    this.#count = 0;
    this.#chunkCount = 0;
    this.#textLength = 0;
    this.#requestIds = [];
    this.#correlationIds = [];
    this.#choiceTexts = [];
    this.#toolCalls = [];
    this.#finishReasons = [];
    this.#errors = [];
    this.#rawReplies = [];
    const transfer = [block.rows.buffer, block.chunkNs.buffer, block.text.buffer];
    return { block, transfer };
  }

  #addChunks(chunkNs: Float64Array, count: number): void {
    const needed = this.#chunkCount + count;
    if (needed > this.#chunkNs.length) {
      const longer = new Float64Array(Math.max(needed, this.#chunkNs.length * 2));
      longer.set(this.#chunkNs);
      this.#chunkNs = longer;
    }
    this.#chunkNs.set(chunkNs.subarray(0, count), this.#chunkCount);
    this.#chunkCount = needed;
  }

  #addText(text: Uint8Array): void {
    if (text.length === 0) return;
    const needed = this.#textLength + text.length;
    if (needed > this.#text.length) {
      const longer = new Uint8Array(Math.max(needed, this.#text.length * 2));
      longer.set(this.#text.subarray(0, this.#textLength));
      this.#text = longer;
    }
    this.#text.set(text, this.#textLength);
    this.#textLength = needed;
  }
}

/** A copy: the reply of the next request overwrites the calls of this one. */
function calledTool({ name, argumentsText }: CalledTool): CalledTool {
  return { name, argumentsText };
}

const NO_REPLY: RawReply = { headers: [], body: new Uint8Array(0), readEnds: [] };
