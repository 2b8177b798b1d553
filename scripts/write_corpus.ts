// deno-lint-ignore-file no-console
import {
  BuiltinTokenizer,
  VOCABULARY_URL,
} from "../src/load/dataset/tokenizers/builtin_tokenizer.ts";
import { pieceEnd } from "../src/load/dataset/tokenizers/pretokenize.ts";

/** What a byte of the table can hold of a piece's length, and half a byte of its tokens. */
const MAX_PIECE_BYTES = 255;
const MAX_PIECE_TOKENS = 15;

/**
 * Writes a corpus beside the sources that read it: `NAME.txt`, as it stands in a JSON string, and
 * `NAME.bin`.
 *
 * The table describes each piece that the o200k_base pre-tokenizer cuts the text into, by two bytes:
 * its length; its tokens and, in the high half, its tokens without the leading space (as it stands
 * at the start of a prompt). With these a prompt of an exact length needs no tokenizer.
 *
 * @param text ASCII; read round and round, so that it begins the way it goes on
 */
export async function writeCorpus(name: string, text: string): Promise<void> {
  const tokenizer = new BuiltinTokenizer(await Deno.readFile(VOCABULARY_URL));
  const table: number[] = [];
  let total = 0;
  for (let start = 0; start < text.length;) {
    const stop = pieceEnd(text, start);
    const piece = text.slice(start, stop);
    const tokens = tokenizer.count(piece);
    const tokensAtStart = tokenizer.count(piece.replace(/^ /, ""));
    const bytes = escaped(piece).length;
    if (Math.max(tokens, tokensAtStart) > MAX_PIECE_TOKENS || bytes > MAX_PIECE_BYTES) {
      throw new RangeError(`Piece is too long: ${piece}`);
    }
    table.push(bytes, tokens | tokensAtStart << 4);
    total += tokens;
    start = stop;
  }
  const folder = new URL("../src/load/dataset/corpus/", import.meta.url);
  const written = escaped(text);
  await Deno.writeTextFile(new URL(`${name}.txt`, folder), written);
  await Deno.writeFile(new URL(`${name}.bin`, folder), Uint8Array.from(table));
  console.log(`${written.length} bytes, ${table.length / 2} pieces, ${total} tokens`);
}

/** A text as it stands in a JSON string. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
