import type { OptionTable } from "../option.ts";

/** The options of `inferometer version`. */
export const VERSION_OPTIONS = {
  json: {
    kind: "flag",
    group: "Output",
    help: "Print JSON",
  },
  licenses: {
    kind: "flag",
    group: "Output",
    help: "Print the licenses of the packages and data in the program",
  },
} as const satisfies OptionTable;
