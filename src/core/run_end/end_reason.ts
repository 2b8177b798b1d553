/**
 * Codes of why a run did not do all that was planned. They decide exit codes, which runs count in a
 * sweep, and how searches and merges treat a run. Each code comes with a sentence for the reader,
 * which may contain text from a server: no decision depends on the sentence.
 */

/** Facts about a code. */
interface EndReasonRow {
  /** Meaning, for the JSON Schemas and the pages made from them. */
  readonly meaning: string;
  /** Whether the run has failed, however much of it was measured. */
  readonly isFailure?: true;
  /** Whether no server could be measured. */
  readonly isServerGone?: true;
}

/** Every code. Of several that apply to one run, the first in this order is reported. */
export const END_REASONS = {
  /** Set by load workers, and by the results thread for replies that do not meet expectations. */
  "error_rate": { meaning: "More requests failed than --max-error-rate allows", isFailure: true },
  /** Set when a phase with an agreed start begins later than `--max-late` allows. */
  "too_late": { meaning: "The load began later than --max-late allows", isFailure: true },
  /** Set for a file that is read while its requests are sent. */
  "input_unreadable": {
    meaning: "The input file could not be read to its end",
    isFailure: true,
  },
  /** Set when the last load worker or the pacer dies. */
  "internal": { meaning: "Threads of the client died, and nothing more was sent", isFailure: true },
  /** Set by the results thread when it fails to write a file of the run. */
  "disk": {
    meaning: "A file of the run could not be written, as when the disk is full",
    isFailure: true,
  },
  /** Set by `merge`. */
  "shard_lost": { meaning: "A shard is missing or broken, or has only a part of its records" },
  /** Never written by the run itself: derived from a run folder without an end. */
  "killed": { meaning: "The process ended before it could write the end of the run" },
  /** Set by load workers for the first ten requests of a phase. */
  "all_refused": {
    meaning: "The first requests were all refused: HTTP 401, 403 or 404, or no connection",
    isServerGone: true,
  },
  /** Set by load workers after ten seconds and ten attempts in a row. */
  "unreachable": { meaning: "The server could not be reached any longer", isServerGone: true },
  /** Set by the results thread with `--abort-on-slo`. */
  "slo_unreachable": { meaning: "An objective of --slo could not be met any longer" },
  /** Set by SIGTERM and SIGHUP. */
  "terminated": { meaning: "The process was terminated" },
  /** Set by SIGINT, by the dashboard, and by the signal of the library's caller. */
  "interrupted": { meaning: "The user interrupted the run" },
  /** Set when some load workers died and others continued. */
  "worker_lost": { meaning: "A load worker died, and its requests count as failed" },
  /** Set in `shard.json` and by `merge`. */
  "held_up": { meaning: "The process was stopped for so long that part of the load was not sent" },
  /** Never written by this version: read where a file names no code that it knows. */
  "unknown": { meaning: "The file names a reason that this version does not know" },
} as const satisfies Readonly<Record<string, EndReasonRow>>;

/** Code of why a run did not do all that was planned. */
export type EndReason = keyof typeof END_REASONS;

/** Reason why a run ends: a code for programs and a sentence for the reader. */
export interface RunEnd {
  readonly reason: EndReason;
  readonly text: string;
}

/** The codes in their order. */
export const END_REASON_NAMES = Object.keys(END_REASONS) as readonly EndReason[];

/** Whether a run that ended so has failed, however much of it was measured. */
export function isFailure(reason: EndReason | undefined): boolean {
  return hasMark(reason, "isFailure");
}

/** Whether a run that ended so found no server that it could have measured. */
export function isServerGone(reason: EndReason | undefined): boolean {
  return hasMark(reason, "isServerGone");
}

/** The code to report where several apply; undefined if none does. */
export function firstReason(
  ...reasons: readonly (EndReason | undefined)[]
): EndReason | undefined {
  return END_REASON_NAMES.find((name) => reasons.includes(name));
}

function hasMark(reason: EndReason | undefined, mark: "isFailure" | "isServerGone"): boolean {
  const row: EndReasonRow | undefined = reason && END_REASONS[reason];
  return row?.[mark] === true;
}
