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
