/**
 * Round values within a range: multiples of 1, 2 or 5 times a power of ten, about as many as wanted; the
 * lower end for an empty range.
 */
export function roundValues(from: number, to: number, wanted: number): number[] {
  const least = (to - from) / wanted;
  if (!(least > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= least) as number) * power;
  const first = Math.ceil(from / step);
  const count = Math.floor(to / step) - first + 1;
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
