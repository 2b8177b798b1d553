import { MAX_PROMPT_TOKENS } from "../../../config/plan/max_prompt_tokens.ts";
import type { ConversationTurn } from "../conversations/conversation.ts";
import type { BlockText } from "../corpus/block_text.ts";
import { outputLength } from "../synthetic/output_length.ts";
import type { FormatContext, InputFormat } from "./input_format.ts";
import type { InputSource } from "./input_source.ts";
import { Synthesis } from "./synthesis.ts";
import { checkBlocks } from "./trace_fields.ts";
import type { TraceRow } from "./trace_row.ts";

/** Makes the turns of rows that state lengths: equal blocks become equal text. */
export class TraceTurns {
  readonly #source: InputSource;
  readonly #format: InputFormat;
  readonly #context: FormatContext;
  readonly #blockSize: number;
  #synthesis: Promise<Synthesis> | undefined;
  #text: Promise<BlockText> | undefined;
  #row = 0;
  #leftOut = 0;

  constructor(source: InputSource, format: InputFormat, context: FormatContext) {
    this.#source = source;
    this.#format = format;
    this.#context = context;
    this.#blockSize = context.dataset.blockSize ?? format.blockSize ?? 512;
  }

  /** The turn of a row, its text made for it; undefined if it is left out. */
  async turn(
    row: TraceRow,
    extra: Readonly<Record<string, unknown>>,
  ): Promise<ConversationTurn | undefined> {
    const { seed, dataset } = this.#context;
    const index = this.#row++;
    const { hashIds = [], inputTokens = 0 } = row;
    this.#context.requireTime(row.record, row.session, row.timestampMs);
    checkBlocks(row.record, inputTokens, hashIds, this.#blockSize);
    const synthesis = await this.#loadedSynthesis();
    const text = await (this.#text ??= this.#context.blockText());
    const made = synthesis.made({ ...row, hashIds, inputTokens }, index);
    if (made === undefined) {
      this.#leftOut++;
      return undefined;
    }
    const tokens = made.restTokens + made.blocks.reduce((sum, block) => sum + block.tokens, 0);
    if (tokens > MAX_PROMPT_TOKENS) {
      throw row.record.error(
        `Has a prompt of ${tokens} tokens: the maximum is ${MAX_PROMPT_TOKENS}`,
      );
    }
    const pieces = made.blocks.map(({ key, tokens }) => text.text(key, tokens));
    if (made.restTokens > 0) pieces.push(text.text(index, made.restTokens, "rest"));
    const content = {
      texts: [text.prompt(pieces)],
      images: [],
      outputTokens: made.outputTokens ?? outputLength(dataset, seed, index),
      extra,
    };
    return {
      request: { kind: "content", content, inputTokens: tokens },
      ...this.#times(row),
      // Hashes of blocks are those of a whole prompt, with its history.
      followsHistory: row.session !== undefined && row.hashIds === undefined,
    };
  }

  /**
   * Returns the turn of a row that has its own text, with times and output length scaled by the
   * options.
   * @param make gets the length
   */
  async scaled(
    row: TraceRow,
    make: (
      outputTokens: number | undefined,
    ) => Pick<ConversationTurn, "request" | "followsHistory">,
  ): Promise<ConversationTurn> {
    const { seed, dataset } = this.#context;
    const index = this.#row++;
    this.#context.requireTime(row.record, row.session, row.timestampMs);
    const synthesis = await this.#loadedSynthesis();
    const outputTokens = synthesis.outputTokens(row.outputTokens) ??
      outputLength(dataset, seed, index);
    return { ...make(outputTokens), ...this.#times(row) };
  }

  /** Reports how many rows were skipped; to be called after the last one. */
  finish(): void {
    if (this.#leftOut === 0) return;
    const { dataset, warn } = this.#context;
    warn(
      `${this.#source.path}: rows of more than ${dataset.synthesis.maxInputTokens} tokens, left ` +
        `out: ${this.#leftOut}`,
    );
  }

  #times({ delayMs = 0, timestampMs }: TraceRow) {
    return { delayMs, timestampMs };
  }

  #loadedSynthesis(): Promise<Synthesis> {
    return this.#synthesis ??= Synthesis.load(
      this.#context.dataset.synthesis,
      this.#blockSize,
      this.#context.seed,
      () => this.#format.rows?.(this.#source),
    );
  }
}
