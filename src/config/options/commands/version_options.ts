import type { OptionTable } from "../option.ts";

/** The options of `inferometer version`. */
export const VERSION_OPTIONS = {
  json: {
    kind: "flag",
    group: "Output",
    help: "Print JSON",
  },
} as const satisfies OptionTable;
