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
  verifyTasks: {
    kind: "texts",
    group: METRICS,
    help:
      "Prompts of about --isl tokens with known answers: arithmetic, copy, lookup; bare for all",
    value: "kinds",
    words: true,
    choices: ["all", "arithmetic", "copy", "lookup"],
    mayBeBare: true,
    bareValue: "all",
    excludes: [
      ...["inputFile", "publicDataset", "promptCorpus", "numPrefixPrompts", "prefixPromptLength"],
      ...["userContextPromptLength", "promptBatchSize"],
    ],
    example: "--verify-tasks arithmetic,lookup --isl 2000",
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
