import type { OptionTable } from "../option.ts";
import { PROFILE_OPTIONS } from "../profile/profile_options.ts";
import { SYSTEM_OPTIONS } from "../profile/system_options.ts";

const { otlpStream: _, otlpInterval: __, ...AFTERWARDS } = SYSTEM_OPTIONS;

/** The options of `inferometer export`. */
export const EXPORT_OPTIONS = {
  ...AFTERWARDS,
  caCert: PROFILE_OPTIONS.caCert,
} as const satisfies OptionTable;
