import type { SynthesisPlan } from "../../../config/plan/run_plan.ts";
import { randomStream } from "../../../core/statistics/random_stream.ts";
import type { TraceRow } from "./trace_row.ts";

/** Piece of a prompt: a number of tokens of the text of a key. */
export interface PromptBlock {
  readonly key: number;
  readonly tokens: number;
}

/** Row that is synthesized from a row of a trace. */
export interface MadeRow {
  readonly blocks: readonly PromptBlock[];
  /** Tokens after the blocks, which no other row has. */
  readonly restTokens: number;
  readonly outputTokens: number | undefined;
}

/**
 * Scales the lengths of a trace up or down.
 *
 * The prefix of a row consists of the blocks up to the last one that another row shares; the other
 * blocks are unique. Each block of a prefix is multiplied, so that rows with n blocks in common
 * have n times the multiplier blocks in common: a tree of prefixes keeps its shape. With several
 * roots each conversation is assigned at random to one of that number of copies of the tree.
 */
export class Synthesis {
  readonly #plan: SynthesisPlan;
  readonly #blockSize: number;
  readonly #seed: number;
  /** Blocks that more than one row has; undefined if they are not needed. */
  readonly #shared: ReadonlySet<number> | undefined;
  /** Numbers reserved for the copies of one block. */
  readonly #copies: number;

  constructor(
    plan: SynthesisPlan,
    blockSize: number,
    seed: number,
    shared: ReadonlySet<number> | undefined,
  ) {
    this.#plan = plan;
    this.#blockSize = blockSize;
    this.#seed = seed;
    this.#shared = shared;
    this.#copies = Math.ceil(plan.prefixLength);
  }

  /**
   * Reads the whole trace in advance if that is needed to determine shared prefixes.
   * @param rows of the trace, from its beginning
   */
  static async load(
    plan: SynthesisPlan,
    blockSize: number,
    seed: number,
    rows: () => AsyncIterable<TraceRow> | undefined,
  ): Promise<Synthesis> {
    if (plan.prefixLength === 1 && plan.promptLength === 1) {
      return new Synthesis(plan, blockSize, seed, undefined);
    }
    const seen = new Set<number>();
    const shared = new Set<number>();
    for await (const { hashIds = [] } of rows() ?? []) {
      for (const id of new Set(hashIds)) {
        if (seen.has(id)) shared.add(id);
        else seen.add(id);
      }
    }
    return new Synthesis(plan, blockSize, seed, shared);
  }

  /** Tokens that a reply is asked to have. */
  outputTokens(tokens: number | undefined): number | undefined {
    if (tokens === undefined) return undefined;
    // A request for no tokens is refused by servers.
    const scaled = Math.max(1, Math.round(tokens * this.#plan.outputLength));
    return Math.min(scaled, this.#plan.maxOutputTokens);
  }

  /** Returns the row that is synthesized from a row; undefined if it is skipped for its length. */
  made(
    row: TraceRow & { readonly inputTokens: number; readonly hashIds: readonly number[] },
    index: number,
  ): MadeRow | undefined {
    const { hashIds, inputTokens } = row;
    const outputTokens = this.outputTokens(row.outputTokens);
    const copy = this.#copyOf(row.session, index);
    if (this.#shared === undefined) {
      const made = this.#blocksOf(hashIds.map((id) => this.#key(id, 0, copy)), inputTokens);
      return this.#fits(inputTokens) ? { ...made, outputTokens } : undefined;
    }
    const { prefixLength, promptLength } = this.#plan;
    const common = hashIds.findLastIndex((id) => this.#shared?.has(id)) + 1;
    const prefixTokens = Math.min(inputTokens, common * this.#blockSize);
    const keys = multiplied(hashIds.slice(0, common), prefixLength)
      .map(([id, n]) => this.#key(id, n, copy));
    // A last block that is not full stays as full as it was.
    const isFull = prefixTokens === common * this.#blockSize;
    const newPrefix = isFull
      ? keys.length * this.#blockSize
      : Math.round(prefixTokens * prefixLength);
    const ownTokens = Math.round((inputTokens - prefixTokens) * promptLength);
    const ownBlocks = Math.ceil(ownTokens / this.#blockSize);
    if (isFull) {
      keys.push(...hashIds.slice(common, common + ownBlocks).map((id) => this.#key(id, 0, copy)));
    }
    const total = Math.max(1, newPrefix + ownTokens);
    const made = this.#blocksOf(keys, total);
    return this.#fits(total) ? { ...made, outputTokens } : undefined;
  }

  #fits(tokens: number): boolean {
    return tokens <= this.#plan.maxInputTokens;
  }

  #blocksOf(keys: readonly number[], tokens: number): Omit<MadeRow, "outputTokens"> {
    const blocks: PromptBlock[] = [];
    let left = Math.max(1, tokens);
    for (const key of keys) {
      if (left === 0) break;
      const length = Math.min(left, this.#blockSize);
      blocks.push({ key, tokens: length });
      left -= length;
    }
    return { blocks, restTokens: left };
  }

  /** The key of the n-th copy of a block in one of the trees; blocks themselves keep their ids. */
  #key(id: number, n: number, tree: number): number {
    const { prefixRoots } = this.#plan;
    return (id * Math.max(1, this.#copies) + n) * prefixRoots + tree;
  }

  #copyOf(session: string | undefined, index: number): number {
    const { prefixRoots } = this.#plan;
    if (prefixRoots === 1) return 0;
    const name = session === undefined ? "dataset.roots" : `dataset.roots.${session}`;
    const random = randomStream(this.#seed, name, session === undefined ? index : 0);
    return Math.floor(random() * prefixRoots);
  }
}

/** Returns each id repeated by the multiplier, with the number of its repetition. */
function multiplied(ids: readonly number[], multiplier: number): [id: number, n: number][] {
  return ids.flatMap((id, i) => {
    const from = Math.round(i * multiplier);
    const to = Math.round((i + 1) * multiplier);
    return Array.from({ length: to - from }, (_, n): [number, number] => [id, n]);
  });
}
