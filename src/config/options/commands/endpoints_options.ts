import type { OptionTable } from "../option.ts";

/** The options of `inferometer endpoints`. */
export const ENDPOINTS_OPTIONS = {
  json: {
    kind: "flag",
    group: "Endpoints",
    help: "Print JSON",
  },
} as const satisfies OptionTable;
