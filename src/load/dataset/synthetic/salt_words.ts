import { BuiltinTokenizer } from "../tokenizers/builtin_tokenizer.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";
import type { SaltWords } from "../payloads/prompt_salt.ts";
import type { Corpus } from "../corpus/corpus.ts";

/** Lengths of words in salts, in bytes: most words of texts have them. */
const WORD_BYTES = [4, 5];
/** Words of a length that are looked at, at most. */
const MAX_WORDS = 1024;

/** Words of salts, and what each costs in tokens. */
export interface CountedSaltWords extends Omit<SaltWords, "run"> {
  /** Tokens of a word at the beginning of a text. */
  readonly firstTokens: number;
  /** Tokens of a word after a space. */
  readonly laterTokens: number;
}

/** Tokens of a word at the beginning of a text, and after a space. */
type WordCost = readonly [first: number, later: number];

/**
 * The largest set of words of a corpus that have the same number of bytes and tokens: a power of
 * two of them.
 * @param tokenizer counts the tokens; undefined for the builtin one, whose counts corpora carry
 * @returns undefined if fewer than two words are alike
 */
export function saltWords(
  corpus: Corpus,
  tokenizer: Tokenizer | undefined,
): CountedSaltWords | undefined {
  let best: CountedSaltWords | undefined;
  for (const wordBytes of WORD_BYTES) {
    const costs = new Map<string, string[]>();
    for (const [word, piece] of wordsOf(corpus, wordBytes)) {
      const cost = costOf(word, piece, corpus, tokenizer).join();
      const alike = costs.get(cost);
      if (alike === undefined) costs.set(cost, [word]);
      else alike.push(word);
    }
    for (const [cost, words] of costs) {
      const wordBits = Math.floor(Math.log2(words.length));
      if (wordBits <= (best?.wordBits ?? 0)) continue;
      const [firstTokens = 0, laterTokens = 0] = cost.split(",").map(Number);
      best = {
        words: words.slice(0, 1 << wordBits).join(""),
        ...{ wordBytes, wordBits, firstTokens, laterTokens },
      };
    }
  }
  return best;
}

/** Different words of a length, and a piece of the corpus that each is. */
function wordsOf(corpus: Corpus, wordBytes: number): Map<string, number> {
  const decoder = new TextDecoder();
  const words = new Map<string, number>();
  for (let piece = 0; piece < corpus.pieces && words.size < MAX_WORDS; piece++) {
    const from = (corpus.offsets[piece] as number) + 1;
    const to = corpus.offsets[piece + 1] as number;
    if (to - from !== wordBytes || !corpus.isStart(piece)) continue;
    const word = decoder.decode(corpus.text.subarray(from, to));
    if (/^[A-Za-z]+$/.test(word) && !words.has(word)) words.set(word, piece);
  }
  return words;
}

function costOf(
  word: string,
  piece: number,
  corpus: Corpus,
  tokenizer: Tokenizer | undefined,
): WordCost {
  if (tokenizer === undefined || tokenizer instanceof BuiltinTokenizer) {
    return [corpus.tokensAtStart(piece), corpus.tokensOf(piece)];
  }
  const first = tokenizer.count(word);
  return [first, tokenizer.count(`${word} ${word}`) - first];
}
