import type { RunTag } from "../../config/plan/run_plan.ts";

/**
 * The tags of a run as labels of a Prometheus metric: `tag_commit`. What a label's name cannot have
 * becomes a low line; of two tags that then have one name, the later one gets a number.
 */
export function tagLabels(tags: readonly RunTag[]): Readonly<Record<string, string>> {
  const labels = new Map<string, string>();
  for (const [name, value] of tags) {
    const label = `tag_${name.replace(/[^A-Za-z0-9_]/g, "_")}`;
    let free = label;
    for (let number = 2; labels.has(free); number++) free = `${label}_${number}`;
    labels.set(free, value);
  }
  return Object.fromEntries(labels);
}
