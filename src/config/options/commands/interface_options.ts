import { CALIBRATION_PLACE } from "./calibrate_options.ts";
import { COUNT } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";

const INTERFACE = "Interface";
const COMPARISON = "Comparison";

/** Options of `inferometer profile` that concern the program and not the run. */
export const INTERFACE_OPTIONS = {
  ab: {
    kind: "texts",
    group: COMPARISON,
    help: "Two servers to measure in alternating blocks and compare",
    value: "url",
    secret: "url",
    words: true,
    excludes: ["url", "slo", "printDenoFlags", "otlp", "mlflowTrackingUri", "textfile"],
    inFile: false,
    example: "--ab node1:8000 node2:8000 --streaming --request-count 1000",
  },
  abBlocks: {
    ...COUNT,
    group: COMPARISON,
    help: "Number of blocks per server; requests and durations are divided among them",
    unit: "blocks",
    min: 2,
    max: 1000,
    needs: ["ab"],
    inFile: false,
    default: 6,
  },
  ui: {
    kind: "text",
    aliases: ["ui-type"],
    group: INTERFACE,
    help: "Progress display: one line on a terminal, lines, a full-screen view, or none",
    value: "kind",
    choices: ["auto", "simple", "dashboard", "none"],
    default: "auto",
    example: "--ui dashboard",
  },
  live: {
    kind: "text",
    group: INTERFACE,
    help: "Serve a live page and Prometheus metrics (/metrics) during the run; requires the " +
      "printed token",
    value: "[host:]port",
    excludes: ["ab"],
    defaultText: "off; without a host, 127.0.0.1",
    example: "--live 9400",
  },
  liveToken: {
    kind: "text",
    group: INTERFACE,
    help: "Fixed token for --live, for a Prometheus configuration; prefer INFEROMETER_LIVE_TOKEN",
    value: "token",
    secret: "value",
    defaultText: "random for each run",
  },
  console: {
    kind: "text",
    group: INTERFACE,
    help: "Terminal report: the result in 80 columns, or AIPerf's tables with all columns",
    value: "style",
    choices: ["compact", "full"],
    default: "compact",
    example: "--console full",
  },
  quiet: {
    kind: "flag",
    group: INTERFACE,
    help: "Print only the diagnosis and validity",
    excludes: ["json", "console"],
    inFile: false,
  },
  json: {
    kind: "flag",
    group: INTERFACE,
    help: "Print one JSON object on standard output instead of the report",
    excludes: ["quiet", "console"],
    inFile: false,
  },
  config: {
    kind: "text",
    short: "f",
    group: INTERFACE,
    help: "YAML file with options",
    value: "file",
    completes: "file",
    inFile: false,
    common: true,
    example: "--config run.yaml",
  },
  calibration: {
    kind: "text",
    group: INTERFACE,
    help: "Capacity file of this machine from inferometer calibrate; none for no file",
    value: "file",
    completes: "file",
    defaultText: CALIBRATION_PLACE,
  },
  dryRun: {
    kind: "flag",
    group: INTERFACE,
    help: "Print the plan and the permissions of each thread; send nothing",
    inFile: false,
    common: true,
  },
  printDenoFlags: {
    kind: "flag",
    group: INTERFACE,
    help: "Print the deno command that sandboxes the run from its start",
    inFile: false,
  },
  insecure: {
    kind: "flag",
    short: "k",
    group: INTERFACE,
    help: "Refused: certificates are always verified",
    inFile: false,
    hidden: true,
  },
} as const satisfies OptionTable;
