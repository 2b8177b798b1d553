import { canonicalJson } from "../../core/files/canonical_json.ts";

type Json = Readonly<Record<string, unknown>>;

/** Settings of a dataset that do not decide what prompts say. */
const IGNORED = new Set(["name", "path", "sampling"]);

/**
 * Text that runs with equal prompts have in common. Prompts of files are recognized by their rows and
 * lengths, generated ones also by the seed.
 * @param settings of the run, under AIPerf's names
 * @param numbering what the numbers of prompts count
 */
export function answerWorkload(settings: Json, numbering: "entry" | "name"): string {
  const datasets = (Array.isArray(settings["datasets"]) ? settings["datasets"] : []) as Json[];
  const shown = datasets.map((dataset) =>
    Object.fromEntries(
      Object.entries(dataset)
        .filter(([name]) => !IGNORED.has(name))
        .filter(([name]) => dataset["type"] === "synthetic" || name !== "random_seed"),
    )
  );
  return canonicalJson([numbering, shown]);
}
