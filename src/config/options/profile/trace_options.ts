import { COUNT, TOKENS } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";

const INPUT = "Input";
const TRACES = "Traces";

/** A factor of times or lengths. */
const FACTOR = { kind: "number", value: "factor", min: 0, max: 1_000_000 } as const;

/** A time on the clock of a trace. */
const TRACE_TIME = {
  kind: "number",
  value: "ms",
  unit: "milliseconds",
  min: 0,
  max: 1e15,
  integer: true,
  needs: ["inputFile"],
} as const;

/** Why traces of agents are not taken. */
const AGENTS = "Traces of agents, with their branches and subagents, are not replayed";

/** The options of `inferometer profile` about formats of input files: traces, their times and lengths. */
export const TRACE_OPTIONS = {
  customDatasetType: {
    kind: "text",
    group: INPUT,
    help: "Format of the input file",
    value: "type",
    choices: [
      ...["single-turn", "multi-turn", "random-pool", "mooncake-trace", "bailian-trace"],
      ...["burst-gpt-trace", "sharegpt", "custom", "openai-batch", "raw-payload", "inputs-json"],
    ],
    refusedValues: {
      "dag-jsonl": AGENTS,
      "weka-trace": AGENTS,
      "tracelab": AGENTS,
      "baseten-trace": "Is not read: convert it to mooncake-trace",
      "sagemaker-data-capture":
        "Is not read: its messages can be given as openai-batch or mooncake-trace",
      "speed-bench": "Is not read: its messages can be given as turns of multi-turn",
    },
    needs: ["inputFile"],
    mistakenFor: ["dataset-name", "dataset-type", "trace-type", "format"],
    defaultText: "told by its first record, and printed",
    example: "--input-file trace.jsonl --custom-dataset-type mooncake-trace",
  },
  islBlockSize: {
    ...TOKENS,
    aliases: ["prompt-input-tokens-block-size", "synthetic-input-tokens-block-size"],
    group: TRACES,
    help: "Tokens of a block that one of a trace's hash_ids stands for",
    needs: ["inputFile"],
    defaultText: "512 of mooncake-trace, 16 of bailian-trace",
    example: "--input-file trace.jsonl --isl-block-size 16",
  },
  fixedSchedule: {
    kind: "flag",
    group: TRACES,
    help: "Send each conversation at its time in the input file",
    needs: ["inputFile"],
    excludes: ["noFixedSchedule"],
    mistakenFor: ["replay", "trace-replay"],
    example: "--input-file trace.jsonl --fixed-schedule",
  },
  noFixedSchedule: {
    kind: "flag",
    group: TRACES,
    help: "Send by concurrency or rate, even if the input file has timestamps",
  },
  fixedScheduleAutoOffset: {
    kind: "flag",
    group: TRACES,
    help: "Begin with the first request's time, as is done unless a start offset is given",
    excludes: ["fixedScheduleStartOffset"],
    restatesDefault: true,
  },
  fixedScheduleStartOffset: {
    ...TRACE_TIME,
    group: TRACES,
    help: "Time of the trace to begin at; requests before it are left out",
    defaultText: "the first request's",
    example: "--input-file trace.jsonl --fixed-schedule --fixed-schedule-start-offset 60000",
  },
  fixedScheduleEndOffset: {
    ...TRACE_TIME,
    group: TRACES,
    help: "Time of the trace to end at; requests after it are left out",
    defaultText: "the last request's",
    example: "--input-file trace.jsonl --fixed-schedule --fixed-schedule-end-offset 120000",
  },
  synthesisSpeedupRatio: {
    ...FACTOR,
    group: TRACES,
    help: "Factor by which a trace's times pass faster",
    exclusive: true,
    needs: ["inputFile"],
    mistakenFor: ["speedup", "time-scale"],
    default: 1,
    example: "--input-file trace.jsonl --fixed-schedule --synthesis-speedup-ratio 2",
  },
  synthesisPrefixLenMultiplier: {
    ...FACTOR,
    group: TRACES,
    help: "Factor of the blocks that several prompts of a trace begin with",
    needs: ["inputFile"],
    default: 1,
  },
  synthesisPrefixRootMultiplier: {
    ...COUNT,
    group: TRACES,
    help: "Number of trees of prefixes among which a trace's conversations are divided",
    value: "count",
    max: 1_000_000,
    needs: ["inputFile"],
    default: 1,
  },
  synthesisPromptLenMultiplier: {
    ...FACTOR,
    group: TRACES,
    help: "Factor of the tokens that each prompt of a trace has for itself",
    needs: ["inputFile"],
    default: 1,
  },
  synthesisOutputLenMultiplier: {
    ...FACTOR,
    group: TRACES,
    help: "Factor of a trace's output lengths",
    needs: ["inputFile"],
    default: 1,
  },
  synthesisMaxIsl: {
    ...TOKENS,
    group: TRACES,
    help: "Longest prompt of a trace that is sent; rows with longer ones are left out",
    needs: ["inputFile"],
    example: "--input-file trace.jsonl --synthesis-max-isl 32768",
  },
  synthesisMaxOsl: {
    ...TOKENS,
    group: TRACES,
    help: "Longest output that a row of a trace asks for; longer ones are cut to it",
    needs: ["inputFile"],
  },
} as const satisfies OptionTable;
