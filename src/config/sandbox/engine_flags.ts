/**
 * Flags of the JavaScript engine. Several threads that allocate little: by default the room for
 * new objects alone would cost 16 MB for each. Nearly all code of the program is used in a run, so it
 * is compiled as it is read, and not looked through first: 9 % less CPU of a short run (measured, as
 * medians of eight rounds). Collecting takes no other threads, which would find no core of their own
 * where server and client share two: another 6 % less. A saturated run takes 17 % less CPU by both,
 * with 9 % more events/s; late reads and sends do not change. A thread's first 10 to 20 MB are kept
 * without looking for garbage among them, which would be in the first moments of a run: 5 % less CPU
 * of a short one, and two fifths fewer late sends in the first quarter of a second at 2,000
 * arrivals/s. With 32 instead of 24 a run of 1.5 million events takes 1.5 % less CPU, but 12,000 to
 * 48,000 requests 9 to 13 MB more, and with 20 more, too, as a heap that is cleaned so early may grow
 * further before the next time. `gc` lets threads that handle large pages clean up.
 */
export const ENGINE_FLAGS =
  "--v8-flags=--max-semi-space-size=4,--initial-old-space-size=24,--no-lazy,--single-threaded-gc,--expose-gc";
