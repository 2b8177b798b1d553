// deno-lint-ignore-file no-console
/**
 * Makes the corpus of synthetic prompts: `deno run -A scripts/build_corpus.ts OPTICKS.txt`
 *
 * The text is Isaac Newton's "Opticks" (fourth edition, 1730), in the public domain; Go's source tree
 * carries it as `src/testdata/Isaac.Newton-Opticks.txt`. It is reduced to words, digits and plain
 * punctuation with single spaces between, so that no character of it needs an escape in JSON.
 *
 * `corpus.bin` describes each piece that the o200k_base pre-tokenizer cuts it into, by two bytes:
 * its length; its tokens and, in the high half, its tokens without the leading space (as it stands
 * at the start of a prompt). With these a prompt of an exact length needs no tokenizer.
 */

import { BuiltinTokenizer, VOCABULARY_URL } from "../src/dataset/builtin_tokenizer.ts";
import { pieceEnd } from "../src/dataset/pretokenize.ts";

const source = await Deno.readTextFile(Deno.args[0] as string);
const body = source.slice(source.indexOf("Part of the ensuing Discourse"));
const end = body.lastIndexOf("FINIS.");
const text = (end < 0 ? body : body.slice(0, end))
  .replace(/\[(?:Illustration|Greek|Footnote)[^\]]*\]/g, " ")
  .replace(/\[[A-Z]\]/g, "")
  .replace(/--+/g, " - ")
  .replace(/[^A-Za-z0-9 .,;:'()!?\n-]/g, "")
  .replace(/\s+/g, " ")
  .replace(/ ([.,;:])/g, "$1")
  .trim();

const tokenizer = new BuiltinTokenizer(await Deno.readFile(VOCABULARY_URL));
const table: number[] = [];
let total = 0;
// The text is read as it stands in a prompt: after a space, round and round.
const circle = ` ${text}`;
for (let start = 0; start < circle.length;) {
  const stop = pieceEnd(circle, start);
  const piece = circle.slice(start, stop);
  const tokens = tokenizer.count(piece);
  const tokensAtStart = tokenizer.count(piece.trimStart());
  if (Math.max(tokens, tokensAtStart) > 15) throw new RangeError(`Piece has many tokens: ${piece}`);
  table.push(piece.length, tokens | tokensAtStart << 4);
  total += tokens;
  start = stop;
}
const folder = new URL("../src/dataset/", import.meta.url);
await Deno.writeTextFile(new URL("corpus.txt", folder), circle);
await Deno.writeFile(new URL("corpus.bin", folder), Uint8Array.from(table));
console.log(`${circle.length} bytes, ${table.length / 2} pieces, ${total} tokens`);
