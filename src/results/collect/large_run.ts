/** Requests of a run whose columns are so long that their copies should not wait for the engine. */
export const LARGE_RUN = 100_000;

/**
 * Requests of a run from which on a second thread is worth that it reads all of them, too; gaps between
 * chunks are then known of the whole run only.
 */
export const HUGE_RUN = 300_000;
