import type { OptionTable } from "../option.ts";

const OUTPUT = "Output";

/** The options of `inferometer profile` about its files and what they tell. */
export const OUTPUT_OPTIONS = {
  artifactDir: {
    kind: "text",
    aliases: ["output-artifact-dir"],
    group: OUTPUT,
    help: "Folder for the result files; a finished run in one that is named here is replaced; " +
      "beside one that holds anything else, and beside the default, a numbered folder is created",
    value: "folder",
    completes: "folder",
    common: true,
    mistakenFor: ["o", "output", "output-dir", "out", "result-dir"],
    defaultText: "artifacts/<model>-<endpoint>-<load>",
    example: "--artifact-dir results/run1",
  },
  profileExportPrefix: {
    kind: "text",
    aliases: ["profile-export-file"],
    group: OUTPUT,
    help: "Prefix of the files' names",
    value: "name",
    defaultText: "profile_export",
    example: "--profile-export-prefix baseline",
  },
  exportLevel: {
    kind: "text",
    aliases: ["profile-export-level"],
    group: OUTPUT,
    help: "Summaries only, one line per request too, or full requests and replies too",
    value: "level",
    choices: ["summary", "records", "raw"],
    default: "records",
    example: "--export-level raw",
  },
  noRecords: {
    kind: "flag",
    group: OUTPUT,
    help: "Do not keep the records in run/, which inferometer report needs to recreate the results",
    excludes: ["otlp"],
  },
  noCanaries: {
    kind: "flag",
    group: OUTPUT,
    help: "Do not measure the client's own error with canary streams over loopback",
  },
  canaryPort: {
    kind: "number",
    group: OUTPUT,
    help: "Port of 127.0.0.1 that carries the canary streams",
    value: "port",
    unit: "port",
    min: 1,
    max: 65_535,
    integer: true,
    defaultText: "one that is free",
    excludes: ["noCanaries"],
  },
  requireValid: {
    kind: "flag",
    group: OUTPUT,
    help: "Exit with 3 unless the client's own error is so small that the run counts as valid",
    excludes: ["noCanaries"],
  },
  noReport: {
    kind: "flag",
    group: OUTPUT,
    help: "Do not write report.html, the results as a page with pictures",
  },
  exportHttpTrace: {
    kind: "flag",
    group: OUTPUT,
    help: "Add the HTTP phase times of each request to its line",
  },
  showTraceTiming: {
    kind: "flag",
    group: OUTPUT,
    help: "Show a table of HTTP timings",
  },
  itlDialects: {
    kind: "flag",
    group: OUTPUT,
    help: "Add a table of the time between tokens as AIPerf, vLLM, SGLang, GuideLLM define it",
    needs: ["streaming"],
  },
  tag: {
    kind: "texts",
    group: OUTPUT,
    help: "Label of the run, written into its results; inferometer runs looks for it",
    value: "name=value",
    mistakenFor: ["tags", "metadata", "labels"],
    example: "--tag commit=1a2b3c --tag gpu=h100",
  },
  noServerInfo: {
    kind: "flag",
    group: OUTPUT,
    help: "Do not ask the servers for version and configuration before the run",
  },
  keep: {
    kind: "flag",
    group: OUTPUT,
    help: "Keep a finished run: write to a numbered folder beside it",
    excludes: ["overwrite"],
  },
  overwrite: {
    kind: "flag",
    group: OUTPUT,
    help: "Write into the folder even if it is not empty",
  },
} as const satisfies OptionTable;
