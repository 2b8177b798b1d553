import type { OptionTable } from "./option.ts";

const INTERFACE = "Interface";

/** Options of `inferometer profile` that are about the program and not about the run. */
export const INTERFACE_OPTIONS = {
  ui: {
    kind: "text",
    aliases: ["ui-type"],
    group: INTERFACE,
    help: "How progress is shown",
    value: "kind",
    choices: ["auto", "simple", "none"],
    synonyms: { "dashboard": "simple" },
    default: "auto",
  },
  console: {
    kind: "text",
    group: INTERFACE,
    help: "Report on the screen: the answer in 80 columns, or AIPerf's tables with all columns",
    value: "style",
    choices: ["compact", "full"],
    default: "compact",
    example: "--console full",
  },
  config: {
    kind: "text",
    short: "f",
    group: INTERFACE,
    help: "Options from a YAML file",
    value: "file",
    completes: "file",
    inFile: false,
    common: true,
    example: "--config run.yaml",
  },
  dryRun: {
    kind: "flag",
    group: INTERFACE,
    help: "Print the plan and each thread's permissions, send nothing",
    inFile: false,
    common: true,
  },
  printDenoFlags: {
    kind: "flag",
    group: INTERFACE,
    help: "Print the deno command that confines the run from its start",
    inFile: false,
  },
  insecure: {
    kind: "flag",
    short: "k",
    group: INTERFACE,
    help: "Refused: certificates are always checked",
    inFile: false,
    hidden: true,
  },
} as const satisfies OptionTable;
