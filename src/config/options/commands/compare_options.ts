import type { OptionTable } from "../option.ts";
import { PERCENT } from "../number_rows.ts";
import { PROFILE_OPTIONS } from "../profile/profile_options.ts";

const COMPARISON = "Comparison";
const GATES = "Gates";

/** The options of `inferometer compare`. */
export const COMPARE_OPTIONS = {
  label: {
    kind: "texts",
    group: COMPARISON,
    help: "Name of each run, in order; runs with the same name are pooled",
    value: "name",
    common: true,
    mistakenFor: ["labels", "name", "names"],
    defaultText: "the folder names",
    example: "--label old new",
  },
  minDifference: {
    ...PERCENT,
    group: COMPARISON,
    help: "Difference treated as negligible even if significant",
    max: 100,
    default: 1,
    common: true,
    mistakenFor: ["threshold", "noise"],
    example: "--min-difference 2%",
  },
  window: {
    kind: "text",
    group: COMPARISON,
    help: "Part of each run that is compared; run if any has no steady state",
    value: "steady|run",
    choices: ["steady", "run"],
    default: "steady",
  },
  outputDir: {
    kind: "text",
    group: COMPARISON,
    help: "Folder for compare.html, comparison.json and comparison.md",
    value: "folder",
    completes: "folder",
    common: true,
    mistakenFor: ["artifact-dir", "output", "o"],
    defaultText: "none: nothing is written",
  },
} as const satisfies OptionTable;

/** The options of `inferometer gate`. */
export const GATE_OPTIONS = {
  slo: {
    ...PROFILE_OPTIONS.slo,
    group: GATES,
    help: "Objectives on client and server metrics",
  },
  baseline: {
    kind: "text",
    group: GATES,
    help: "Baseline run; several with commas",
    value: "folder",
    completes: "folder",
    common: true,
    needs: ["maxRegression"],
    example: "--baseline artifacts/main --max-regression 5%",
  },
  maxRegression: {
    kind: "text",
    group: GATES,
    help:
      "Maximum regression from --baseline; missed if the whole 95 % confidence interval exceeds it",
    value: "percent",
    common: true,
    needs: ["baseline"],
    mistakenFor: ["regression", "tolerance"],
    example: "--baseline artifacts/main --max-regression 5%",
  },
  requireValid: {
    kind: "text",
    group: GATES,
    help: "Exit with 3 unless these statistics are valid; without names, those of --slo, else p50",
    value: "names",
    bareValue: "judged",
    common: true,
    example: "--require-valid=ttft.p99,itl.p50",
  },
  allowDamaged: {
    kind: "flag",
    group: GATES,
    help: "Evaluate damaged or partial runs by their remaining records, instead of exiting with 1",
    mistakenFor: ["allow-partial", "allow-incomplete", "force"],
  },
  inconclusive: {
    kind: "text",
    group: GATES,
    help: "Handling of an inconclusive objective: pass, or fail with exit code 3",
    value: "pass|fail",
    choices: ["pass", "fail"],
    default: "pass",
  },
  window: {
    kind: "text",
    group: GATES,
    help: "Part of the run that is evaluated",
    value: "steady|run",
    choices: ["steady", "run"],
    default: "steady",
  },
  outputDir: {
    kind: "text",
    group: GATES,
    help: "Folder for gate.json, gate.md and junit.xml",
    value: "folder",
    completes: "folder",
    common: true,
    mistakenFor: ["artifact-dir", "output", "o"],
    defaultText: "the folder gate in the run folder",
  },
} as const satisfies OptionTable;
