/** Requests of a run whose columns are so long that their copies should not wait for the engine. */
export const LARGE_RUN = 100_000;
