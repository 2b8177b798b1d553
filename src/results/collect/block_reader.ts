import type { PayloadSource } from "../../load/dataset/payloads/payload_table.ts";
import type { Tokenizer } from "../../load/dataset/tokenizers/tokenizer.ts";
import type { FullRecord } from "../../measurement/metrics/full_record.ts";
import type { FlawExcerpts } from "./flaw_excerpts.ts";
import { HistoryTokens, partsOf } from "./history_tokens.ts";
import { bringsSeveralTokens } from "../../measurement/metrics/tokens_after_first_chunk.ts";
import { type RecordCursor, recordCursor } from "../../measurement/metrics/record_cursor.ts";
import { ERROR_KINDS } from "../../client/record/error_kind.ts";
import type { FlawTexts } from "../../client/record/flaw_texts.ts";
import {
  type ChoiceCalls,
  type ChoiceLengths,
  type RecordBlock,
  rowsOf,
} from "../../client/record/record_block.ts";
import {
  FIELD,
  FIELD_COUNT,
  INPUT_PART_FIELDS,
  RECORD_FIELD,
  RECORD_FIELD_COUNT,
  type RequestField,
} from "../../client/record/request_fields.ts";
import { INVALID_REASONS } from "../../measurement/answers/invalid_reason.ts";
import type { ReplyDetectors } from "./reply_detectors.ts";
import type { ReplyExpectation } from "./reply_expectation.ts";
import { NO_VERDICT, type ReplyVerdict, type ReplyVerdicts } from "./reply_verdicts.ts";
import { SessionCalls } from "./session_calls.ts";

const UNEXPECTED_REPLY = ERROR_KINDS.indexOf("unexpected_reply");

/** A record as it is read from a block. */
export interface ReadRecord extends FullRecord {
  readonly record: RecordCursor;
}

/** Takes records out of blocks, counts their tokens, and checks whether they say enough. */
export class BlockReader {
  readonly #payloads: PayloadSource;
  readonly #tokenizer: Tokenizer | undefined;
  readonly #expectation: ReplyExpectation | undefined;
  readonly #decoder = new TextDecoder();
  readonly #cursor: RecordCursor = recordCursor();
  readonly #row = new Float64Array(RECORD_FIELD_COUNT);
  readonly #histories: HistoryTokens | undefined;
  readonly #calls: SessionCalls;
  readonly #producesImages: boolean;
  readonly #detectors: ReplyDetectors | undefined;
  readonly #verdicts: ReplyVerdicts | undefined;
  readonly #excerpts: FlawExcerpts | undefined;
  readonly #prefersUsage: boolean;
  /** Verdicts on the reply of the last record. */
  #verdict: ReplyVerdict = NO_VERDICT;
  #flawTexts: FlawTexts | undefined;

  /**
   * @param tokenizer undefined if the server's counts are used
   * @param expectation undefined if every valid reply will do
   * @param options `producesImages`: whether images are those of replies, not of requests;
   * `prefersUsage`: whether the usage of replies is used where they hold it; `detectors`: undefined if
   * replies are not looked at for anomalies; `verdicts`: undefined if no answers are checked.
   * `excerpts`: undefined if texts of flaws are not kept
   */
  constructor(
    payloads: PayloadSource,
    tokenizer: Tokenizer | undefined,
    expectation?: ReplyExpectation,
    { producesImages = false, prefersUsage = false, detectors, verdicts, excerpts }: {
      readonly producesImages?: boolean;
      readonly prefersUsage?: boolean;
      readonly detectors?: ReplyDetectors | undefined;
      readonly verdicts?: ReplyVerdicts | undefined;
      readonly excerpts?: FlawExcerpts | undefined;
    } = {},
  ) {
    this.#payloads = payloads;
    this.#producesImages = producesImages;
    this.#detectors = detectors;
    this.#verdicts = verdicts;
    this.#excerpts = excerpts;
    this.#prefersUsage = prefersUsage;
    this.#tokenizer = tokenizer;
    this.#calls = new SessionCalls(payloads);
    if (payloads.hasConversations) {
      this.#histories = new HistoryTokens(payloads, payloads.replyOverheadTokens);
    }
    this.#expectation = expectation;
  }

  /** The records of a block, in their order; each is valid until the next one. */
  *read(block: RecordBlock): Generator<ReadRecord> {
    const errors = new Map(block.errors);
    const choiceTexts = new Map(block.choiceTexts);
    const toolCalls = new Map(block.toolCalls);
    const correlationIds = new Map(block.correlationIds);
    const rows = rowsOf(block);
    let chunkOffset = 0;
    let textOffset = 0;
    for (let index = 0; index < block.count; index++) {
      const row = rows.subarray(index * FIELD_COUNT, (index + 1) * FIELD_COUNT);
      const chunkEnd = chunkOffset + (row[FIELD.chunkCount] as number);
      const chunkNs = block.chunkNs.subarray(chunkOffset, chunkEnd);
      chunkOffset = chunkEnd;
      const texts = [FIELD.textBytes, FIELD.reasoningBytes, FIELD.toolBytes].map((field) => {
        const start = textOffset;
        textOffset += row[field] as number;
        return block.text.subarray(start, textOffset);
      });
      const choices = choicesOf(texts, choiceTexts.get(index));
      const record = this.#record(row, chunkNs, choices, toolCalls.get(index));
      const problem = this.#judge(record, choices);
      yield {
        record,
        requestId: block.requestIds[index] as string,
        correlationId: correlationIds.get(index),
        finishReason: block.finishReasons[index] ?? null,
        error: errors.get(index) ?? problem,
        flaw: flawOf(this.#verdict),
        ...(this.#flawTexts === undefined ? {} : { flawTexts: this.#flawTexts }),
        rawReply: block.rawReplies?.[index],
      };
    }
  }

  /** A record of a request that left none: only its place in the run is known. */
  missing(known: Partial<Record<RequestField, number>>): RecordCursor {
    const row = new Float64Array(FIELD_COUNT).fill(NaN);
    for (const [name, value] of Object.entries(known)) row[FIELD[name as RequestField]] = value;
    return this.#record(row, new Float64Array(0), [NO_TEXTS]);
  }

  #record(
    request: Float64Array,
    chunkNs: Float64Array,
    choices: readonly ChoiceTexts[],
    calls?: ChoiceCalls,
  ): RecordCursor {
    const row = this.#row;
    const { table, entry } = this.#payloads.locate(request[FIELD.entry] as number);
    const { inputTokens, outputTokens, images } = table.data;
    const known = inputTokens[entry] ?? NaN;
    const requested = outputTokens[entry] ?? -1;
    row.set(request);
    row[RECORD_FIELD.inputTokens] = this.#tokenizer === undefined
      ? request[FIELD.promptTokens] as number
      : known < 0
      ? NaN
      : known;
    if (this.#histories !== undefined && this.#tokenizer !== undefined) {
      row[RECORD_FIELD.inputTokens] = this.#histories.inputTokensOf(
        request,
        row[RECORD_FIELD.inputTokens] as number,
      );
    }
    this.#setParts(request);
    if (this.#prefersUsage && !Number.isNaN(request[FIELD.promptTokens] as number)) {
      row[RECORD_FIELD.inputTokens] = request[FIELD.promptTokens] as number;
    }
    const isValid = (request[FIELD.errorKind] as number) < 0;
    const counted = isValid ? this.#countTokens(request, choices) : NOT_COUNTED;
    row[RECORD_FIELD.outputTokens] = counted.outputTokens;
    row[RECORD_FIELD.thoughtTokens] = counted.thoughtTokens;
    row[RECORD_FIELD.firstTokens] = this.#firstTokens(
      request,
      (counted.outputTokens || 0) + (counted.thoughtTokens || 0),
      choices,
    );
    this.#histories?.add(request, known, {
      tokens: counted.firstOutputTokens,
      isCall: request[FIELD.textBytes] === 0 && (request[FIELD.toolBytes] as number) > 0,
    });
    row[RECORD_FIELD.requestedTokens] = requested > 0
      ? requested * (request[FIELD.choices] || 1)
      : NaN;
    row[RECORD_FIELD.images] = this.#producesImages
      ? request[FIELD.items] || 0
      : images[entry] ?? 0;
    row[RECORD_FIELD.gapClass] = (request[FIELD.turn] as number) > 0
      ? table.data.conversations?.gapClasses?.[entry] ?? 0
      : NaN;
    this.#calls.fill(row, counted.firstOutputTokens);
    row[RECORD_FIELD.anomalies] = isValid
      ? this.#detectors?.anomaliesOf(request, choices) ?? NaN
      : NaN;
    this.#verdict = isValid
      ? this.#verdicts?.verdictOf({ table, entry }, request, choices, calls) ?? NO_VERDICT
      : NO_VERDICT;
    this.#flawTexts = this.#excerpts?.of(this.#verdict, request, { table, entry });
    row[RECORD_FIELD.correct] = this.#verdict.correct?.outcome ?? NaN;
    row[RECORD_FIELD.valid] = this.#verdict.valid?.outcome ?? NaN;
    const { reason } = this.#verdict.valid ?? {};
    row[RECORD_FIELD.invalidReason] = reason === undefined ? NaN : INVALID_REASONS.indexOf(reason);
    row[RECORD_FIELD.takenNs] = NaN;
    this.#cursor.row = row;
    this.#cursor.chunkNs = chunkNs;
    return this.#cursor;
  }

  /** Tokens of the prompt by part, where the client counted them so. */
  #setParts(request: Float64Array): void {
    const parts = this.#tokenizer === undefined
      ? undefined
      : this.#histories === undefined
      ? partsOf(this.#payloads, request)
      : this.#histories.partsOf(request);
    INPUT_PART_FIELDS.forEach((field, part) => {
      this.#row[RECORD_FIELD[field]] = parts?.[part] ?? NaN;
    });
  }

  /** Makes a failure of a valid reply that says too little; why it is one, else undefined. */
  #judge(
    { row }: RecordCursor,
    choices: readonly ChoiceTexts[],
  ): string | undefined {
    if (this.#expectation === undefined || (row[RECORD_FIELD.errorKind] as number) >= 0) {
      return undefined;
    }
    const output = row[RECORD_FIELD.outputTokens] as number;
    const thought = row[RECORD_FIELD.thoughtTokens] as number;
    const isKnown = !Number.isNaN(output) || !Number.isNaN(thought);
    const tokens = isKnown ? (output || 0) + (thought || 0) : NaN;
    const problem = this.#expectation.problemOf(
      tokens,
      choices.map(([text, , toolText]) => [text, toolText]),
    );
    if (problem === undefined) return undefined;
    row[RECORD_FIELD.errorKind] = UNEXPECTED_REPLY;
    // Tokens are counted of valid replies alone.
    row[RECORD_FIELD.outputTokens] = NaN;
    row[RECORD_FIELD.thoughtTokens] = NaN;
    return problem;
  }

  /** Whether the output tokens of a request are those of its reply's usage. */
  #takesUsage(request: Float64Array): boolean {
    return this.#tokenizer === undefined || this.#tokenizer.hasGivenUp === true ||
      (this.#prefersUsage && !Number.isNaN(request[FIELD.completionTokens] as number));
  }

  #countTokens(
    request: Float64Array,
    choices: readonly ChoiceTexts[],
  ): typeof NOT_COUNTED {
    if (this.#takesUsage(request)) return usageTokens(request);
    let outputTokens = 0;
    let thoughtTokens = NaN;
    let firstOutputTokens = NaN;
    for (const [text, reasoning, toolText] of choices) {
      outputTokens += (this.#count(text) || 0) + (this.#count(toolText) || 0);
      if (Number.isNaN(firstOutputTokens)) firstOutputTokens = outputTokens;
      const thoughts = this.#count(reasoning);
      if (!Number.isNaN(thoughts)) thoughtTokens = (thoughtTokens || 0) + thoughts;
    }
    // Of an interrupted run: a part of the texts may be counted, and another one not.
    if (this.#tokenizer?.hasGivenUp) return usageTokens(request);
    return { outputTokens, thoughtTokens, firstOutputTokens };
  }

  /** Tokens of the first content chunk; NaN where chunks bring one each, or nobody counts here. */
  #firstTokens(
    request: Float64Array,
    tokens: number,
    [[text, reasoning, toolText] = NO_TEXTS, ...others]: readonly ChoiceTexts[],
  ): number {
    if (others.length > 0) return NaN;
    const chunks = request[FIELD.chunkCount] as number;
    if (this.#tokenizer === undefined || chunks < 2 || !bringsSeveralTokens(tokens, chunks)) {
      return NaN;
    }
    const bytes = request[FIELD.firstChunkBytes] as number;
    const answer = text?.length === 0 ? toolText : text;
    const first = request[FIELD.firstOutputChunk] === 0 ? answer : reasoning;
    // A chunk of two kinds of text is left to the share that its bytes have.
    if (first === undefined || bytes > first.length) return NaN;
    const counted = this.#count(first.subarray(0, bytes));
    if (!this.#takesUsage(request)) return counted;
    // The share of the chunk, in tokens of the server.
    const all = [text, reasoning, toolText].reduce((sum, one) => sum + (this.#count(one) || 0), 0);
    return counted / all * tokens;
  }

  /** Tokens of a text; NaN if there is none. */
  #count(text: Uint8Array | undefined): number {
    if (text === undefined || text.length === 0 || this.#tokenizer === undefined) return NaN;
    return this.#tokenizer.count(this.#decoder.decode(text));
  }
}

/** The flaws of a reply, its form first; undefined for none. */
function flawOf({ correct, valid }: ReplyVerdict): string | undefined {
  const flaws = [valid?.flaw, correct?.flaw].filter((flaw) => flaw !== undefined);
  return flaws.length === 0 ? undefined : flaws.join("; ");
}

/** Answer, reasoning and tool calls of a choice, UTF-8. */
type ChoiceTexts = readonly (Uint8Array | undefined)[];
const NO_TEXTS: ChoiceTexts = [];

/** The texts of each choice; of the only one, where there are not several. */
function choicesOf(
  texts: readonly Uint8Array[],
  lengths: ChoiceLengths | undefined,
): ChoiceTexts[] {
  if (lengths === undefined) return [texts];
  const offsets = texts.map(() => 0);
  return lengths.map((choice) =>
    choice.map((length, kind) => {
      const start = offsets[kind] as number;
      offsets[kind] = start + length;
      return texts[kind]?.subarray(start, start + length);
    })
  );
}

/** Returns the tokens of a reply by its usage; NaN if the reply has none. */
function usageTokens(request: Float64Array): typeof NOT_COUNTED {
  const thoughtTokens = request[FIELD.reasoningTokens] as number;
  const completionTokens = request[FIELD.completionTokens] as number;
  const outputTokens = Math.max(0, completionTokens - (thoughtTokens || 0));
  const choices = request[FIELD.choices] || 1;
  return { outputTokens, thoughtTokens, firstOutputTokens: outputTokens / choices };
}

/** A history contains only the first choice. */
const NOT_COUNTED = { outputTokens: NaN, thoughtTokens: NaN, firstOutputTokens: NaN };
