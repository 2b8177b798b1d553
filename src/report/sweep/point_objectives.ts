import type { PointResults } from "./point_results.ts";
import type { SearchGate } from "./search_gate.ts";
import type { SearchPlan } from "./search_plan.ts";
import { runGates } from "./search_results.ts";

/** Objectives that some run of a point missed, each once; undefined if none were evaluated. */
export type MissedObjectives = readonly SearchGate[] | undefined;

/**
 * Returns the outcome of the objectives of each point.
 * @param directory the command's folder
 * @param search undefined for a command that searches nothing
 */
export async function pointObjectives(
  points: readonly PointResults[],
  directory: string,
  search?: SearchPlan,
): Promise<ReadonlyMap<PointResults, MissedObjectives>> {
  return new Map(
    await Promise.all(
      points.map(async (point) => [point, await missedOf(point, directory, search)] as const),
    ),
  );
}

async function missedOf(
  { runs }: PointResults,
  directory: string,
  search: SearchPlan | undefined,
): Promise<MissedObjectives> {
  const read = await Promise.all(
    runs.map(({ figures, folder }) => runGates(`${directory}/${folder}`, figures, search)),
  );
  const gates = read.flatMap((gates) => gates ?? []);
  if (gates.length === 0) return undefined;
  const missed = new Map<string, SearchGate>();
  for (const gate of gates) {
    if (!gate.met && !missed.has(gate.name)) missed.set(gate.name, gate);
  }
  return [...missed.values()];
}

/** Milliseconds of each unit of a time. */
const MS: Readonly<Record<string, number>> = { "ms": 1, "s": 1000, "us": 0.001, "": 1 };

/** Limit of an objective on TTFT p99. */
export interface TtftLimit {
  readonly name: string;
  readonly condition: string;
  readonly ms: number;
}

/** An objective on TTFT: `ttft.p99 < 500 ms`. */
export function limitText({ condition, name }: TtftLimit): string {
  return `${name} ${condition}`;
}

/**
 * Finds the limit of TTFT p99 among the objectives of a command; undefined if it has none.
 * @param directory the command's folder
 */
export async function ttftLimit(
  points: readonly PointResults[],
  directory: string,
): Promise<TtftLimit | undefined> {
  for (const { figures, folder } of points.flatMap(({ runs }) => runs)) {
    const gates = await runGates(`${directory}/${folder}`, figures, undefined);
    const gate = gates?.find(({ metric, operator, statistic }) =>
      metric === "time_to_first_token" && statistic === "p99" && operator.startsWith("<")
    );
    if (gate !== undefined) {
      const { condition, name, threshold, unit } = gate;
      return { name, condition, ms: threshold * (MS[unit] ?? NaN) };
    }
    if (gates !== undefined) return undefined;
  }
  return undefined;
}
