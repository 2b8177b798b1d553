/** The numbers in defaults that depend on other options: the tables name them, the plan uses them. */

/** Requests in flight of a closed loop. */
export const CLOSED_LOOP_CONCURRENCY = 1;

/** Distribution of the times between arrivals; with a smoothness it is gamma. */
export const ARRIVAL_PATTERN = "poisson";

/** Shape of the gamma distribution. */
export const SMOOTHNESS = 1;

/** Minimum number of requests of a run without another stop. */
export const MIN_REQUEST_COUNT = 10;

/** Concurrent requests that are enough work for one load worker. */
export const CONCURRENCY_PER_WORKER = 16;

/**
 * Streams of one load worker that are too many for it, if a core is left: the runtime serves at most
 * 128 reads a turn. With 400 on two cores a second worker took no more CPU time, and fewer first
 * tokens were read late.
 */
export const MAX_STREAMS_PER_WORKER = 128;

/**
 * Load workers of two or three cores, if that leaves each no more streams than follow. On two cores with
 * 400 streams, two, three and four of them read first tokens 18, 12 and 11 ms late at the 99th percentile
 * (medians of 20 rounds), for 10 and 20 % more CPU; where the machine was slower, two 39 to 42 ms and
 * three 11 to 20. With 500 streams 42, 22 and 13 ms. With 300 a third one made it worse, with 700 and
 * 1,000 no better.
 */
export const SMALL_MACHINE_WORKERS = 4;

/** Streams of a load worker that shares its core with another one. */
export const MAX_STREAMS_PER_SHARED_CORE = 150;

/**
 * Arrivals in a second that are too many for one load worker, if a core is left: while it reads, or
 * collects garbage, the next one is due. On two cores with a load target, a second one had 0.9 to 1
 * instead of 1.3 ms of send slip at the 99th percentile at 1,000/s, 1.5 to 1.9 instead of 2.2 to 2.8 at
 * 2,000/s, for a quarter more CPU.
 */
export const MAX_ARRIVALS_PER_WORKER = 500;

/** Different prompts where the number of requests is not known beforehand. */
export const ENTRIES_WITHOUT_COUNT = 1000;

/** Maximum number of different prompts unless a number is given. */
export const MAX_COMPUTED_ENTRIES = 10_000;

/** Steps of a ramp in steps. */
export const RAMP_STEPS = 5;
