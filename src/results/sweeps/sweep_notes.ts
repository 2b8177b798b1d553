import { type PointSettings, settingsText } from "../../measurement/compare/sweep_comparison.ts";
import { listed, planTexts, unlike } from "../collect/difference_notes.ts";
import { serverDifferences, tagDifferences } from "../collect/plan_differences.ts";
import { type NamedSweeps, type OpenedPoint, type SlimRun, workloadKey } from "./sweep_side.ts";

/** Facts about two sweeps. */
interface SweepPair {
  readonly before: NamedSweeps;
  readonly after: NamedSweeps;
  readonly a: readonly OpenedPoint[];
  readonly b: readonly OpenedPoint[];
  /** Points with equal settings. */
  readonly pairs: readonly (readonly [OpenedPoint, OpenedPoint])[];
  readonly onlyBefore: readonly PointSettings[];
  readonly onlyAfter: readonly PointSettings[];
}

/** Runs from which a point's run-to-run variance is known. */
const MIN_RUNS = 2;

/** Facts needed to read a comparison of sweeps, a sentence each. */
export function sweepNotes(sweeps: SweepPair): string[] {
  const { after, before, onlyAfter, onlyBefore, pairs } = sweeps;
  const runs = [...sweeps.a, ...sweeps.b].flatMap((point) => point.runs);
  return [
    ...partnerless(before.label, onlyBefore),
    ...partnerless(after.label, onlyAfter),
    ...differing(pairs),
    ...workloads(pairs),
    ...partialRuns(sweeps),
    ...incomparable(before.label, sweeps.a),
    ...incomparable(after.label, sweeps.b),
    ...doubts(runs),
    ...runs.flatMap(({ damage, directory }) => damage.map((text) => `${directory}: ${text}`)),
    ...repetition(sweeps),
  ];
}

function partnerless(label: string, points: readonly PointSettings[]): string[] {
  if (points.length === 0) return [];
  return [`only ${label} has ${listed(points.map(settingsText)).join("; ")}`];
}

/** Differences between runs of the same settings, each once. */
function differing(pairs: SweepPair["pairs"]): string[] {
  const firsts = pairs.map(([a, b]) => [a.runs[0] as SlimRun, b.runs[0] as SlimRun] as const);
  const plans = new Set(firsts.flatMap(([a, b]) => planTexts(a, b)));
  const [first] = firsts;
  if (first === undefined) return [];
  const [a, b] = first;
  return [
    ...unlike("plans", [...plans]),
    ...unlike("servers", serverDifferences(a.servers, b.servers)),
    ...unlike("tags", tagDifferences(a.tags, b.tags)),
    ...otherThan("machines", a.machine, b.machine),
    ...otherThan("programs", a.product, b.product),
  ];
}

function otherThan(what: string, a: string | undefined, b: string | undefined): string[] {
  if (a === undefined || b === undefined || a === b) return [];
  return [`the runs are from different ${what}: ${a} and ${b}`];
}

function workloads(pairs: SweepPair["pairs"]): string[] {
  const keys = new Set(pairs.map(([{ settings }]) => workloadKey(settings)));
  return keys.size < 2 ? [] : [
    `the frontiers are over ${keys.size} workloads; points of one load differ in prompts or replies`,
  ];
}

function partialRuns({ after, before }: SweepPair): string[] {
  return [before, after].flatMap(({ sweeps }) =>
    sweeps.flatMap(({ directory, manifest }) =>
      manifest.isComplete ? [] : [`${directory} is partial: not all of its runs are done`]
    )
  );
}

/** Runs of a side that are not comparable with others, in one note. */
function incomparable(label: string, points: readonly OpenedPoint[]): string[] {
  const runs = points.flatMap((point) => point.runs);
  const found = runs.flatMap((run) => run.incomparable ?? []);
  const [first] = found;
  return first === undefined
    ? []
    : [`${label} is not comparable in ${found.length} of ${runs.length} runs: ${first}`];
}

/** Runs whose client may have made a difference itself. */
function doubts(runs: readonly SlimRun[]): string[] {
  const doubtful = runs.filter(({ verdict }) => verdict === "suspect" || verdict === "invalid");
  return doubtful.length === 0
    ? []
    : [`the client may have shifted statistics in ${doubtful.length} of ${runs.length} runs`];
}

function repetition({ a, b }: SweepPair): string[] {
  return [...a, ...b].some(({ runs }) => runs.length >= MIN_RUNS) ? [] : [
    "one run a side and point does not show the run-to-run variance: compare several sweeps a " +
    "side, or use --num-profile-runs 3",
  ];
}
