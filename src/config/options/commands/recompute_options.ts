import { SECONDS } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";
import { INTERFACE_OPTIONS } from "./interface_options.ts";
import { PROFILE_OPTIONS } from "../profile/profile_options.ts";

const DEFINITIONS = "Definitions";
const OUTPUT = "Output";

/** The options of `inferometer recompute`. */
export const RECOMPUTE_OPTIONS = {
  goodput: {
    ...PROFILE_OPTIONS.goodput,
    group: DEFINITIONS,
    defaultText: "the value of the run",
    example: '--goodput "ttft:100 itl:10"',
  },
  goodputNeedsCorrect: { ...PROFILE_OPTIONS.goodputNeedsCorrect, group: DEFINITIONS },
  sliceDuration: {
    ...SECONDS,
    group: DEFINITIONS,
    help: "Length of time slices; 0 for none",
    defaultText: "the value of the run",
    example: "--slice-duration 5",
  },
  itlDialect: {
    kind: "text",
    group: DEFINITIONS,
    help: "Definition of ITL per request, by tool",
    value: "tool",
    choices: ["inferometer", "aiperf", "vllm", "sglang", "guidellm"],
    defaultText: "the definition of the run",
  },
  itlDialects: {
    kind: "flag",
    group: DEFINITIONS,
    help: PROFILE_OPTIONS.itlDialects.help,
  },
  tokenizer: {
    kind: "text",
    group: DEFINITIONS,
    help: "Tokenizer to count tokens with: builtin, a tokenizer.json or its folder, or a cached " +
      "model; requires --export-level raw",
    value: "name",
    completes: "file",
    defaultText: "the counts of the run",
    example: "--tokenizer ./tokenizer.json",
  },
  from: {
    ...SECONDS,
    group: DEFINITIONS,
    help: "Start of the window, from the start of the profiling phase; applies to rates",
    defaultText: "the start of the phase",
    example: "--from 10 --to 60",
  },
  to: {
    ...SECONDS,
    group: DEFINITIONS,
    help: "End of the window; latencies are those of requests that start in it",
    exclusive: true,
    defaultText: "the end of the phase",
  },
  format: {
    kind: "text",
    group: OUTPUT,
    help: "Output format: the files of a run, or the result file of vllm bench serve",
    value: "format",
    choices: ["inferometer", "vllm"],
    default: "inferometer",
  },
  artifactDir: {
    kind: "text",
    aliases: ["output"],
    group: OUTPUT,
    help: "Output folder",
    value: "folder",
    completes: "folder",
    defaultText: "<folder>-recomputed",
    excludes: ["overwrite"],
  },
  overwrite: {
    kind: "flag",
    group: OUTPUT,
    help: "Replace the files of the run; inferometer report restores them",
  },
  console: INTERFACE_OPTIONS.console,
  quiet: INTERFACE_OPTIONS.quiet,
  json: INTERFACE_OPTIONS.json,
} as const satisfies OptionTable;
