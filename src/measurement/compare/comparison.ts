import { type CompareOptions, compareSides, type Difference, tookTurns } from "./compare_sides.ts";
import type { RunSample } from "./run_sample.ts";

/** One or several runs of the same thing. */
export interface Side {
  readonly label: string;
  readonly samples: readonly RunSample[];
  /** The labels of its runs, by ascending names. */
  readonly tags?: readonly SideTag[];
}

/** A label that a user gave runs; values of several runs stand one after another. */
export type SideTag = readonly [name: string, value: string];

/** A side compared with the first one. */
export interface Comparison {
  readonly before: string;
  readonly after: string;
  /** Labels of the two sides. */
  readonly tags: { readonly before: readonly SideTag[]; readonly after: readonly SideTag[] };
  readonly differences: readonly Difference[];
  /** What a reader must know of it, a sentence each. */
  readonly notes: readonly string[];
}

/**
 * Compares sides with the first one.
 * @param notesOf what is to be said of two sides besides
 */
export function compareAll(
  [before, ...others]: readonly Side[],
  options: CompareOptions,
  notesOf: (after: Side) => readonly string[] = () => [],
): Comparison[] {
  if (before === undefined) return [];
  return others.map((after) => {
    const differences = compareSides(before.samples, after.samples, options);
    return {
      before: before.label,
      after: after.label,
      tags: { before: before.tags ?? [], after: after.tags ?? [] },
      differences,
      notes: [...notesOf(after), ...withoutInterval(differences), ...designNotes(before, after)],
    };
  });
}

function withoutInterval(differences: readonly Difference[]): string[] {
  const reasons = Map.groupBy(
    differences.filter(({ remark }) => remark !== undefined),
    ({ remark }) => remark,
  );
  return [...reasons].map(([reason, some]) =>
    `no interval of ${some.map(({ statistic }) => statistic.name).join(", ")}: ${reason}`
  );
}

function designNotes(before: Side, after: Side): string[] {
  if (tookTurns(before.samples, after.samples)) {
    return [`${before.samples.length} blocks a side took turns: drift is not in the intervals`];
  }
  if (before.samples.length > 1 && after.samples.length > 1) return [];
  return [
    "one run a side does not tell how far runs of the same server are apart: with several a side, " +
    "or with profile --ab, the intervals hold for that as well",
  ];
}
