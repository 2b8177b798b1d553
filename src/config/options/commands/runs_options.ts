import type { OptionTable } from "../option.ts";

const RUNS = "Runs";

/** The options of `inferometer runs`. */
export const RUNS_OPTIONS = {
  tag: {
    kind: "texts",
    group: RUNS,
    help: "Only runs with this tag, or with any value of it; several must all fit",
    value: "name=value",
    common: true,
    mistakenFor: ["tags", "filter", "where"],
    example: "--tag gpu=h100 --tag commit",
  },
  metric: {
    kind: "text",
    group: RUNS,
    help: "Show this figure over time, named as in --slo",
    value: "metric.statistic",
    common: true,
    mistakenFor: ["trend", "plot", "m"],
    example: "--metric ttft.p99",
  },
  output: {
    kind: "text",
    short: "o",
    group: RUNS,
    help: "File to draw the figure into, as SVG",
    value: "file",
    completes: "file",
    needs: ["metric"],
    example: "--metric itl.p50 --output trend.svg",
  },
  json: {
    kind: "flag",
    group: RUNS,
    help: "As JSON",
  },
} as const satisfies OptionTable;

const BUNDLE = "Bundle";

/** The options of `inferometer bundle`. */
export const BUNDLE_OPTIONS = {
  output: {
    kind: "text",
    short: "o",
    group: BUNDLE,
    help: "The file to write",
    value: "file",
    completes: "file",
    common: true,
    defaultText: "the folder's name and .zip, beside the folder",
    example: "--output run.zip",
  },
  withText: {
    kind: "flag",
    group: BUNDLE,
    help: "Pack prompts and replies, too (inputs.json, raw records)",
    common: true,
  },
  anonymizeHosts: {
    kind: "flag",
    group: BUNDLE,
    help: "Replace names and addresses of hosts, each by the same one everywhere",
    common: true,
    mistakenFor: ["anonymize", "anonymise", "anonymise-hosts"],
  },
} as const satisfies OptionTable;
