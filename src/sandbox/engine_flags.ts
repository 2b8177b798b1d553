/**
 * Flags of the JavaScript engine. Several threads that allocate little: by default the room for
 * new objects alone would cost 16 MB for each. Nearly all code of the program is used in a run, so it
 * is compiled as it is read, and not looked through first: 9 % less CPU of a short run (measured, as
 * medians of eight rounds). Collecting takes no other threads, which would find no core of their own
 * where server and client share two: another 6 % less. A saturated run takes 17 % less CPU by both,
 * with 9 % more events/s; late reads and sends do not change. `gc` lets threads that handle large
 * pages clean up.
 */
export const ENGINE_FLAGS =
  "--v8-flags=--max-semi-space-size=4,--no-lazy,--single-threaded-gc,--expose-gc";
