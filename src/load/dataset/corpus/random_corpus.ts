import { randomStream } from "../../../core/statistics/random_stream.ts";
import { Corpus } from "./corpus.ts";
import type { TokenVocabulary } from "../tokenizers/token_vocabulary.ts";

/** Words in the corpus: prompts begin at different ones. */
const WORDS = 200_000;
/** Maximum length of a piece in bytes: the table stores a length in one byte. */
const MAX_LENGTH = 255;
/** One token after others, and one where a prompt begins with it. */
const ONE_TOKEN = 1 | 1 << 4;
const SPACE = 32;

/**
 * A corpus of words at random, all as likely: each is one token of the o200k_base encoding, with a
 * space before it and without. Such texts compress badly and mean nothing, as random tokens do, and
 * yet have an exact length after they were text.
 *
 * @param seed decides which words follow each other
 */
export function randomCorpus(vocabulary: TokenVocabulary, seed: number): Corpus {
  const words = wordsOf(vocabulary);
  const random = randomStream(seed, "dataset.random_corpus");
  const chosen = Array.from(
    { length: WORDS },
    () => words[Math.floor(random() * words.length)] as Uint8Array,
  );
  const text = new Uint8Array(chosen.reduce((sum, word) => sum + word.length, 0));
  const table = new Uint8Array(WORDS * 2);
  let offset = 0;
  chosen.forEach((word, piece) => {
    text.set(word, offset);
    offset += word.length;
    table[piece * 2] = word.length;
    table[piece * 2 + 1] = ONE_TOKEN;
  });
  return new Corpus(text, table);
}

/**
 * Returns the tokens that are a space and a word of ASCII letters, if the word without the space is
 * a token too.
 */
function wordsOf(vocabulary: TokenVocabulary): Uint8Array[] {
  const words: Uint8Array[] = [];
  for (let rank = 0; rank < vocabulary.size; rank++) {
    const token = vocabulary.bytesOf(rank);
    if (token.length < 2 || token.length > MAX_LENGTH || token[0] !== SPACE) continue;
    // One capital at most, the first: the encoding cuts words where another begins.
    if (!token.every((byte, place) => place === 0 || isLetter(byte, place === 1))) continue;
    if (token.length === 2 && (token[1] as number) < 97) continue;
    if (vocabulary.rankOf(token, 1, token.length) >= 0) words.push(token);
  }
  return words;
}

function isLetter(byte: number, mayBeCapital: boolean): boolean {
  return (byte >= 97 && byte <= 122) || (mayBeCapital && byte >= 65 && byte <= 90);
}
