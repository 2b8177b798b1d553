/** The load profiles of GuideLLM: several rates are one sweep. */

import type { OurLine, OurOption } from "./our_line.ts";

/** Number of runs in a sweep of GuideLLM without `--rate`. */
const SWEEP_SIZE = 10;
/** Requests in flight at most in a throughput run of GuideLLM. */
const MAX_CONCURRENCY = 512;
const SWEEP =
  "a sweep of concurrency: GuideLLM takes the rates of its sweep from its first two runs";

/** How its load is shaped. */
interface LoadProfile {
  readonly kind: string;
  /** Rates or streams, one for each run; of a sweep the number of runs. */
  readonly rates: readonly string[];
  /** Requests in flight at most, whatever the rate. */
  readonly maxConcurrency: string | undefined;
}

/** Sets the load: several rates are the points of a sweep. */
export function setProfile(
  { kind, rates, maxConcurrency }: LoadProfile,
  ours: OurLine,
  theirs: readonly string[],
): void {
  ours.took(...theirs);
  const first = theirs[0] as string;
  const each = (name: string): void => {
    if (rates.length === 0) ours.none(first, `${kind} without a rate`);
    else ours.vary(rates.map((rate): OurOption[] => [[name, [rate]]]));
  };
  if (kind === "concurrent") each("--concurrency");
  else if (kind === "synchronous") ours.set("concurrency", 1, first);
  else if (kind === "throughput") {
    if (rates.length > 0) each("--concurrency");
    else if (maxConcurrency !== undefined) ours.set("concurrency", maxConcurrency, first);
    else ours.set("request-rate", "inf", first);
  } else if (kind === "constant" || kind === "poisson" || kind === "async") {
    each("--request-rate");
    ours.set("arrival-pattern", kind === "poisson" ? "poisson" : "constant", first);
    if (maxConcurrency !== undefined) ours.set("concurrency", maxConcurrency, first);
  } else if (kind === "sweep") {
    const size = Math.floor(Number(rates[0] ?? SWEEP_SIZE));
    const most = Math.floor(Number(maxConcurrency ?? MAX_CONCURRENCY));
    if (!(size >= 2 && most >= 1)) ours.none(first, `a sweep of ${rates[0]} runs`);
    else {
      const counts = geometricCounts(Math.min(size, most), most);
      ours.vary(counts.map((count): OurOption[] => [["--concurrency", [String(count)]]]));
      ours.note(first, SWEEP);
    }
  } else ours.none(first, `nothing like ${kind}`);
}

/** Sets the time in which the load grows. */
export function setRamp(kind: string, seconds: string, ours: OurLine): void {
  ours.took("--rampup");
  if (kind === "concurrent") ours.set("concurrency-ramp-duration", seconds, "--rampup");
  else if (kind === "constant") ours.set("request-rate-ramp-duration", seconds, "--rampup");
  else ours.none("--rampup", `there is no ramp of ${kind}`);
}

/** Different whole numbers from 1 to the largest, each about the same multiple of the one before. */
function geometricCounts(size: number, largest: number): number[] {
  const counts: number[] = [];
  for (let index = 0; index < size; index++) {
    const count = Math.round(largest ** (size === 1 ? 0 : index / (size - 1)));
    counts.push(Math.max(count, (counts.at(-1) ?? 0) + 1));
  }
  return counts;
}
