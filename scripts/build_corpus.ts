/**
 * Makes the corpus of synthetic prompts: `deno run -A scripts/build_corpus.ts OPTICKS.txt`
 *
 * The text is Isaac Newton's "Opticks" (fourth edition, 1730), in the public domain; Go's source tree
 * carries it as `src/testdata/Isaac.Newton-Opticks.txt`. It is reduced to words, digits and plain
 * punctuation with single spaces between, so that no character of it needs an escape in JSON.
 */

import { writeCorpus } from "./write_corpus.ts";

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

await writeCorpus("corpus", ` ${text}`);
