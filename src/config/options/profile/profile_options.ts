/**
 * The options of `inferometer profile`: one table, put together from a file for each
 * group. Names and aliases are AIPerf's, so that its command lines work unchanged.
 *
 * After a change, `deno run -A scripts/build_generated.ts` makes the types of the library and the page
 * `docs/options.md` again.
 */

import { MAX_WORKERS } from "../max_workers.ts";
import { COUNT } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";
import type { Settings } from "../settings.ts";
import {
  CONCURRENCY_PER_WORKER,
  MAX_ARRIVALS_PER_WORKER,
  MAX_STREAMS_OF_SMALL_MACHINE,
  MAX_STREAMS_PER_WORKER,
  SMALL_MACHINE_WORKERS,
  STREAMS_PER_SHARED_CORE,
} from "./computed_defaults.ts";
import { AGENT_OPTIONS } from "./agent_options.ts";
import { CONNECTION_OPTIONS } from "./connection_options.ts";
import { DATASET_OPTIONS } from "./dataset_options.ts";
import { ENDPOINT_OPTIONS } from "./endpoint_options.ts";
import { GPU_OPTIONS } from "./gpu_options.ts";
import { INPUT_FILE_OPTIONS } from "./input_file_options.ts";
import { LENGTH_OPTIONS } from "./length_options.ts";
import { LOAD_OPTIONS } from "./load_options.ts";
import { LOAD_SHAPE_OPTIONS, WARMUP_SHAPE_OPTIONS } from "./load_shape_options.ts";
import { MEDIA_OPTIONS } from "./media_options.ts";
import { NETWORK_OPTIONS } from "./network_options.ts";
import { OBJECTIVE_OPTIONS } from "./objective_options.ts";
import { OUTPUT_OPTIONS } from "./output_options.ts";
import { PROMPT_OPTIONS } from "./prompt_options.ts";
import { SERVER_METRICS_OPTIONS } from "./server_metrics_options.ts";
import { SESSION_OPTIONS } from "./session_options.ts";
import { SHARD_OPTIONS } from "./shard_options.ts";
import { SYSTEM_OPTIONS } from "./system_options.ts";
import { TOKENIZER_OPTIONS } from "./tokenizer_options.ts";
import { TRACE_OPTIONS } from "./trace_options.ts";
import { VERIFY_OPTIONS } from "./verify_options.ts";
import { WARMUP_OPTIONS } from "./warmup_options.ts";

const LOAD = "Load";

/** Options of where prompts come from, and of their content. */
export const DATA_OPTIONS = {
  ...LENGTH_OPTIONS,
  ...PROMPT_OPTIONS,
  ...MEDIA_OPTIONS,
  ...INPUT_FILE_OPTIONS,
  ...DATASET_OPTIONS,
  ...TRACE_OPTIONS,
  ...TOKENIZER_OPTIONS,
} as const satisfies OptionTable;

/** The options of `inferometer profile`, in the order in which help shows them. */
export const PROFILE_OPTIONS = {
  ...ENDPOINT_OPTIONS,
  ...CONNECTION_OPTIONS,
  ...DATA_OPTIONS,
  ...LOAD_OPTIONS,
  ...SESSION_OPTIONS,
  ...AGENT_OPTIONS,
  ...LOAD_SHAPE_OPTIONS,
  workers: {
    ...COUNT,
    aliases: ["workers-max", "max-workers"],
    group: LOAD,
    help: "Number of load worker threads",
    unit: "threads",
    mistakenFor: ["threads"],
    max: MAX_WORKERS,
    defaultText: `cores - 1, at most concurrency / ${CONCURRENCY_PER_WORKER}; ` +
      `all cores if each would have over ${MAX_STREAMS_PER_WORKER} streams ` +
      `or ${MAX_ARRIVALS_PER_WORKER} arrivals/s; on small machines one per ` +
      `${STREAMS_PER_SHARED_CORE} of up to ${MAX_STREAMS_OF_SMALL_MACHINE} streams, ` +
      `at most ${SMALL_MACHINE_WORKERS}`,
    example: "--workers 4",
  },
  ...WARMUP_OPTIONS,
  ...WARMUP_SHAPE_OPTIONS,
  ...OBJECTIVE_OPTIONS,
  ...VERIFY_OPTIONS,
  ...SERVER_METRICS_OPTIONS,
  ...GPU_OPTIONS,
  ...NETWORK_OPTIONS,
  ...OUTPUT_OPTIONS,
  ...SYSTEM_OPTIONS,
  ...SHARD_OPTIONS,
} as const satisfies OptionTable;

/** The options of a run, checked, defaults filled in. */
export type ProfileSettings = Settings<typeof PROFILE_OPTIONS>;
