import { rounded } from "./analyze_sessions.ts";
import type { SessionAnalysis, SessionsAnalysis } from "./session_analysis.ts";

/** Sums over sessions that come one after another. */
export class SessionSums {
  #sessions = 0;
  #calls = 0;
  #agents = 0;
  #maxDepth = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #cachedTokens = 0;
  #cachedWithReplies = 0;
  #longestContext = 0;
  #resets = 0;
  #peakParallel = 0;
  readonly #gapMs = { tool: 0, user: 0, agent: 0 };

  /** Adds a session. */
  add({ agents, calls, totals }: SessionAnalysis): void {
    this.#sessions++;
    this.#agents += agents.length;
    for (const call of calls) {
      this.#maxDepth = Math.max(this.#maxDepth, call.depth);
      this.#cachedWithReplies += call.cached_tokens_with_replies ?? 0;
    }
    this.#calls += totals.calls;
    this.#inputTokens += totals.input_tokens;
    this.#outputTokens += totals.output_tokens;
    this.#cachedTokens += totals.cached_tokens;
    this.#longestContext = Math.max(this.#longestContext, totals.longest_context_tokens);
    this.#resets += totals.context_resets;
    this.#peakParallel = Math.max(this.#peakParallel, totals.peak_parallel_calls_fixed_1000);
    this.#gapMs.tool += totals.gap_ms_by_class.tool;
    this.#gapMs.user += totals.gap_ms_by_class.user;
    this.#gapMs.agent += totals.gap_ms_by_class.agent;
  }

  /** Returns the sums as they are written. */
  totals(): SessionsAnalysis["totals"] {
    const input = this.#inputTokens;
    const percent = (tokens: number): number => input === 0 ? 0 : rounded(100 * tokens / input);
    return {
      "sessions": this.#sessions,
      "calls": this.#calls,
      "agents": this.#agents,
      "max_depth": this.#maxDepth,
      "input_tokens": input,
      "output_tokens": this.#outputTokens,
      "ideal_hit_rate_pct": percent(this.#cachedTokens),
      "ideal_hit_rate_with_replies_pct": percent(this.#cachedWithReplies),
      "longest_context_tokens": this.#longestContext,
      "context_resets": this.#resets,
      "peak_parallel_calls_fixed_1000": this.#peakParallel,
      "gap_ms_by_class": {
        "tool": rounded(this.#gapMs.tool),
        "user": rounded(this.#gapMs.user),
        "agent": rounded(this.#gapMs.agent),
      },
    };
  }
}
