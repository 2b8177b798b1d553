/**
 * The standard normal deviate exceeded with a probability below one half, within 4.5e-4.
 *
 * Source: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions" (1964), 26.2.23.
 */
export function upperNormalQuantile(probability: number): number {
  const t = Math.sqrt(-2 * Math.log(probability));
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) /
      (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

const known = new Map<number, Float64Array>();

/** Ascending values that stand for a standard normal distribution: the middles of equal parts. */
export function normalQuantiles(length: number): Float64Array {
  let quantiles = known.get(length);
  if (quantiles === undefined) {
    quantiles = Float64Array.from({ length }, (_, i) => {
      const below = (i + 0.5) / length;
      if (below === 0.5) return 0;
      return below < 0.5 ? -upperNormalQuantile(below) : upperNormalQuantile(1 - below);
    });
    known.set(length, quantiles);
  }
  return quantiles;
}
