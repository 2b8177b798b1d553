/**
 * Flags of the JavaScript engine.
 *
 * Several threads allocate little: by default, the space for new objects would cost 16 MB per
 * thread. Nearly all code of the program is used in a run, so it is compiled as it is read, without
 * a first pass: 9 % less CPU time for a short run (medians of eight rounds). Garbage collection
 * uses no other threads, which would compete for cores if server and client share two: another 6 %
 * less. With both, a saturated run takes 17 % less CPU time, with 9 % more events/s; late reads and
 * sends do not change.
 *
 * The first 10 to 20 MB of a thread are kept without garbage collection, which would fall into the
 * first moments of a run. A short run takes 5 % less CPU time, with two fifths fewer late sends in
 * the first quarter of a second at 2,000 arrivals/s. With 32 MB instead of 24 a run of 1.5 million
 * events takes 1.5 % less CPU time, but 12,000 to 48,000 requests take 9 to 13 MB more. With 20 MB
 * they also take more, as a heap that is collected so early may grow further before the next time.
 * `gc` lets threads that handle large scrapes collect garbage.
 */
export const ENGINE_FLAGS =
  "--v8-flags=--max-semi-space-size=4,--initial-old-space-size=24,--no-lazy,--single-threaded-gc,--expose-gc";
