import type { OptionTable } from "../option.ts";

const INPUT = "Input";
const OUTPUT = "Output";

/** The options of `inferometer import`. */
export const IMPORT_OPTIONS = {
  from: {
    kind: "text",
    group: INPUT,
    help: "Tool that wrote the file",
    value: "tool",
    choices: ["aiperf", "vllm", "sglang", "guidellm"],
    defaultText: "detected from the content",
  },
  artifactDir: {
    kind: "text",
    aliases: ["output"],
    group: OUTPUT,
    help: "Folder for the run; several runs in one file get a subfolder each",
    value: "folder",
    completes: "folder",
    defaultText: "artifacts/imported-<tool>-<name>",
  },
  overwrite: {
    kind: "flag",
    group: OUTPUT,
    help: "Write to the folder even if it is not empty",
  },
} as const satisfies OptionTable;
