import type { AgentCall, AgentSession, BlockId } from "./model/agent_session.ts";
import type { PromptEncoder } from "./prompt_encoder.ts";

/** Tokens of a prompt, and those that an infinite prefix cache has of it. */
export interface PromptTokens {
  readonly inputTokens: number;
  /** Cached where only prompts stay in the cache. */
  readonly cached: number;
  /** Cached where replies stay in it, too. */
  readonly cachedWithReplies: number;
  /** Cached where the prompts of earlier sessions are in it, too. */
  readonly cachedAfterEarlier: number;
  /** Whether the prompt does not begin with that of the call before it. */
  readonly isReset: boolean;
}

/** Keys of blocks that a cache has. */
type Seen = Set<BlockId>;

/** A prompt whose tokens were encoded, as far as later ones are compared with it. */
interface EncodedPrompt {
  readonly length: number;
  /** Keys of its whole blocks; each depends on all before it. */
  readonly keys: readonly number[];
  /** Tokens behind them. */
  readonly rest: readonly number[];
}

/** Whole blocks that a cache without eviction has of the prompts of sessions. */
export class IdealHits {
  readonly #blockSize: number;
  readonly #encoder: PromptEncoder | undefined;
  readonly #earlier: Seen | undefined;

  /**
   * @param encoder of texts; undefined where all prompts are ids or lengths
   * @param isShared whether ids of blocks mean the same in all sessions
   */
  constructor(blockSize: number, encoder: PromptEncoder | undefined, isShared: boolean) {
    this.#blockSize = blockSize;
    this.#encoder = encoder;
    this.#earlier = isShared ? new Set() : undefined;
  }

  /**
   * Returns the tokens of each call's prompt; undefined for calls that send nothing.
   * @param order of the calls by their starts
   */
  of({ calls }: AgentSession, order: readonly number[]): (PromptTokens | undefined)[] {
    const results = new Array<PromptTokens | undefined>(calls.length).fill(undefined);
    const seen: Seen = new Set();
    const seenReplies: Seen = new Set();
    const encoded = new Map<number, EncodedPrompt>();
    for (const place of order) {
      const call = calls[place] as AgentCall;
      const before = call.predecessor === undefined ? undefined : calls[call.predecessor];
      switch (call.prompt.kind) {
        case "texts":
          results[place] = this.#texts(call, place, { seen, seenReplies, encoded });
          break;
        case "blocks":
          results[place] = this.#blocks(call, before, seen);
      }
    }
    return results;
  }

  #texts(
    { prompt, reply, predecessor }: AgentCall,
    place: number,
    { seen, seenReplies, encoded }: {
      readonly seen: Seen;
      readonly seenReplies: Seen;
      readonly encoded: Map<number, EncodedPrompt>;
    },
  ): PromptTokens | undefined {
    if (prompt.kind !== "texts" || this.#encoder === undefined) return undefined;
    const size = this.#blockSize;
    const ids = this.#encoder.encode(prompt);
    const keys = blockKeys(ids, size);
    const [cached, cachedWithReplies] = [hits(keys, seen), hits(keys, seenReplies)];
    const cachedAfterEarlier = this.#earlier === undefined ? cached : hits(keys, this.#earlier);
    for (const key of keys) {
      seen.add(key);
      seenReplies.add(key);
      this.#earlier?.add(key);
    }
    for (const key of blockKeys(this.#encoder.encode(prompt, reply), size)) seenReplies.add(key);
    encoded.set(place, { length: ids.length, keys, rest: ids.slice(keys.length * size) });
    const before = predecessor === undefined ? undefined : encoded.get(predecessor);
    return {
      inputTokens: ids.length,
      cached: cached * size,
      cachedWithReplies: cachedWithReplies * size,
      cachedAfterEarlier: cachedAfterEarlier * size,
      isReset: before !== undefined && !goesOn(before, ids, keys),
    };
  }

  #blocks(call: AgentCall, before: AgentCall | undefined, seen: Seen): PromptTokens | undefined {
    const { prompt } = call;
    if (prompt.kind !== "blocks") return undefined;
    const size = this.#blockSize;
    const { blocks, inputTokens } = prompt;
    const cached = hits(blocks, seen);
    const cachedAfterEarlier = this.#earlier === undefined ? cached : hits(blocks, this.#earlier);
    const own = before?.prompt.kind === "blocks" ? before.prompt : undefined;
    const isReset = own !== undefined &&
      !own.blocks.every((block, place) => block === blocks[place]);
    let withReplies = cached;
    if (own !== undefined && before !== undefined && !isReset) {
      const known = Math.floor((own.inputTokens + before.outputTokens) / size);
      withReplies = Math.max(cached, Math.min(known, Math.floor(inputTokens / size)));
    }
    for (const block of blocks) {
      seen.add(block);
      this.#earlier?.add(block);
    }
    return {
      inputTokens,
      cached: cached * size,
      cachedWithReplies: withReplies * size,
      cachedAfterEarlier: cachedAfterEarlier * size,
      isReset,
    };
  }
}

/** Blocks at the beginning of a prompt that a cache has. */
function hits(keys: readonly BlockId[], seen: Seen): number {
  const first = keys.findIndex((key) => !seen.has(key));
  return first < 0 ? keys.length : first;
}

/** Whether a prompt begins with an earlier one. */
function goesOn(before: EncodedPrompt, ids: readonly number[], keys: readonly number[]): boolean {
  if (before.length > ids.length) return false;
  const last = before.keys.length - 1;
  if (last >= 0 && before.keys[last] !== keys[last]) return false;
  const start = before.length - before.rest.length;
  return before.rest.every((id, place) => id === ids[start + place]);
}

/** Returns a key of 52 bits for each whole block of tokens, which depends on all tokens up to its end. */
function blockKeys(ids: readonly number[], blockSize: number): number[] {
  const keys: number[] = [];
  let [low, high] = [0x811c9dc5, 0x1b873593];
  const end = ids.length - ids.length % blockSize;
  for (let place = 0; place < end; place++) {
    const id = ids[place] as number;
    const [bottom, top] = [id | 0, (id / 2 ** 32) | 0];
    low = Math.imul(low ^ bottom, 0x85ebca6b);
    low ^= low >>> 13;
    low = Math.imul(low ^ top, 0xc2b2ae35);
    low ^= low >>> 16;
    high = Math.imul(high ^ bottom, 0xcc9e2d51) + low | 0;
    high ^= high >>> 15;
    high = Math.imul(high ^ top, 0x27d4eb2f);
    high ^= high >>> 14;
    if ((place + 1) % blockSize === 0) keys.push((low >>> 0) + (high & 0xfffff) * 2 ** 32);
  }
  return keys;
}
