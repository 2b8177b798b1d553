import type { OptionTable } from "../option.ts";

const INPUT = "Input";

/** The options of `inferometer profile` about an input file. */
export const INPUT_FILE_OPTIONS = {
  inputFile: {
    kind: "text",
    group: INPUT,
    help: "File with prompts, conversations or a trace (formats: --custom-dataset-type); - for " +
      "standard input",
    value: "file",
    completes: "file",
    excludes: ["isl", "islStddev", "numDatasetEntries", "numPrompts"],
    common: true,
    mistakenFor: ["dataset", "dataset-path", "data", "prompts", "file"],
    example: "--input-file prompts.jsonl",
  },
  allowFiles: {
    kind: "texts",
    group: INPUT,
    help: "Additional folders whose files the input file may reference",
    value: "folder",
    completes: "folder",
    needs: ["inputFile"],
    example: "--input-file prompts.jsonl --allow-files /data/images",
  },
} as const satisfies OptionTable;
