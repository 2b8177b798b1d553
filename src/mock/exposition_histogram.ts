/** A histogram as Prometheus exposes it: counts of values up to each bound. */
export class ExpositionHistogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length);
  }

  /** Counts a value, several times at once if wanted. */
  observe(value: number, times = 1): void {
    this.#sum += value * times;
    this.#count += times;
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) (this.#counts[bucket] as number) += times;
  }

  /** Returns the sample lines that follow HELP and TYPE. */
  lines(name: string, labels: string): string {
    let cumulative = 0;
    const buckets = this.#bounds.map((bound, index) => {
      cumulative += this.#counts[index] as number;
      return `${name}_bucket{le="${floatText(bound)}",${labels}} ${floatText(cumulative)}\n`;
    });
    return buckets.join("") +
      `${name}_bucket{le="+Inf",${labels}} ${floatText(this.#count)}\n` +
      `${name}_count{${labels}} ${floatText(this.#count)}\n` +
      `${name}_sum{${labels}} ${this.#sum}\n`;
  }
}

/** Formats a float like Python's client: 1.0, not 1. */
export function floatText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? `${value}.0` : String(value);
}
