import type { TokenCoder } from "../../load/dataset/tokenizers/tokenizer.ts";
import { withCountedReplies } from "../../load/sessions/counted_replies.ts";
import { IdealHits } from "../../load/sessions/ideal_hits.ts";
import type { AgentSession } from "../../load/sessions/model/agent_session.ts";
import type { SessionFile, SessionFormat } from "../../load/sessions/model/session_format.ts";
import { PromptEncoder } from "../../load/sessions/prompt_encoder.ts";
import { analyzeSession } from "./analyze_sessions.ts";
import type { ReplyTimes } from "./reply_times.ts";
import type { SessionAnalysis, SessionsAnalysis } from "./session_analysis.ts";
import { SessionSums } from "./session_sums.ts";
import type { AnalysedRow } from "./trace_rows.ts";

/** Analyses the sessions of a file sequentially. */
export class SessionsAnalyzer {
  readonly #file: SessionFile;
  readonly #format: SessionFormat;
  readonly #encoder: PromptEncoder | undefined;
  readonly #replyTimes: readonly ReplyTimes[];
  /** Analyses of the sessions; empty if only their sums are asked for. */
  readonly #sessions: SessionAnalysis[] = [];
  readonly #keepsSessions: boolean;
  readonly #sums = new SessionSums();
  #hasTexts = false;
  #blockNumbers = new Map<string, number>();

  constructor(
    file: SessionFile,
    format: SessionFormat,
    tokenizer: TokenCoder | undefined,
    { replyTimes, keepsSessions }: {
      readonly replyTimes: readonly ReplyTimes[];
      readonly keepsSessions: boolean;
    },
  ) {
    this.#keepsSessions = keepsSessions;
    this.#file = file;
    this.#format = format;
    this.#encoder = tokenizer === undefined ? undefined : new PromptEncoder(tokenizer);
    this.#replyTimes = replyTimes;
  }

  /** Yields the lengths, times and blocks of all calls. */
  async *rows(): AsyncGenerator<AnalysedRow> {
    let hits: IdealHits | undefined;
    for await (const given of this.#file.sessions()) {
      const blockSize = this.#file.blockSize();
      hits ??= new IdealHits(blockSize, this.#encoder, this.#format.hasGlobalBlocks);
      const session = withCountedReplies(given, this.#encoder);
      this.#hasTexts ||= hasTexts(session);
      const analysis = analyzeSession(session, hits, blockSize, this.#replyTimes);
      this.#sums.add(analysis);
      if (this.#keepsSessions) this.#sessions.push(analysis);
      yield* this.#rowsOf(session, analysis);
    }
  }

  /** Returns the sessions, if they were kept, and their sums. */
  finish(): SessionsAnalysis {
    return {
      "block_size": this.#file.blockSize(),
      "token_rule": this.#hasTexts ? "joined-text" : "recorded-lengths",
      "sessions": this.#sessions,
      "totals": this.#sums.totals(),
    };
  }

  *#rowsOf(
    { id, offsetMs, calls }: AgentSession,
    analysis: SessionAnalysis,
  ): Generator<AnalysedRow> {
    for (const [place, { prompt, recorded, outputTokens, isVirtual }] of calls.entries()) {
      if (isVirtual) continue;
      yield {
        session: id,
        timestampMs: recorded === undefined ? undefined : offsetMs + recorded.startMs,
        inputTokens: analysis.calls[place]?.input_tokens,
        outputTokens,
        hashIds: prompt.kind === "blocks"
          ? prompt.blocks.map((block) => this.#numberOf(block, id))
          : undefined,
      };
    }
  }

  /** Number of a block: ids that hold within one session only get numbers of their own. */
  #numberOf(block: number | string, session: string): number {
    const { hasGlobalBlocks } = this.#format;
    if (hasGlobalBlocks && typeof block === "number") return block;
    const key = hasGlobalBlocks ? `${block}` : `${session}\n${block}`;
    const number = this.#blockNumbers.get(key) ?? this.#blockNumbers.size;
    this.#blockNumbers.set(key, number);
    return number;
  }
}

function hasTexts({ calls }: AgentSession): boolean {
  return calls.some(({ prompt }) =>
    prompt.kind === "texts" && prompt.parts.some(({ kind }) => kind === "message")
  );
}
