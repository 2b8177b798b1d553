import { COUNT } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";
import { METRICS } from "./server_metrics_options.ts";

/** Options of a benchmark for checks of answers. */
export const VERIFY_OPTIONS = {
  verify: {
    kind: "texts",
    group: METRICS,
    help:
      "Checks of answers: drift (a sample with and without load), answers (expected ones of rows)",
    value: "checks",
    words: true,
    mistakenFor: ["verify-answers", "check-answers", "correctness"],
    example: "--verify drift,answers",
  },
  verifySample: {
    ...COUNT,
    group: METRICS,
    help: "Prompts of --verify drift",
    unit: "prompts",
    max: 10_000,
    default: 32,
    needs: ["verify"],
  },
} as const satisfies OptionTable;
