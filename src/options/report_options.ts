import { INTERFACE_OPTIONS } from "./interface_options.ts";
import type { OptionTable } from "./option.ts";

/** The options of `inferometer report`. */
export const REPORT_OPTIONS = {
  console: INTERFACE_OPTIONS.console,
} as const satisfies OptionTable;
