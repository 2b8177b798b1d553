import { BlockText } from "../../load/dataset/corpus/block_text.ts";
import { detectFormat } from "../../load/dataset/formats/detect_format.ts";
import type { FormatContext } from "../../load/dataset/formats/input_format.ts";
import { InputSource } from "../../load/dataset/formats/input_source.ts";
import {
  buildTokenizer,
  readTokenizerSource,
} from "../../load/dataset/tokenizers/tokenizer_source.ts";
import type { Tokenizer } from "../../load/dataset/tokenizers/tokenizer.ts";
import { chat } from "../../client/endpoint/openai/chat.ts";
import { analyzeRows } from "./analyze_rows.ts";
import type { TraceAnalysis } from "./trace_analysis.ts";
import { analysedRows } from "./trace_rows.ts";

/** Tokens of a block if the format does not specify them. */
const BLOCK_SIZE = 512;

/** Trace to analyse, and its settings. */
export interface TraceQuestion {
  /** `-` for standard input. */
  readonly path: string;
  /** Name of its format; undefined to detect it from the content. */
  readonly format: string | undefined;
  /** Tokens of a block; undefined for those of the format. */
  readonly blockSize: number | undefined;
  /** Sizes of caches, in tokens. */
  readonly cacheTokens: readonly number[];
  readonly interrupt: AbortSignal;
  /** Called with a sentence about how the file was interpreted. */
  note(text: string): void;
}

/**
 * Lengths, times and common prefixes of the requests of an input file.
 * @throws {DatasetError} naming file, line and column of what is wrong
 */
export async function analyzeTrace(question: TraceQuestion): Promise<TraceAnalysis> {
  const { path, interrupt, note } = question;
  const source = await InputSource.open(path, interrupt);
  const { format, why } = await detectFormat(source, question.format);
  if (why !== undefined) note(`${path}: taken for ${format.name}: ${why}`);
  let built: Promise<Tokenizer | undefined> | undefined;
  const counting = () => built ??= builtin();
  const tokenizer = format.rows === undefined ? await counting() : undefined;
  const context: FormatContext = {
    isPaged: false,
    seed: 0,
    type: chat,
    streaming: false,
    dataset: {
      source: "file",
      path,
      format: format.name,
      allowedFolders: [],
      outputTokensMean: undefined,
      outputTokensStddev: 0,
      draws: 1000,
      blockSize: question.blockSize,
      synthesis: {
        speedup: 1,
        prefixLength: 1,
        prefixRoots: 1,
        promptLength: 1,
        outputLength: 1,
        maxInputTokens: Infinity,
        maxOutputTokens: Infinity,
      },
      schedule: undefined,
    },
    tokenizer,
    blockText: () => BlockText.load(0, tokenizer),
    interrupt,
    requireTime: () => {},
    warn: note,
  };
  return await analyzeRows(analysedRows(source, format, context, counting), {
    file: path,
    format: format.name,
    blockSize: question.blockSize ?? format.blockSize ?? BLOCK_SIZE,
    cacheTokens: question.cacheTokens,
  });
}

async function builtin(): Promise<Tokenizer | undefined> {
  return await buildTokenizer(
    await readTokenizerSource({ tokenizer: { kind: "builtin" }, useServerTokenCount: false }),
  );
}
