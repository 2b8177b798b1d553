import { INTERFACE_OPTIONS } from "./interface_options.ts";
import type { OptionTable } from "../option.ts";

const SHARDS = "Shards";

/** The options of `inferometer merge`. */
export const MERGE_OPTIONS = {
  expectShards: {
    kind: "number",
    integer: true,
    group: SHARDS,
    help: "Number of shards required; detected from the folder names by default",
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
    help: "Merge even if shards are missing, damaged or truncated; every output then lists them",
    common: true,
    mistakenFor: ["partial", "force", "ignore-missing"],
  },
  console: INTERFACE_OPTIONS.console,
  quiet: INTERFACE_OPTIONS.quiet,
  json: INTERFACE_OPTIONS.json,
} as const satisfies OptionTable;
