import type { BlockCache } from "./block_cache.ts";

/** Most prefixes that are remembered; then all are forgotten. */
const MAX_PREFIXES = 200_000;

/** Common beginning of a request and earlier ones. */
export interface PrefixMatch {
  /**
   * Number of leading texts that occurred before in this order, in requests and the replies to
   * them.
   */
  readonly cachedTexts: number;
  /** Digest of all of its texts in their order. */
  readonly digest: string;
}

/**
 * Remembers the leading texts of requests, as inference servers keep their KV cache entries. The
 * cache compares whole texts, whereas servers compare blocks of tokens.
 */
export class PrefixCache {
  readonly #known = new Set<string>();
  /** Blocks that decide what is cached; undefined to compare whole texts. */
  readonly blocks: BlockCache | undefined;

  constructor(blocks?: BlockCache) {
    this.blocks = blocks;
  }

  /**
   * Looks up a request and remembers it, together with the texts of the reply that it gets: its answer,
   * and the name and arguments of each tool call.
   */
  take(texts: readonly string[], reply: readonly string[]): PrefixMatch {
    let digest = "";
    let cachedTexts = 0;
    texts.forEach((text, place) => {
      digest = textDigest(`${digest}\0${text}`);
      if (cachedTexts === place && this.#known.has(digest)) cachedTexts = place + 1;
      this.#remember(digest);
    });
    let after = digest;
    for (const text of reply) {
      // An empty text is no text of a later prompt.
      if (text === "") continue;
      after = textDigest(`${after}\0${text}`);
      this.#remember(after);
    }
    return { cachedTexts, digest };
  }

  /** Forgets everything. */
  clear(): void {
    this.#known.clear();
    this.blocks?.clear();
  }

  #remember(digest: string): void {
    if (this.#known.size >= MAX_PREFIXES) this.#known.clear();
    this.#known.add(digest);
  }
}

/** Two hashes of 32 bits (cyrb53's), as hexadecimal digits. */
function textDigest(text: string): string {
  let first = 0xdeadbeef;
  let second = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    first = Math.imul(first ^ unit, 2654435761);
    second = Math.imul(second ^ unit, 1597334677);
  }
  return [first, second].map((half) => ((half ^ (half >>> 15)) >>> 0).toString(16).padStart(8, "0"))
    .join("");
}
