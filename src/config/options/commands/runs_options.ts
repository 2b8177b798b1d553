import type { OptionTable } from "../option.ts";

const RUNS = "Runs";

/** The options of `inferometer runs`. */
export const RUNS_OPTIONS = {
  tag: {
    kind: "texts",
    group: RUNS,
    help: "Tag of the runs to list, with or without a value; several must all match",
    value: "name=value",
    common: true,
    mistakenFor: ["tags", "filter", "where"],
    example: "--tag gpu=h100 --tag commit",
  },
  metric: {
    kind: "text",
    group: RUNS,
    help: "Metric to plot across runs, named as in --slo",
    value: "metric.statistic",
    common: true,
    mistakenFor: ["trend", "plot", "m"],
    example: "--metric ttft.p99",
  },
  output: {
    kind: "text",
    short: "o",
    group: RUNS,
    help: "SVG file for the plot",
    value: "file",
    completes: "file",
    needs: ["metric"],
    example: "--metric itl.p50 --output trend.svg",
  },
  json: {
    kind: "flag",
    group: RUNS,
    help: "Print JSON",
  },
} as const satisfies OptionTable;

const BUNDLE = "Bundle";

/** The options of `inferometer bundle`. */
export const BUNDLE_OPTIONS = {
  output: {
    kind: "text",
    short: "o",
    group: BUNDLE,
    help: "Output file",
    value: "file",
    completes: "file",
    common: true,
    defaultText: "<folder>.zip, next to the folder",
    example: "--output run.zip",
  },
  withText: {
    kind: "flag",
    group: BUNDLE,
    help: "Include prompts and replies (inputs.json, raw records)",
    common: true,
  },
  anonymizeHosts: {
    kind: "flag",
    group: BUNDLE,
    help: "Replace host names and addresses with consistent aliases",
    common: true,
    mistakenFor: ["anonymize", "anonymise", "anonymise-hosts"],
  },
} as const satisfies OptionTable;
