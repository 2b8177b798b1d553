import type { TokenCoder } from "../../load/dataset/tokenizers/tokenizer.ts";
import { withCountedReplies } from "../../load/sessions/counted_replies.ts";
import { IdealHits } from "../../load/sessions/ideal_hits.ts";
import type { AgentSession } from "../../load/sessions/model/agent_session.ts";
import type { SessionFile, SessionFormat } from "../../load/sessions/model/session_format.ts";
import { PromptEncoder } from "../../load/sessions/prompt_encoder.ts";
import { analyzeSession, rounded } from "./analyze_sessions.ts";
import type { ReplyTimes } from "./reply_times.ts";
import type { SessionAnalysis, SessionsAnalysis } from "./session_analysis.ts";
import type { AnalysedRow } from "./trace_rows.ts";

/** Analyses the sessions of a file sequentially. */
export class SessionsAnalyzer {
  readonly #file: SessionFile;
  readonly #format: SessionFormat;
  readonly #encoder: PromptEncoder | undefined;
  readonly #replyTimes: readonly ReplyTimes[];
  readonly #sessions: SessionAnalysis[] = [];
  #cachedWithReplies = 0;
  #hasTexts = false;
  #blockNumbers = new Map<string, number>();

  constructor(
    file: SessionFile,
    format: SessionFormat,
    tokenizer: TokenCoder | undefined,
    replyTimes: readonly ReplyTimes[],
  ) {
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
      for (const call of analysis.calls) {
        this.#cachedWithReplies += call.cached_tokens_with_replies ?? 0;
      }
      this.#sessions.push(analysis);
      yield* this.#rowsOf(session, analysis);
    }
  }

  /** Returns the sessions and their sums. */
  finish(): SessionsAnalysis {
    const totals = this.#sessions.map((session) => session.totals);
    const sum = (of: (one: SessionAnalysis["totals"]) => number): number =>
      totals.reduce((total, one) => total + of(one), 0);
    const most = (of: (one: SessionAnalysis["totals"]) => number): number =>
      totals.reduce((largest, one) => Math.max(largest, of(one)), 0);
    const input = sum((one) => one.input_tokens);
    const percent = (tokens: number): number => input === 0 ? 0 : rounded(100 * tokens / input);
    const gapMs = (gap: "tool" | "user" | "agent"): number =>
      rounded(sum((one) => one.gap_ms_by_class[gap]));
    return {
      "block_size": this.#file.blockSize(),
      "token_rule": this.#hasTexts ? "joined-text" : "recorded-lengths",
      "sessions": this.#sessions,
      "totals": {
        "sessions": this.#sessions.length,
        "calls": sum((one) => one.calls),
        "agents": this.#sessions.reduce((count, { agents }) => count + agents.length, 0),
        "max_depth": this.#sessions.reduce(
          (deepest, { calls }) => calls.reduce((most, { depth }) => Math.max(most, depth), deepest),
          0,
        ),
        "input_tokens": input,
        "output_tokens": sum((one) => one.output_tokens),
        "ideal_hit_rate_pct": percent(sum((one) => one.cached_tokens)),
        "ideal_hit_rate_with_replies_pct": percent(this.#cachedWithReplies),
        "longest_context_tokens": most((one) => one.longest_context_tokens),
        "context_resets": sum((one) => one.context_resets),
        "peak_parallel_calls_fixed_1000": most((one) => one.peak_parallel_calls_fixed_1000),
        "gap_ms_by_class": {
          "tool": gapMs("tool"),
          "user": gapMs("user"),
          "agent": gapMs("agent"),
        },
      },
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
