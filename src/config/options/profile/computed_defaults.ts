/** The numbers in defaults that depend on other options: the tables name them, the plan uses them. */

/** Requests in flight of a closed loop. */
export const CLOSED_LOOP_CONCURRENCY = 1;

/** Distribution of the times between arrivals; with a smoothness it is gamma. */
export const ARRIVAL_PATTERN = "poisson";

/** Shape of the gamma distribution. */
export const SMOOTHNESS = 1;

/**
 * Minimum number of requests of a run without another stop, and requests for each slot: the first ones
 * and the last ones belong to no steady state.
 */
export const MIN_REQUEST_COUNT = 100;
export const REQUESTS_PER_SLOT = 10;

/** The numbers that AIPerf has in their places. */
export const AIPERF_MIN_REQUEST_COUNT = 10;
export const AIPERF_REQUESTS_PER_SLOT = 2;

/** Maximum time without a byte of a stream, in seconds. */
export const STALL_TIMEOUT_SECONDS = 600;

/** Concurrent requests that are enough work for one load worker. */
export const CONCURRENCY_PER_WORKER = 16;

/**
 * Streams of one load worker that are too many for it, if a core is left: the runtime serves at most
 * 128 reads a turn. With 400 on two cores a second worker took no more CPU time, and fewer first
 * tokens were read late.
 */
export const MAX_STREAMS_PER_WORKER = 128;

/**
 * Maximum number of load workers on two or three cores. On two cores with 400 streams, two, three
 * and four of them read first tokens 18, 12 and 11 ms late at the 99th percentile (medians of 20
 * rounds), for 10 and 20 % more CPU time. With 500 streams it was 42, 22 and 13 ms. On a slower
 * machine, three and four workers read them 23 and 14 ms late with 400 streams (a fifth one 19 ms).
 * With 300 streams two, three and four read them 22, 11 and 14 ms late (nine rounds each, each
 * further thread for 4 to 8 % more CPU time).
 */
export const SMALL_MACHINE_WORKERS = 4;

/**
 * Maximum number of streams of a load worker that shares its core with another one, so that no read
 * is postponed.
 */
export const STREAMS_PER_SHARED_CORE = 120;

/** With more streams than this further workers of a small machine make it no better: with 700 and 1,000. */
export const MAX_STREAMS_OF_SMALL_MACHINE = 600;

/**
 * Maximum number of arrivals per second of one load worker, if a core is left: while the worker
 * reads, or collects garbage, the next arrival is due. On two cores with a load target, a second
 * worker reduced the send slip at the 99th percentile from 1.3 ms to 0.9 to 1 ms at 1,000/s. At
 * 2,000/s it fell from 2.2 to 2.8 ms to 1.5 to 1.9 ms, for a quarter more CPU time.
 */
export const MAX_ARRIVALS_PER_WORKER = 500;

/** Different prompts where the number of requests is not known beforehand. */
export const ENTRIES_WITHOUT_COUNT = 1000;

/** Maximum number of different prompts unless a number is given. */
export const MAX_COMPUTED_ENTRIES = 10_000;

/** Steps of a ramp in steps. */
export const RAMP_STEPS = 5;
