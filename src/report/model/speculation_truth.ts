import { distributionOf, valueOf } from "../../measurement/metrics/metric_results.ts";
import { countedDrafts, type DraftCounts, repliedDrafts } from "./draft_counts.ts";
import type { TruthInput, TruthPart } from "./truth_part.ts";

/** Origin of a value; a gauge is the server's own. */
export type SpeculationSource = "counters" | "replies" | "gauge";

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
  /** Acceptance rate at each position, given that the tokens before it were accepted. */
  readonly "per_position_conditional": readonly number[];
  /** Tokens that were accepted, and cut off at the end of a reply. */
  readonly "accepted_not_sent": number | null;
  /** Requests whose replies report drafts, and the other valid requests. */
  readonly "requests_with_drafts": number | null;
  readonly "requests_without_drafts": number | null;
  /** Origin of the acceptance rate. */
  readonly source: SpeculationSource | null;
  /** Origin of the acceptance length: TensorRT-LLM counts tokens, and has a gauge of the length. */
  readonly "length_source": SpeculationSource | null;
}

type Reasons = Partial<Record<keyof SpeculationTruth, string>>;

const NO_SPECULATION = "no server reports drafts of speculative decoding";
const NO_DRAFTS = "the servers had no drafts in this run";
const NOT_BY_REQUEST = "replies do not report drafts";
const NO_STEPS = "the servers do not count decode steps";
const NOT_ADDED_UP =
  "the servers sent more tokens than their steps and accepted tokens explain: some requests " +
  "counted only in part";
const NO_POSITIONS = "neither servers nor replies count positions of drafts";
const NOT_COUNTED = "the servers do not count drafts";

/**
 * Speculative decoding by the servers' counters, else by the replies, else by gauges.
 * The formulas are in docs/server_metrics.md, "Speculative decoding". Requests without drafts are not
 * part of any rate.
 */
export function speculationTruth(
  { acceptedAt, results, roles }: TruthInput,
): TruthPart<SpeculationTruth> {
  const counted = roles === undefined ? {} : countedDrafts(roles);
  const replied = { ...repliedDrafts(results), acceptedAt };
  const isCounted = hasDrafts(counted);
  const gauge = (role: "spec_rate_gauge" | "spec_length_gauge"): number | undefined =>
    roles?.figure(role)?.stats["avg"];
  // Counts of two sources are of different requests.
  const countedRate = ratio(counted.accepted, counted.draftTokens);
  const rate = countedRate ?? ratio(replied.accepted, replied.draftTokens);
  const isPresent = isCounted || hasDrafts(replied) || gauge("spec_rate_gauge") !== undefined ||
    gauge("spec_length_gauge") !== undefined;
  const reports = counted.draftTokens !== undefined || counted.drafts !== undefined;
  const none = reports ? NO_DRAFTS : NO_SPECULATION;
  const withDrafts = distributionOf(results, "reported_draft_tokens")?.count;
  const countedLength = ratio(counted.accepted, counted.drafts);
  const accepted = countedLength ?? ratio(replied.accepted, replied.drafts);
  const byCounters = isCounted ? positionRates(counted) : [];
  const positions = byCounters.length > 0 ? byCounters : positionRates(replied);
  const values: SpeculationTruth = {
    "acceptance_rate": rate ?? gauge("spec_rate_gauge") ?? null,
    "acceptance_length": accepted === undefined ? gauge("spec_length_gauge") ?? null : 1 + accepted,
    "acceptance_rate_request_mean": distributionOf(results, "reported_acceptance_rate")?.avg ??
      null,
    "acceptance_length_request_mean": distributionOf(results, "reported_acceptance_length")?.avg ??
      null,
    "tokens_per_step": isPresent ? ratio(counted.laterTokens, counted.steps) ?? null : null,
    "drafted_share": isPresent ? ratio(counted.drafts, counted.steps) ?? null : null,
    "per_position": positions,
    "per_position_conditional": positions.map((rate, at) =>
      at === 0 ? rate : ratio(rate, positions[at - 1]) ?? 0
    ),
    "accepted_not_sent": isPresent ? notSent(counted) : null,
    "requests_with_drafts": withDrafts ?? null,
    "requests_without_drafts": withDrafts === undefined
      ? null
      : (valueOf(results, "request_count") ?? withDrafts) - withDrafts,
    source: sourceOf(countedRate, rate, gauge("spec_rate_gauge")),
    "length_source": sourceOf(countedLength, accepted, gauge("spec_length_gauge")),
  };
  return {
    values,
    reasons: isPresent ? reasonsOf(values, counted) : allReasons(values, none),
  };
}

/** @param known the value by counters or by replies */
function sourceOf(
  counted: number | undefined,
  known: number | undefined,
  gauge: number | undefined,
): SpeculationSource | null {
  if (counted !== undefined) return "counters";
  if (known !== undefined) return "replies";
  return gauge === undefined ? null : "gauge";
}

/** Why values of servers that draft are not known. */
function reasonsOf(
  values: SpeculationTruth,
  { accepted, laterTokens, steps }: DraftCounts,
): Reasons {
  const isCounted = accepted !== undefined && laterTokens !== undefined && steps !== undefined;
  const reasons: Reasons = {
    "acceptance_rate": NOT_COUNTED,
    "acceptance_length": NOT_COUNTED,
    "acceptance_rate_request_mean": NOT_BY_REQUEST,
    "acceptance_length_request_mean": values.requests_with_drafts === null
      ? NOT_BY_REQUEST
      : "replies report draft tokens, but not the number of drafts",
    "tokens_per_step": NO_STEPS,
    "drafted_share": NO_STEPS,
    "per_position": NO_POSITIONS,
    "per_position_conditional": NO_POSITIONS,
    "accepted_not_sent": isCounted ? NOT_ADDED_UP : NO_STEPS,
    "requests_with_drafts": NOT_BY_REQUEST,
    "requests_without_drafts": NOT_BY_REQUEST,
    source: NOT_COUNTED,
    "length_source": NOT_COUNTED,
  };
  return missing(values, (name) => reasons[name]);
}

function allReasons(values: SpeculationTruth, reason: string): Reasons {
  return missing(values, () => reason);
}

function missing(
  values: SpeculationTruth,
  reasonOf: (name: keyof SpeculationTruth) => string | undefined,
): Reasons {
  const names = Object.keys(values) as (keyof SpeculationTruth)[];
  return Object.fromEntries(names.flatMap((name) => {
    const value = values[name];
    const isMissing = value === null || (Array.isArray(value) && value.length === 0);
    const reason = isMissing ? reasonOf(name) : undefined;
    return reason === undefined ? [] : [[name, reason]];
  }));
}

/**
 * Acceptance rate at each position: of all drafts, or of those that reached the position where only
 * these are counted.
 */
function positionRates({ acceptedAt = [], draftedAt, drafts }: DraftCounts): number[] {
  const rates = acceptedAt.map((accepted, at) => ratio(accepted, drafts ?? draftedAt?.[at]));
  return rates.every((rate) => rate !== undefined) ? rates : [];
}

/** Tokens that were accepted beyond what a step and its request sent; null if the counts disagree. */
function notSent({ accepted, laterTokens, steps }: DraftCounts): number | null {
  if (accepted === undefined || laterTokens === undefined || steps === undefined) return null;
  const lost = accepted - (laterTokens - steps);
  return lost < 0 ? null : lost;
}

function hasDrafts({ drafts = 0, draftTokens = 0 }: DraftCounts): boolean {
  return drafts > 0 || draftTokens > 0;
}

/** A ratio; undefined if the whole is not known or zero. */
function ratio(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || whole === 0 ? undefined : part / whole;
}
