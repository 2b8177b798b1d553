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

/** The options of `inferometer profile` about formats of input files: traces, their times and lengths. */
export const TRACE_OPTIONS = {
  customDatasetType: {
    kind: "text",
    group: INPUT,
    help: "Format of the input file",
    value: "type",
    choices: [
      ...["single-turn", "multi-turn", "random-pool", "mooncake-trace", "bailian-trace"],
      ...["burst-gpt-trace", "sharegpt", "custom", "messages", "csv", "text-lines"],
      ...["text-paragraphs", "openai-batch", "raw-payload", "inputs-json", "dag-jsonl"],
      ...["weka-trace", "otel-spans", "agentic-mooncake", "mlperf-agentic", "agentperf"],
      ...["sglang-agentic", "dynamo-request-trace", "tracelab", "trie", "trtllm-trace"],
    ],
    refusedValues: {
      "baseten-trace": "Is not read: convert it to mooncake-trace",
      "sagemaker-data-capture":
        "Is not read: its messages can be given as openai-batch or mooncake-trace",
      "speed-bench": "Is not read: its messages can be given as turns of multi-turn",
    },
    needs: ["inputFile"],
    mistakenFor: ["dataset-name", "dataset-type", "trace-type", "format"],
    defaultText: "detected from the first record",
    example: "--input-file trace.jsonl --custom-dataset-type mooncake-trace",
  },
  islBlockSize: {
    ...TOKENS,
    aliases: ["prompt-input-tokens-block-size", "synthetic-input-tokens-block-size"],
    group: TRACES,
    help: "Tokens per block of the hash_ids in a trace",
    needs: ["inputFile"],
    defaultText: "512 for mooncake-trace, 16 for bailian-trace",
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
    help: "Send by concurrency or rate even if the input file has timestamps",
  },
  fixedScheduleAutoOffset: {
    kind: "flag",
    group: TRACES,
    help: "Start at the first request's time; the default without a start offset",
    excludes: ["fixedScheduleStartOffset"],
    restatesDefault: true,
  },
  fixedScheduleStartOffset: {
    ...TRACE_TIME,
    group: TRACES,
    help: "Start offset in the trace; earlier requests are skipped",
    defaultText: "the time of the first request",
    example: "--input-file trace.jsonl --fixed-schedule --fixed-schedule-start-offset 60000",
  },
  fixedScheduleEndOffset: {
    ...TRACE_TIME,
    group: TRACES,
    help: "End offset in the trace; later requests are skipped",
    defaultText: "the time of the last request",
    example: "--input-file trace.jsonl --fixed-schedule --fixed-schedule-end-offset 120000",
  },
  synthesisSpeedupRatio: {
    ...FACTOR,
    group: TRACES,
    help: "Speed-up factor for the times of a trace",
    exclusive: true,
    needs: ["inputFile"],
    mistakenFor: ["speedup", "time-scale"],
    default: 1,
    example: "--input-file trace.jsonl --fixed-schedule --synthesis-speedup-ratio 2",
  },
  synthesisPrefixLenMultiplier: {
    ...FACTOR,
    group: TRACES,
    help: "Factor for the length of prefixes shared by prompts of a trace",
    needs: ["inputFile"],
    default: 1,
  },
  synthesisPrefixRootMultiplier: {
    ...COUNT,
    group: TRACES,
    help: "Number of prefix trees among which the conversations of a trace are distributed",
    value: "count",
    max: 1_000_000,
    needs: ["inputFile"],
    default: 1,
  },
  synthesisPromptLenMultiplier: {
    ...FACTOR,
    group: TRACES,
    help: "Factor for the unshared tokens of each prompt in a trace",
    needs: ["inputFile"],
    default: 1,
  },
  synthesisOutputLenMultiplier: {
    ...FACTOR,
    group: TRACES,
    help: "Factor for the output lengths of a trace",
    needs: ["inputFile"],
    default: 1,
  },
  synthesisMaxIsl: {
    ...TOKENS,
    group: TRACES,
    help: "Maximum prompt length in a trace; rows with longer prompts are skipped",
    needs: ["inputFile"],
    example: "--input-file trace.jsonl --synthesis-max-isl 32768",
  },
  synthesisMaxOsl: {
    ...TOKENS,
    group: TRACES,
    help: "Maximum output length in a trace; larger requests are reduced to it",
    needs: ["inputFile"],
  },
} as const satisfies OptionTable;
