import { INTERFACE_OPTIONS } from "./interface_options.ts";
import type { OptionTable } from "../option.ts";

const SHARDS = "Shards";

/** The options of `inferometer merge`. */
export const MERGE_OPTIONS = {
  expectShards: {
    kind: "number",
    integer: true,
    group: SHARDS,
    help: "Number of shards that there must be; by default the folders' names say it",
    value: "count",
    min: 1,
    max: 100_000,
    common: true,
    mistakenFor: ["shards", "n"],
    example: "--expect-shards 8",
  },
  allowMissing: {
    kind: "flag",
    group: SHARDS,
    help: "Merge also if shards are missing, broken or cut off: every output then says which",
    common: true,
    mistakenFor: ["partial", "force", "ignore-missing"],
  },
  console: INTERFACE_OPTIONS.console,
  quiet: INTERFACE_OPTIONS.quiet,
  json: INTERFACE_OPTIONS.json,
} as const satisfies OptionTable;
