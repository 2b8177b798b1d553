import type { OptionTable } from "../option.ts";

/** The options of `inferometer version`. */
export const VERSION_OPTIONS = {
  json: {
    kind: "flag",
    group: "Output",
    help: "As JSON",
  },
} as const satisfies OptionTable;
