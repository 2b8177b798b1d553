import {
  BuiltinTokenizer,
  VOCABULARY_URL,
} from "../../src/load/dataset/tokenizers/builtin_tokenizer.ts";

/** The builtin tokenizer. */
export const BUILTIN = new BuiltinTokenizer(await Deno.readFile(VOCABULARY_URL));
