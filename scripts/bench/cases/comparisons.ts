// deno-lint-ignore-file no-console
/**
 * How often a comparison of two runs sees a difference where there is none, and how often it finds
 * one of 5 % and of 10 %.
 *
 * Servers are simulated: replies that are independent, servers with good and bad times, queues. A
 * comparison counts as an alarm if any of its lines says better or worse. The last ones have several
 * runs a side, and runs differ; and blocks that take turns while the server drifts.
 *
 *     deno run --allow-read scripts/bench/cases/comparisons.ts [PAIRS [NAME]]
 */

import { randomStream } from "../../../src/core/statistics/random_stream.ts";
import { compareSides } from "../../../src/measurement/compare/compare_sides.ts";
import type { RunSample } from "../../../src/measurement/compare/run_sample.ts";
import {
  independentLoad,
  queueLoad,
  type SimulatedLoad,
  wavyLoad,
} from "../observations/simulated_runs.ts";

const PAIRS = 200;
const SLOWNESSES = [1, 1.05, 1.1];

/** Two sides of a comparison, one of which may be slower. */
export interface SimulatedPair {
  readonly name: string;
  readonly requests: number;
  sides(seed: number, slowness: number): readonly [readonly RunSample[], readonly RunSample[]];
}

/** What is simulated. */
export const SIMULATED_PAIRS: readonly SimulatedPair[] = [
  ...[
    independentLoad(100, 4),
    independentLoad(200, 16),
    independentLoad(1000, 16),
    wavyLoad(400, 16, 20),
    wavyLoad(1000, 16, 20),
    wavyLoad(1000, 16, 100),
    queueLoad(1000, 8, 0.7),
    queueLoad(3000, 8, 0.7),
    queueLoad(1000, 8, 0.9),
  ].map(oneRun),
  severalRuns(independentLoad(300, 8), 3, 0.03),
  severalRuns(independentLoad(300, 8), 5, 0.03),
  turns(independentLoad(200, 8), 6, 0.3),
];

function oneRun(load: SimulatedLoad): SimulatedPair {
  return {
    name: load.name,
    requests: load.requests,
    sides: (seed, slowness) => [[load.run(2 * seed, 1)], [load.run(2 * seed + 1, slowness)]],
  };
}

/** Several runs a side, each as a whole faster or slower by chance. */
function severalRuns(load: SimulatedLoad, runs: number, spread: number): SimulatedPair {
  return {
    name: `${runs} runs a side that differ by ${spread * 100} %; ${load.name}`,
    requests: runs * load.requests,
    sides(seed, slowness) {
      const random = randomStream(seed, "runs");
      const side = (first: number, slowness: number) =>
        Array.from({ length: runs }, (_, run) => {
          // Nearly normal: the sum of twelve uniform numbers.
          const chance = Array.from({ length: 12 }, random).reduce((a, b) => a + b, -6);
          const sample = load.run(100 * seed + first + run, slowness * (1 + spread * chance));
          // They do not take turns.
          return { ...sample, startEpochNs: BigInt(first + run) };
        });
      return [side(0, 1), side(50, slowness)];
    },
  };
}

/** Blocks that take turns on a server that gets slower all the time. */
function turns(load: SimulatedLoad, blocks: number, drift: number): SimulatedPair {
  return {
    name: `${blocks} blocks a side in turns, a drift of ${drift * 100} %; ${load.name}`,
    requests: blocks * load.requests,
    sides(seed, slowness) {
      const sides: [RunSample[], RunSample[]] = [[], []];
      for (let place = 0; place < 2 * blocks; place++) {
        const block = Math.floor(place / 2);
        const side = (place + block) % 2 as 0 | 1;
        const drifted = 1 + drift * place / (2 * blocks);
        const sample = load.run(100 * seed + place, drifted * (side === 1 ? slowness : 1));
        sides[side].push({ ...sample, startEpochNs: BigInt(place) });
      }
      return sides;
    },
  };
}

/** Share of comparisons with an alarm, and how many lines of each name raised one. */
export function alarms(
  pair: SimulatedPair,
  slowness: number,
  pairs: number,
): { readonly share: number; readonly lines: ReadonlyMap<string, number> } {
  const lines = new Map<string, number>();
  let count = 0;
  for (let seed = 1; seed <= pairs; seed++) {
    const [before, after] = pair.sides(seed, slowness);
    const raised = compareSides(before, after, { draws: 500, seed })
      .filter(({ verdict }) => verdict !== "not significant");
    if (raised.length > 0) count++;
    for (const { statistic: { name } } of raised) lines.set(name, (lines.get(name) ?? 0) + 1);
  }
  return { share: count / pairs, lines };
}

/**
 * Prints false alarms and power, as a table in Markdown and line by line.
 * @param wanted part of the names of what is simulated
 */
export function benchComparisons(pairs = PAIRS, wanted = ""): void {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const details: string[] = [];
  console.log("| server | requests | false alarm | finds 5 % | finds 10 % |");
  console.log("| --- | ---: | ---: | ---: | ---: |");
  for (const pair of SIMULATED_PAIRS.filter(({ name }) => name.includes(wanted))) {
    const results = SLOWNESSES.map((slowness) => alarms(pair, slowness, pairs));
    const shares = results.map(({ share }) => percent(share));
    console.log(`| ${pair.name} | ${pair.requests} | ${shares.join(" | ")} |`);
    results.forEach(({ lines }, i) => {
      const texts = [...lines].map(([name, count]) => `${name} ${percent(count / pairs)}`);
      details.push(`${pair.name}, ${SLOWNESSES[i]} times slower: ${texts.join(", ") || "none"}`);
    });
  }
  console.log(`\n${details.join("\n")}`);
}

if (import.meta.main) benchComparisons(Number(Deno.args[0] ?? PAIRS), Deno.args[1]);
