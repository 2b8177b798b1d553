import { type CompareOptions, compareSides, tookTurns } from "./compare_sides.ts";
import { comparableDifferences } from "./comparable_differences.ts";
import type { Difference } from "./difference.ts";
import { areRunsCompared } from "./difference_uncertainty.ts";
import { type QuietDifference, quietDifference } from "./quiet_difference.ts";
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
  /** Part of each run that is compared: its steady state or all of it. */
  readonly window: "steady" | "run";
  /** Whether the intervals are of the variance between runs instead of blocks of requests. */
  readonly areRunsCompared: boolean;
  /** Whether all runs of both sides did the same work, as far as that is known. */
  readonly isComparable: boolean;
  readonly differences: readonly Difference[];
  /** Answers without load; undefined if the samples of --verify drift have no prompt in common. */
  readonly quiet: QuietDifference | undefined;
  /** Notes for the reader, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * Compares sides with the first one.
 * @param notesOf returns additional notes on two sides
 */
export function compareAll(
  [before, ...others]: readonly Side[],
  { isComparable = true, window = "run", ...options }:
    & CompareOptions
    & Partial<Pick<Comparison, "isComparable" | "window">>,
  notesOf: (after: Side) => readonly string[] = () => [],
): Comparison[] {
  if (before === undefined) return [];
  return others.map((after) => {
    const differences = comparableDifferences(
      compareSides(before.samples, after.samples, options),
      isComparable,
    );
    return {
      before: before.label,
      after: after.label,
      tags: { before: before.tags ?? [], after: after.tags ?? [] },
      ...{ window, areRunsCompared: areRunsCompared(before.samples, after.samples) },
      isComparable,
      differences,
      quiet: quietDifference(before.samples, after.samples),
      notes: [
        ...notesOf(after),
        ...withoutInterval(differences),
        ...pairNotes(differences),
        ...designNotes(before, after),
      ],
    };
  });
}

function withoutInterval(differences: readonly Difference[]): string[] {
  const reasons = Map.groupBy(
    differences.filter(({ remark }) => remark !== undefined),
    ({ remark }) => remark,
  );
  return [...reasons].map(([reason, some]) =>
    `no confidence interval for ${
      some.map(({ statistic }) => statistic.name).join(", ")
    }: ${reason}`
  );
}

/** Which differences are of pairs of equal prompts, and of equal sessions. */
function pairNotes(differences: readonly Difference[]): string[] {
  const isOfSessions = ({ statistic: { kind } }: Difference): boolean =>
    kind === "sessions" || kind === "session_shares";
  return [
    ...notesOn(differences.filter(isOfSessions), {
      by: "by source, pass and start of the session",
      unlike: "the sessions of both sides differ, so these are not paired",
    }),
    ...notesOn(differences.filter((one) => !isOfSessions(one)), {
      by: "by prompt",
      unlike: "the prompts of both sides differ, so these are not paired",
    }),
  ];
}

function notesOn(
  differences: readonly Difference[],
  words: { readonly by: string; readonly unlike: string },
): string[] {
  const shares = differences.filter(({ pairs }) => pairs !== undefined);
  const paired = shares.filter(({ pairs }) => pairs !== 0);
  const unpaired = shares.filter(({ pairs }) => pairs === 0);
  const names = (some: readonly Difference[]) =>
    some.map(({ statistic }) => statistic.name).join(", ");
  return [
    ...(paired.length === 0 ? [] : [
      `paired ${words.by}: ${
        paired.map(({ pairs, statistic }) => `${statistic.name} (${pairs} pairs)`).join(", ")
      }`,
    ]),
    ...(unpaired.length === 0 ? [] : [
      `${words.unlike}: ${names(unpaired)}; use one ` +
      "--random-seed or input file",
    ]),
  ];
}

function designNotes(before: Side, after: Side): string[] {
  if (tookTurns(before.samples, after.samples)) {
    return [`${before.samples.length} blocks a side took turns: drift is not in the intervals`];
  }
  if (areRunsCompared(before.samples, after.samples)) {
    const [a, b] = [before.samples.length, after.samples.length];
    return [`confidence intervals are from the run-to-run variance of ${a} and ${b} runs`];
  }
  if (before.samples.length > 1 && after.samples.length > 1) return [];
  return [
    "one run per side: run-to-run variance is unknown; use several runs per side, or profile --ab",
  ];
}
