/** Codes of all diagnoses, in the order in which their rules are tried. */
export const DIAGNOSIS_CODES = [
  "no-result",
  "stalled",
  "rejecting",
  "failing",
  "client-limited",
  "overload",
  "too-short",
  "saturated-kv",
  "saturated-slots",
  "saturated",
  "prefill-bound",
  "decode-bound",
  "headroom",
  "unsaturated",
  "unknown",
] as const;

/** What limits a run, in a word. */
export type DiagnosisCode = typeof DIAGNOSIS_CODES[number];

/** A fact that a diagnosis rests on. */
export interface DiagnosisFact {
  readonly what: string;
  readonly value: string;
  /** Where the fact is from, as `client` or `server gauges`. */
  readonly source: string;
}

/** What limits a run, why, and what to try. */
export interface Diagnosis {
  readonly code: DiagnosisCode;
  /** The finding in one sentence, without a final period. */
  readonly text: string;
  /** What it means for the results, or where it comes from; undefined for nothing more. */
  readonly cause: string | undefined;
  readonly evidence: readonly DiagnosisFact[];
  /** What would have to be known to say more. */
  readonly unknown: readonly string[];
  /** What to do about it, most promising first. */
  readonly try: readonly string[];
}

/** A fact and its source. */
export function fact(what: string, value: string, source: string): DiagnosisFact {
  return { what, value, source };
}

/** A diagnosis, whose lists are empty where nothing is given. */
export function diagnosis(
  code: DiagnosisCode,
  text: string,
  rest: {
    readonly cause: string | undefined;
    readonly evidence?: readonly DiagnosisFact[];
    readonly unknown?: readonly string[];
    readonly try: readonly string[];
  },
): Diagnosis {
  const { cause, evidence = [], unknown = [] } = rest;
  return { code, text, cause, evidence, unknown, try: rest.try };
}
