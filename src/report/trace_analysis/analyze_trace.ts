import { BlockText } from "../../load/dataset/corpus/block_text.ts";
import { detectFormat } from "../../load/dataset/formats/detect_format.ts";
import type { FormatContext } from "../../load/dataset/formats/input_format.ts";
import { InputSource } from "../../load/dataset/formats/input_source.ts";
import {
  buildTokenizer,
  readTokenizerSource,
} from "../../load/dataset/tokenizers/tokenizer_source.ts";
import type { TokenCoder } from "../../load/dataset/tokenizers/tokenizer.ts";
import { detectSessions } from "../../load/sessions/detect_sessions.ts";
import { LIST_FORMATS } from "../../load/sessions/formats/session_formats.ts";
import type { SessionFormat } from "../../load/sessions/model/session_format.ts";
import type { TokenizerPlan } from "../../config/plan/run_plan.ts";
import { chat } from "../../client/endpoint/openai/chat.ts";
import { analyzeRows } from "./analyze_rows.ts";
import type { TraceAnalysis } from "./trace_analysis.ts";
import type { ReplyTimes } from "./reply_times.ts";
import { SessionsAnalyzer } from "./sessions_analyzer.ts";
import { analysedRows } from "./trace_rows.ts";

/** Tokens of a block if the format does not specify them. */
const BLOCK_SIZE = 512;

/** Tokens of a block of texts. */
const TEXT_BLOCK_SIZE = 16;

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
  /** Tokens of replies whose length the file does not state; undefined for those of the format. */
  readonly outputTokens?: number | undefined;
  /** Reply times for which starts of the calls are computed. @default none */
  readonly replyTimes?: readonly ReplyTimes[] | undefined;
  /** Tokenizer of texts. @default builtin */
  readonly tokenizer?: TokenizerPlan | undefined;
  /** Whether the result has each session, and not only their sums. @default true */
  readonly keepsSessions?: boolean | undefined;
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
  let built: Promise<TokenCoder | undefined> | undefined;
  const counting = () => built ??= tokenizerOf(question.tokenizer ?? { kind: "builtin" });
  const agents = await detectSessions(source, question.format);
  if (agents !== undefined) {
    if (agents.why !== undefined) {
      note(`${path}: detected format ${agents.format.name}: ${agents.why}`);
    }
    return await analyzeSessionFile(question, source, agents.format, await counting());
  }
  const { format, why } = await detectFormat(source, question.format);
  if (why !== undefined) note(`${path}: detected format ${format.name}: ${why}`);
  const lists = LIST_FORMATS.get(format.name);
  if (lists !== undefined && (question.replyTimes ?? []).length > 0) {
    return await analyzeSessionFile(question, source, lists, await counting());
  }
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
    expectedOf: () => undefined,
    warn: note,
  };
  return await analyzeRows(analysedRows(source, format, context, counting), {
    file: path,
    format: format.name,
    blockSize: () => question.blockSize ?? format.blockSize ?? BLOCK_SIZE,
    cacheTokens: question.cacheTokens,
  });
}

/** Lengths, times, prefixes and sessions of a file of sessions, which is read once. */
async function analyzeSessionFile(
  { path, blockSize, cacheTokens, outputTokens, replyTimes = [], keepsSessions = true }:
    TraceQuestion,
  source: InputSource,
  format: SessionFormat,
  tokenizer: TokenCoder | undefined,
): Promise<TraceAnalysis> {
  const isText = format.name !== "mooncake-trace";
  const standard = isText ? TEXT_BLOCK_SIZE : BLOCK_SIZE;
  const settings = { blockSize: blockSize ?? standard, outputTokens };
  const file = format.read(source, settings);
  const sessions = new SessionsAnalyzer(file, format, tokenizer, { replyTimes, keepsSessions });
  const rows = await analyzeRows(sessions.rows(), {
    file: path,
    format: format.name,
    blockSize: () => file.blockSize(),
    cacheTokens,
  });
  return { ...rows, ...sessions.finish() };
}

async function tokenizerOf(plan: TokenizerPlan): Promise<TokenCoder | undefined> {
  return await buildTokenizer(
    await readTokenizerSource({
      tokenizer: plan,
      useServerTokenCount: false,
    }),
  );
}
