/** Codes of all diagnoses, in the order in which their rules are tried. */
export const DIAGNOSIS_CODES = [
  "no-result",
  "stalled",
  "rejecting",
  "failing",
  "client-limited",
  "overload",
  "too-short",
  "prefill-pool",
  "decode-pool",
  "saturated-kv",
  "saturated-slots",
  "saturated",
  "prefill-bound",
  "decode-bound",
  "headroom",
  "unsaturated",
  "unknown",
] as const;

/** Code of a run's bottleneck. */
export type DiagnosisCode = typeof DIAGNOSIS_CODES[number];

/** A fact that a diagnosis rests on. */
export interface DiagnosisFact {
  readonly what: string;
  readonly value: string;
  /** Where the fact is from, as `client` or `server gauges`. */
  readonly source: string;
}

/** Bottleneck of a run, its cause, and remedies. */
export interface Diagnosis {
  readonly code: DiagnosisCode;
  /** The finding in one sentence, without a final period. */
  readonly text: string;
  /** Effect on the results, or origin of the bottleneck; undefined for none. */
  readonly cause: string | undefined;
  readonly evidence: readonly DiagnosisFact[];
  /** Missing information that would allow a more specific diagnosis. */
  readonly unknown: readonly string[];
  /** Remedies, the most promising first. */
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
