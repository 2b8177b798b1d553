import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { ServerTruth } from "./server_truth.ts";

/** Objects of a body in which APIs have the temperature. */
const SAMPLING_FIELDS = ["sampling_params", "parameters", "options"];

/**
 * A sentence where prompts make the acceptance of drafts meaningless: after a generated prompt, the
 * most probable tokens repeat themselves or look random, and drafts are accepted far more or far less
 * often than after real prompts.
 */
export function acceptanceNote(
  { body, dataset }: Pick<RunPlan, "body" | "dataset">,
  { speculation: { values } }: Pick<ServerTruth, "speculation">,
): string | undefined {
  if (values.acceptance_rate === null && values.acceptance_length === null) return undefined;
  const temperature = temperatureIn(body.extraInputs);
  if (dataset.source !== "synthetic" || (temperature ?? 0) > 0) return undefined;
  const set = temperature === undefined ? "without a temperature" : "at temperature 0";
  return `The acceptance of drafts is that of generated prompts ${set}: it can be far from that of ` +
    "real prompts, and ITL and throughput with it; use --input-file or --public-dataset";
}

function temperatureIn(inputs: Readonly<Record<string, unknown>>): number | undefined {
  const found = [inputs, ...SAMPLING_FIELDS.map((name) => inputs[name])]
    .map((fields) => (fields as { readonly temperature?: unknown } | null | undefined)?.temperature)
    .find((value) => typeof value === "number");
  return found as number | undefined;
}
