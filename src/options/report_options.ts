import type { OptionTable } from "./option.ts";

/** The options of `inferometer report`. */
export const REPORT_OPTIONS = {
  open: {
    kind: "flag",
    group: "Output",
    help: "Open the page in the browser",
  },
} as const satisfies OptionTable;
