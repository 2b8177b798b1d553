import { xoroshiro128plus } from "npm:pure-rand@8.4.2/generator/xoroshiro128plus";
import { uniformFloat64 } from "npm:pure-rand@8.4.2/distribution/uniformFloat64";
import { mixedBits } from "./mixed_bits.ts";

/** Gives uniformly distributed numbers in [0, 1). */
export type RandomStream = () => number;

/**
 * A reproducible stream of random numbers for one purpose.
 *
 * The state derives only from the seed, the purpose's name and a counter. The numbers for request
 * 17 are therefore the same for any caller and order, which makes a run independent of the number
 * of its workers.
 */
export function randomStream(seed: number, name: string, index = 0): RandomStream {
  const generator = xoroshiro128plus(hash(`${seed}/${name}/${index}`));
  return () => uniformFloat64(generator);
}

/** FNV-1a over UTF-16 units with its bits mixed, so that near inputs end far apart. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  }
  return mixedBits(state);
}
