/** The finding of a comparison of two frontiers, as sentences computed from its steps. */

import type { Verdict } from "./difference.ts";
import type { FrontierStep, SpeedRange } from "./frontier_difference.ts";
import { stepVerdict, type SweepComparison } from "./sweep_comparison.ts";

/** See the module's comment. */
export interface FrontierFinding {
  /** One sentence, without a final period. */
  readonly text: string;
  /** Crossings, and speeds at which nothing is significant; empty for nothing. */
  readonly cause: string;
}

/** Consecutive steps with one verdict. */
interface Stretch {
  readonly verdict: Verdict;
  readonly steps: readonly FrontierStep[];
}

const UNIT = "tokens/s/user";
/** Ratio from which a gain is not in percent. */
const LARGE_RATIO = 2;

/** Describes which side serves more, and at which speeds that is significant. */
export function frontierFinding(comparison: SweepComparison): FrontierFinding {
  const { after, before, frontier: { steps } } = comparison;
  const [first] = steps;
  const last = steps.at(-1);
  if (first === undefined || last === undefined) {
    return { text: withoutSteps(comparison), cause: "" };
  }
  const reach = reachText(comparison);
  const range = rangeText([first.speed, last.speed]);
  if (steps.every(({ lower }) => Number.isNaN(lower))) {
    return {
      text: `The frontiers differ by ${spanText(steps)} at ${range} ${UNIT}, without intervals`,
      cause: ["too few requests for intervals", ...reach].join("; "),
    };
  }
  const stretches = stretchesOf(steps, comparison);
  const significant = stretches.filter(({ verdict }) => verdict !== "not significant");
  const rest = stretches.filter(({ verdict }) => verdict === "not significant");
  if (significant.some(({ verdict }) => verdict === "not comparable")) {
    return {
      text: `${before} and ${after} are not comparable at ${range} ${UNIT}`,
      cause: [`measured difference ${spanText(steps)}`, ...reach].join("; "),
    };
  }
  if (significant.length === 0) {
    return {
      text: `No significant difference between ${before} and ${after} at ${range} ${UNIT}`,
      cause: [`measured difference ${spanText(steps)}`, ...reach].join("; "),
    };
  }
  const clauses = sideClauses(
    comparison,
    significant,
    "serves",
    ({ steps, verdict }) => `${gainText(steps, verdict)} at ${stretchText(steps)}`,
  );
  return {
    text: `${clauses.join(", ")} ${UNIT}`,
    cause: [
      ...crossings(steps),
      ...(rest.length === 0
        ? []
        : [`not significant at ${rest.map(({ steps }) => stretchText(steps)).join(" and ")}`]),
      ...reach,
    ].join("; "),
  };
}

/** Speeds at which a side is significantly ahead, as a title. */
export function leadText(comparison: SweepComparison): string {
  const stretches = stretchesOf(comparison.frontier.steps, comparison);
  const leads = sideClauses(
    comparison,
    stretches,
    "is ahead at",
    ({ steps }) => stretchText(steps),
  );
  if (stretches.some(({ verdict }) => verdict === "not comparable")) {
    return "The sweeps are not comparable at equal speed";
  }
  return leads.length === 0
    ? "No difference at equal speed is significant"
    : `${leads.join(", ")} ${UNIT}`;
}

/** A clause for each side that is significantly ahead, with a text for each of its speeds. */
function sideClauses(
  { after, before }: SweepComparison,
  stretches: readonly Stretch[],
  verb: string,
  textOf: (stretch: Stretch) => string,
): string[] {
  return (["worse", "better"] as const).flatMap((wanted) => {
    const texts = stretches.filter(({ verdict }) => verdict === wanted).map(textOf);
    const side = wanted === "better" ? after : before;
    return texts.length === 0 ? [] : [`${side} ${verb} ${texts.join(" and ")}`];
  });
}

function withoutSteps({ after, before, frontier: { ranges }, sides }: SweepComparison): string {
  const { before: a, after: b } = ranges;
  if (a === undefined || b === undefined) {
    const name = a === undefined ? before : after;
    const points = a === undefined ? sides.before : sides.after;
    return points.length === 0
      ? `${name} has no point with a workload that both sweeps have`
      : `${name} has no ${UNIT}: its replies were not streamed, or none succeeded`;
  }
  return `No speed that both reach: ${before} has ${rangeText(a)}, ${after} ${
    rangeText(b)
  } ${UNIT}`;
}

/** Speeds that only one side reaches. */
function reachText({ after, before, frontier: { ranges } }: SweepComparison): string[] {
  const { before: a, after: b } = ranges;
  if (a === undefined || b === undefined || a[1] === b[1]) return [];
  const [name, other] = a[1] > b[1] ? [before, b] : [after, a];
  return [`only ${name} goes above ${speedText(other[1])}`];
}

function stretchesOf(
  steps: readonly FrontierStep[],
  comparison: Parameters<typeof stepVerdict>[1],
): Stretch[] {
  const found: { verdict: Verdict; steps: FrontierStep[] }[] = [];
  for (const step of steps) {
    const verdict = stepVerdict(step, comparison);
    const last = found.at(-1);
    if (last?.verdict === verdict) last.steps.push(step);
    else found.push({ verdict, steps: [step] });
  }
  return found;
}

/** Speeds at which the measured curves cross. */
function crossings(steps: readonly FrontierStep[]): string[] {
  const found = steps.slice(1).flatMap((step, index) => {
    const before = steps[index] as FrontierStep;
    if (before.difference === 0 || before.difference * step.difference >= 0) return [];
    const share = before.difference / (before.difference - step.difference);
    return [before.speed + share * (step.speed - before.speed)];
  });
  return found.length === 0 ? [] : [`the frontiers cross at ${found.map(speedText).join(" and ")}`];
}

/** How much the better side serves, of the other: `12 to 30 % more`, or `1.4 to 3.2 times as much`. */
function gainText(steps: readonly FrontierStep[], verdict: Verdict): string {
  const ratios = steps.map(({ after, before }) =>
    verdict === "better" ? after / before : before / after
  );
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  const between = (text: (ratio: number) => string): string =>
    text(least) === text(most) ? text(most) : `${text(least)} to ${text(most)}`;
  return most < LARGE_RATIO
    ? `${between((ratio) => percentText(ratio - 1))} % more`
    : `${between((ratio) => ratio.toPrecision(2))} times as much`;
}

function spanText(steps: readonly FrontierStep[]): string {
  const all = steps.map(({ difference }) => difference);
  const [least, most] = [Math.min(...all), Math.max(...all)].map((share) =>
    `${share > 0 ? "+" : ""}${percentText(share)}`
  );
  return least === most ? `${least} %` : `${least} to ${most} %`;
}

function percentText(share: number): string {
  return (share * 100).toFixed(Math.abs(share) < 0.1 ? 1 : 0);
}

function stretchText(steps: readonly FrontierStep[]): string {
  return rangeText([steps[0]?.speed as number, steps.at(-1)?.speed as number]);
}

function rangeText([from, to]: SpeedRange): string {
  const [a, b] = [speedText(from), speedText(to)];
  return a === b ? a : `${a} to ${b}`;
}

/** A speed with three significant digits. */
export function speedText(speed: number): string {
  return speed >= 100 ? speed.toFixed(0) : speed.toPrecision(3);
}
