import type { OptionTable } from "../option.ts";

const INPUT = "Input";
const OUTPUT = "Output";

/** The options of `inferometer import`. */
export const IMPORT_OPTIONS = {
  from: {
    kind: "text",
    group: INPUT,
    help: "The tool that wrote it",
    value: "tool",
    choices: ["aiperf", "vllm", "sglang", "guidellm"],
    defaultText: "found out from its content",
  },
  artifactDir: {
    kind: "text",
    aliases: ["output"],
    group: OUTPUT,
    help: "Folder for the run; several runs in one file get a folder each in it",
    value: "folder",
    completes: "folder",
    defaultText: "artifacts/imported-<tool>-<name>",
  },
  overwrite: {
    kind: "flag",
    group: OUTPUT,
    help: "Write into the folder even if it is not empty",
  },
} as const satisfies OptionTable;
