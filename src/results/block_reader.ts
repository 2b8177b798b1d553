import type { PayloadTable } from "../dataset/payload_table.ts";
import type { Tokenizer } from "../dataset/tokenizer.ts";
import type { FullRecord } from "../metrics/full_record.ts";
import type { RequestRecord } from "../metrics/request_record.ts";
import type { RecordBlock } from "../record/record_block.ts";
import { FIELD, FIELD_COUNT, REQUEST_FIELDS, type RequestField } from "../record/request_fields.ts";

/** Takes records out of blocks and counts their tokens. */
export class BlockReader {
  readonly #payloads: PayloadTable;
  readonly #tokenizer: Tokenizer | undefined;
  readonly #decoder = new TextDecoder();

  /** @param tokenizer undefined if the server's counts are used */
  constructor(payloads: PayloadTable, tokenizer: Tokenizer | undefined) {
    this.#payloads = payloads;
    this.#tokenizer = tokenizer;
  }

  /** The records of a block, in their order. */
  *read(block: RecordBlock): Generator<FullRecord> {
    const errors = new Map(block.errors);
    let chunkOffset = 0;
    let textOffset = 0;
    for (let index = 0; index < block.count; index++) {
      const row = block.rows.subarray(index * FIELD_COUNT, (index + 1) * FIELD_COUNT);
      const chunkEnd = chunkOffset + (row[FIELD.chunkCount] as number);
      const chunkNs = block.chunkNs.subarray(chunkOffset, chunkEnd);
      chunkOffset = chunkEnd;
      const texts = [FIELD.textBytes, FIELD.reasoningBytes, FIELD.toolBytes].map((field) => {
        const start = textOffset;
        textOffset += row[field] as number;
        return block.text.subarray(start, textOffset);
      });
      yield {
        record: this.#record(row, chunkNs, texts),
        requestId: block.requestIds[index] as string,
        finishReason: block.finishReasons[index] ?? null,
        error: errors.get(index),
        rawReply: block.rawReplies?.[index],
      };
    }
  }

  /** A record of a request that left none: only its place in the run is known. */
  missing(known: Partial<Record<RequestField, number>>): RequestRecord {
    const row = new Float64Array(FIELD_COUNT).fill(NaN);
    for (const [name, value] of Object.entries(known)) row[FIELD[name as RequestField]] = value;
    return this.#record(row, new Float64Array(0), []);
  }

  #record(
    row: Float64Array,
    chunkNs: Float64Array,
    texts: readonly Uint8Array[],
  ): RequestRecord {
    const fields = {} as Record<RequestField, number>;
    for (let column = 0; column < FIELD_COUNT; column++) {
      fields[REQUEST_FIELDS[column] as RequestField] = row[column] as number;
    }
    const { inputTokens, outputTokens, images } = this.#payloads.data;
    const counted = fields.errorKind < 0 ? this.#countTokens(fields, texts) : NOT_COUNTED;
    const known = inputTokens[fields.entry] ?? NaN;
    return {
      ...fields,
      chunkNs,
      inputTokens: this.#tokenizer === undefined ? fields.promptTokens : known < 0 ? NaN : known,
      ...counted,
      requestedTokens: (outputTokens[fields.entry] ?? -1) > 0
        ? outputTokens[fields.entry] as number
        : NaN,
      images: images[fields.entry] ?? 0,
    };
  }

  #countTokens(
    fields: Readonly<Record<RequestField, number>>,
    [text, reasoning, toolText]: readonly Uint8Array[],
  ): { outputTokens: number; thoughtTokens: number } {
    if (this.#tokenizer === undefined) {
      const thoughtTokens = fields.reasoningTokens;
      return {
        outputTokens: Math.max(0, fields.completionTokens - (thoughtTokens || 0)),
        thoughtTokens,
      };
    }
    const thoughtTokens = this.#count(reasoning);
    const output = (this.#count(text) || 0) + (this.#count(toolText) || 0);
    return { outputTokens: output, thoughtTokens };
  }

  /** Tokens of a text; NaN if there is none. */
  #count(text: Uint8Array | undefined): number {
    if (text === undefined || text.length === 0 || this.#tokenizer === undefined) return NaN;
    return this.#tokenizer.count(this.#decoder.decode(text));
  }
}

const NOT_COUNTED = { outputTokens: NaN, thoughtTokens: NaN };
