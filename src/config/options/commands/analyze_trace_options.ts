import type { OptionTable } from "../option.ts";
import { PROFILE_OPTIONS } from "../profile/profile_options.ts";

const ANALYSIS = "Analysis";

/** The options of `inferometer analyze-trace`. */
export const ANALYZE_TRACE_OPTIONS = {
  customDatasetType: {
    kind: "text",
    group: ANALYSIS,
    help: "Format of the file",
    value: "type",
    choices: PROFILE_OPTIONS.customDatasetType.choices,
    common: true,
    mistakenFor: ["format", "type"],
    defaultText: "detected from the first record",
  },
  blockSize: {
    kind: "number",
    aliases: ["isl-block-size"],
    group: ANALYSIS,
    help: "Tokens per block of the hash_ids",
    value: "tokens",
    unit: "tokens",
    min: 1,
    max: 10_000_000,
    integer: true,
    common: true,
    defaultText: "512 for mooncake-trace, 16 for bailian-trace",
    example: "--block-size 256",
  },
  cacheTokens: {
    kind: "texts",
    group: ANALYSIS,
    help: "Prefix cache sizes, in tokens, to compute hit rates for",
    value: "tokens",
    words: true,
    common: true,
    mistakenFor: ["cache-size", "cache-sizes"],
    default: ["100000", "1000000", "10000000"],
    example: "--cache-tokens 500000,2000000",
  },
  output: {
    kind: "text",
    aliases: ["output-file"],
    short: "o",
    group: ANALYSIS,
    help: "JSON file to write",
    value: "file",
    completes: "file",
    common: true,
    defaultText: "none",
    example: "--output trace.json",
  },
  picture: {
    kind: "text",
    group: ANALYSIS,
    help: "SVG file to draw",
    value: "file",
    completes: "file",
    common: true,
    mistakenFor: ["plot", "svg", "chart"],
    defaultText: "none",
    example: "--picture trace.svg",
  },
} as const satisfies OptionTable;
