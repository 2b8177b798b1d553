import type { BenchContext } from "./bench_case.ts";
import type { MachineUse } from "./machine_use.ts";

/** One who takes part in the rounds of a comparison. */
export interface Contender<Outcome> {
  readonly name: string;
  /** Takes part in the first rounds alone: for one that takes long and whom no target names. */
  readonly maxRounds?: number;
  measure(): Promise<Outcome>;
}

/**
 * Measures the contenders in turns, so that whatever slows the machine for a while hits them all.
 * Each round begins with another one.
 */
export async function playRounds<Outcome>(
  context: BenchContext,
  what: string,
  contenders: readonly Contender<Outcome>[],
): Promise<Map<string, Outcome[]>> {
  const outcomes = new Map<string, Outcome[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < context.rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const contender = contenders[(round + turn) % contenders.length] as Contender<Outcome>;
      if (round >= (contender.maxRounds ?? Infinity)) continue;
      context.progress(`${what}: ${contender.name}, ${round + 1} of ${context.rounds}`);
      outcomes.get(contender.name)?.push(await contender.measure());
    }
  }
  return outcomes;
}

/** One figure of each outcome. */
export function valuesOf<Outcome>(
  outcomes: ReadonlyMap<string, readonly Outcome[]>,
  value: (outcome: Outcome) => number,
): Map<string, number[]> {
  return new Map([...outcomes].map(([name, each]) => [name, each.map(value)]));
}

/** What the machine did during every run. */
export function machineOf(
  outcomes: ReadonlyMap<string, readonly { readonly machine: MachineUse }[]>,
): MachineUse[] {
  return [...outcomes.values()].flat().map(({ machine }) => machine);
}
