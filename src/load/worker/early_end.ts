/** Why runs end early: the words by which a reason is known again, also in a file. */

/** More requests have failed than may. */
export const TOO_MANY_ERRORS = "more than --max-error-rate";
/** A shard was not ready at the common start. */
export const TOO_LATE = "it began too late";
/** The input file is wrong further on, or gone. */
export const UNREADABLE = "the input file cannot be read on";
/** The first requests had no answer, or none that others could hope for. */
export const ALL_REFUSED = "requests were all refused";
/** The server had been there, and stayed away. */
export const UNREACHABLE = "the server was unreachable for";

/**
 * Whether a run that ended early has failed, whatever it has measured: by its own rules, or by an
 * input file that is wrong further on. Others, whose server went away, have results like any run.
 */
export function isFailedStop(endedEarly: string | undefined): boolean {
  return [TOO_MANY_ERRORS, TOO_LATE, UNREADABLE].some((words) => endedEarly?.includes(words));
}

/** Whether a run ended early because there was no server that it could have measured. */
export function isServerGone(endedEarly: string | undefined): boolean {
  return [ALL_REFUSED, UNREACHABLE].some((words) => endedEarly?.includes(words));
}
