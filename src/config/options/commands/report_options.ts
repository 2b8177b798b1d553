import { INTERFACE_OPTIONS } from "./interface_options.ts";
import type { OptionTable } from "../option.ts";

/** The options of `inferometer report`. */
export const REPORT_OPTIONS = {
  open: {
    kind: "flag",
    group: "Output",
    help: "Open the report in a browser; executables print its path instead",
  },
  console: INTERFACE_OPTIONS.console,
  quiet: INTERFACE_OPTIONS.quiet,
  json: INTERFACE_OPTIONS.json,
} as const satisfies OptionTable;
