import type { TruthInput, TruthPart } from "./truth_part.ts";

/** Speculative decoding. Rates are from 0 to 1, lengths are tokens. */
export interface SpeculationTruth {
  /** Accepted tokens of all draft tokens. */
  readonly "acceptance_rate": number | null;
  /** Tokens of a step that had a draft: 1 + accepted tokens by drafts. */
  readonly "acceptance_length": number | null;
  /** Mean acceptance rate of the requests that had drafts. */
  readonly "acceptance_rate_request_mean": number | null;
  /** Mean acceptance length of the requests that had drafts. */
  readonly "acceptance_length_request_mean": number | null;
  /** Generated tokens of a decode step, whether or not it had a draft. */
  readonly "tokens_per_step": number | null;
  /** Decode steps that had a draft. */
  readonly "drafted_share": number | null;
  /** Acceptance rate at each position of drafts. */
  readonly "per_position": readonly number[];
}

const NO_SPECULATION = "no server reports drafts of speculative decoding";
const NOT_BY_REQUEST = "replies do not report drafts";

/** Speculative decoding by the servers' counters. */
export function speculationTruth({ roles }: TruthInput): TruthPart<SpeculationTruth> {
  const rate = roles?.share("acceptance_rate") ?? null;
  const length = roles?.share("acceptance_length") ?? null;
  const drafts = roles?.figure("spec_drafts")?.stats["total"] ?? 0;
  const byPosition = roles?.figure("spec_accepted_per_pos")?.by ?? {};
  const positions = Object.keys(byPosition).sort((a, b) => Number(a) - Number(b));
  return {
    values: {
      "acceptance_rate": rate,
      "acceptance_length": length,
      "acceptance_rate_request_mean": null,
      "acceptance_length_request_mean": null,
      "tokens_per_step": null,
      "drafted_share": null,
      "per_position": drafts > 0 ? positions.map((name) => (byPosition[name] ?? 0) / drafts) : [],
    },
    reasons: {
      ...(rate === null ? { "acceptance_rate": NO_SPECULATION } : {}),
      ...(length === null ? { "acceptance_length": NO_SPECULATION } : {}),
      "acceptance_rate_request_mean": NOT_BY_REQUEST,
      "acceptance_length_request_mean": NOT_BY_REQUEST,
      "tokens_per_step": NO_SPECULATION,
      "drafted_share": NO_SPECULATION,
    },
  };
}
