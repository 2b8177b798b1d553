/** By how much a sleeper woke after each time, in the times' unit. */
export function lateness(
  dueTimes: Iterable<number>,
  now: () => number,
  sleep: (duration: number) => void,
): Float64Array {
  return Float64Array.from(dueTimes, (due) => {
    for (;;) {
      const late = now() - due;
      if (late >= 0) return late;
      sleep(-late);
    }
  });
}
