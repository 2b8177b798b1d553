import { RECORD_METRICS } from "../../../measurement/metrics/record_metrics.ts";
import { nearest } from "../../options/nearest.ts";
import type { Objective } from "../run_plan.ts";
import { UsageError } from "../../options/usage_error.ts";

/** The objective of `--goodput-needs-correct`. */
const GOOD_ANSWER: Objective = { tag: "good_answer", threshold: 1 };

/**
 * Returns what a request must meet to count as good, by `--goodput` and `--goodput-needs-correct`.
 * @param before objectives without `--goodput`
 * @throws {UsageError} see {@linkcode parseObjectives}
 */
export function goodputObjectives(
  { goodput, goodputNeedsCorrect }: {
    readonly goodput?: string | undefined;
    readonly goodputNeedsCorrect?: boolean | undefined;
  },
  before: readonly Objective[] = [],
): readonly Objective[] {
  const objectives = goodput === undefined ? before : parseObjectives(goodput);
  const isThere = objectives.some(({ tag }) => tag === GOOD_ANSWER.tag);
  return goodputNeedsCorrect && !isThere ? [...objectives, GOOD_ANSWER] : objectives;
}

/**
 * Reads `--goodput`: `tag:value` pairs with spaces or commas between, values in the metrics' own
 * units. A tag may be abbreviated as people do (`ttft`, `itl`, `latency`).
 * @throws {UsageError} for a tag that is no metric of a request, or a value that is no number
 */
function parseObjectives(text: string): Objective[] {
  return text.split(/[\s,]+/).filter((pair) => pair !== "").map((pair) => {
    const colon = pair.lastIndexOf(":");
    const name = pair.slice(0, colon).toLowerCase().replaceAll("-", "_");
    const threshold = Number(pair.slice(colon + 1));
    if (colon < 1 || pair.slice(colon + 1) === "" || !Number.isFinite(threshold)) {
      throw new UsageError("--goodput", `Expected metric:value, got "${pair}"`);
    }
    const metric = RECORD_METRICS.find(({ tag, shortTag }) => tag === name || shortTag === name);
    if (metric === undefined) {
      const known = RECORD_METRICS.filter(({ shortTag }) => shortTag !== undefined)
        .map(({ tag, shortTag }) => `${tag} (${shortTag})`).join(", ");
      const names = RECORD_METRICS.flatMap(({ tag, shortTag }) => [tag, shortTag ?? tag]);
      const guess = nearest(name, names);
      const advice = guess === undefined ? "" : `; did you mean ${guess}?`;
      throw new UsageError(
        "--goodput",
        `Unknown metric "${name}": known are ${known}, ...${advice}`,
      );
    }
    if (threshold < 0) throw new UsageError("--goodput", `Must not be negative: got "${pair}"`);
    return { tag: metric.tag, threshold };
  });
}
