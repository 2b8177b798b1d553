/** Rates of `vllm bench serve` that grow over a run. */

import type { ForeignLine } from "./foreign_line.ts";
import type { OurLine } from "./our_line.ts";

/** Pieces of the curve, each a straight line here. */
const PIECES = 10;

/**
 * The rate over time. There it grows with the number of the request: evenly, or by the same factor.
 * A rate r that grows evenly with the number n of requests, dr/dn = a, grows with the time as
 * dr/dt = a r; one that grows by the same factor, dr/dn = b r, as dr/dt = b r^2.
 */
export function setRamp(theirs: ForeignLine, ours: OurLine): void {
  const [strategy, from, to] = [
    "--ramp-up-strategy",
    "--ramp-up-start-rps",
    "--ramp-up-end-rps",
  ] as const;
  const concurrency = theirs.value("--max-concurrency");
  if (concurrency !== undefined) ours.set("concurrency", concurrency, "--max-concurrency");
  const [start = NaN, end = NaN] = [theirs.number(from), theirs.number(to)];
  if (!(start > 0) || !(end >= start)) {
    return ours.none(strategy, `expected ${from} above 0 and ${to} not below it`);
  }
  const requests = theirs.number("--num-prompts") ?? 1000;
  if (start === end || requests < 1) ours.set("request-rate", end, from, to, strategy);
  else {
    const isEven = theirs.value(strategy) === "linear";
    const points = Array.from({ length: PIECES + 1 }, (_, piece) => {
      const share = piece / PIECES;
      const factor = (end / start) ** share;
      const rate = isEven ? start + (end - start) * share : start * factor;
      const time = isEven
        ? Math.log(rate / start) * requests / (end - start)
        : (1 / start - 1 / rate) * requests / Math.log(end / start);
      return `{"time_s":${shown(time)},"qps":${shown(rate)}}`;
    });
    ours.set("request-rate-series", `[${points.join(",")}]`, strategy, from, to);
    ours.note(strategy, "its rate grows with the number of the request, here with the time: alike");
  }
  if (theirs.has("--request-rate")) {
    ours.note("--request-rate", `left out: it has no effect with ${strategy}`);
  }
}

function shown(value: number): number {
  return Number(value.toPrecision(6));
}
