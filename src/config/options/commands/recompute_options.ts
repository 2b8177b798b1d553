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
    defaultText: "the run's own",
    example: '--goodput "ttft:100 itl:10"',
  },
  sliceDuration: {
    ...SECONDS,
    group: DEFINITIONS,
    help: "Length of time slices; 0 for none",
    defaultText: "the run's own",
    example: "--slice-duration 5",
  },
  itlDialect: {
    kind: "text",
    group: DEFINITIONS,
    help: "Report the time between tokens of each request as this tool defines it",
    value: "tool",
    choices: ["inferometer", "aiperf", "vllm", "sglang", "guidellm"],
    defaultText: "the run's own",
  },
  itlDialects: {
    kind: "flag",
    group: DEFINITIONS,
    help: PROFILE_OPTIONS.itlDialects.help,
  },
  tokenizer: {
    kind: "text",
    group: DEFINITIONS,
    help: "Count tokens again with this tokenizer: builtin, a tokenizer.json or its folder, or a " +
      "model's name in the local cache; the run must have been made with --export-level raw",
    value: "name",
    completes: "file",
    defaultText: "the run's own",
    example: "--tokenizer ./tokenizer.json",
  },
  from: {
    ...SECONDS,
    group: DEFINITIONS,
    help: "Start of the window, after the start of the profiling phase; rates count inside of it",
    defaultText: "the phase's start",
    example: "--from 10 --to 60",
  },
  to: {
    ...SECONDS,
    group: DEFINITIONS,
    help: "End of the window; latencies are those of requests that start in it",
    exclusive: true,
    defaultText: "the phase's end",
  },
  format: {
    kind: "text",
    group: OUTPUT,
    help: "The files of a run, or the result of vllm bench serve",
    value: "format",
    choices: ["inferometer", "vllm"],
    default: "inferometer",
  },
  artifactDir: {
    kind: "text",
    aliases: ["output"],
    group: OUTPUT,
    help: "Folder for the files",
    value: "folder",
    completes: "folder",
    defaultText: "<folder>-recomputed",
    excludes: ["overwrite"],
  },
  overwrite: {
    kind: "flag",
    group: OUTPUT,
    help: "Replace the files of the run itself; inferometer report makes its own again",
  },
  console: INTERFACE_OPTIONS.console,
  quiet: INTERFACE_OPTIONS.quiet,
  json: INTERFACE_OPTIONS.json,
} as const satisfies OptionTable;
