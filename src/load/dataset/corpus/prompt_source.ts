import type { CorpusName } from "../../../config/plan/prompts_plan.ts";
import { randomStream } from "../../../core/statistics/random_stream.ts";
import { Corpus } from "./corpus.ts";
import { readEmbeddedFile } from "../../../core/files/embedded_file.ts";
import { type MeasuredWindow, MeasuredWindows, type WindowContext } from "./measured_windows.ts";
import { PromptWindows, type WindowPlace } from "./prompt_windows.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";

/** Draws texts of exact token lengths. */
export interface PromptSource {
  /** Corpus from which the prompts are cut. */
  readonly corpus: Corpus;
  /** @param context text next to the window, for tokenizers that have to count */
  next(tokens: number, place?: WindowPlace, context?: WindowContext): MeasuredWindow;
}

/**
 * Prepares the drawing of texts.
 * @param tokenizer counts the tokens; undefined for the builtin one, whose counts corpora carry
 */
export async function promptSource(
  name: CorpusName,
  seed: number,
  tokenizer: Tokenizer | undefined,
): Promise<PromptSource> {
  const corpus = await corpusOf(name, seed);
  const random = randomStream(seed, "dataset.windows");
  if (tokenizer !== undefined) {
    const windows = new MeasuredWindows(corpus, random, tokenizer);
    return { corpus, next: (tokens, place, context) => windows.next(tokens, place, context) };
  }
  const windows = new PromptWindows(corpus, random);
  return {
    corpus,
    next(tokens, place) {
      // A window cannot have more words than tokens, so any length is found sooner or later.
      if (tokens > corpus.tokens * 1000) {
        throw new RangeError(`Prompt is too long: ${tokens} tokens`);
      }
      return { ...windows.next(tokens, place), tokens };
    },
  };
}

async function corpusOf(name: CorpusName, seed: number): Promise<Corpus> {
  if (name !== "random") return await Corpus.load(name);
  const [{ randomCorpus }, { VOCABULARY_URL }, { TokenVocabulary }] = await Promise.all([
    import("./random_corpus.ts"),
    import("../tokenizers/builtin_tokenizer.ts"),
    import("../tokenizers/token_vocabulary.ts"),
  ]);
  return randomCorpus(new TokenVocabulary(await readEmbeddedFile(VOCABULARY_URL)), seed);
}
