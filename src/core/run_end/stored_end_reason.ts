import { END_REASON_NAMES, type EndReason } from "./end_reason.ts";

/**
 * How the sentences of version 0.1.0 begin, which wrote no codes. They are anchored: what a server
 * said comes later in a sentence, if at all.
 */
const SENTENCES: readonly (readonly [RegExp, EndReason])[] = [
  [/^\d+ of \d+ requests failed, more than --max-error-rate /, "error_rate"],
  [/^it began too late, \d+ ms later than agreed: /, "too_late"],
  [/^the input file cannot be read on: /, "input_unreadable"],
  [/^the first \d+ requests were all refused, /, "all_refused"],
  [/^the server was unreachable for \d+ s, /, "unreachable"],
  [
    /^\S+ (?:<|<=|>|>=) \S+(?: \S+)? cannot be met any more after \d+ requests, /,
    "slo_unreachable",
  ],
];
/** Prefix of such a sentence if the run ended in its warm-up. */
const WARMUP = /^in the warm-up /;

/** Facts about the end of a run, as a file states them. */
export interface StoredEnd {
  /** The code; null if the run did all that was planned, undefined in files without codes. */
  readonly code: unknown;
  /** The sentence. */
  readonly text: unknown;
  /** Whether the run was interrupted. */
  readonly wasCancelled: unknown;
}

/** The code that a file names; of files without codes, the code that follows from the rest. */
export function storedEndReason({ code, text, wasCancelled }: StoredEnd): EndReason | undefined {
  if (code === null) return undefined;
  if (code !== undefined) return END_REASON_NAMES.find((name) => name === code) ?? "unknown";
  if (typeof text === "string") return reasonOfSentence(text);
  return wasCancelled === true ? "interrupted" : undefined;
}

/** The code of a sentence that version 0.1.0 wrote. */
export function reasonOfSentence(text: string): EndReason {
  const sentence = text.replace(WARMUP, "");
  return SENTENCES.find(([beginning]) => beginning.test(sentence))?.[1] ?? "unknown";
}
