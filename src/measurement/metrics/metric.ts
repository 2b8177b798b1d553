/** Definition of a metric, apart from its values. */

import type { ItlDialectName } from "./itl_dialect_name.ts";

/** Conditions of computing and showing a metric, under the names of the metrics reference. */
export type MetricFlag =
  | "STREAMING_ONLY"
  | "ERROR_ONLY"
  | "PRODUCES_TOKENS_ONLY"
  | "NO_CONSOLE"
  | "LARGER_IS_BETTER"
  | "INTERNAL"
  | "SUPPORTS_IMAGE_ONLY"
  | "SUPPORTS_REASONING"
  | "GOODPUT"
  | "NO_INDIVIDUAL_RECORDS"
  | "TOKENIZES_INPUT_ONLY"
  | "HTTP_TRACE_ONLY"
  | "USAGE_DIFF_ONLY"
  | "ARRIVAL_PROCESS_ONLY"
  | "COST_ONLY"
  | "NEEDS_CORRECT_ONLY"
  | "PER_GPU_ONLY";

/** A metric as reports know it. */
export interface Metric<Tag extends string = string> {
  /** Names it in files and options: one of {@linkcode MetricTag}, if it is in the catalog. */
  readonly tag: Tag;
  /** Name in tables and CSV. */
  readonly header: string;
  /** Abbreviation that users may write for the tag, in lower case. */
  readonly shortTag?: string;
  readonly unit: string;
  readonly flags: readonly MetricFlag[];
  /** Place in the console's table; metrics without one come last. */
  readonly consoleOrder?: number;
}

/** Features of a run, which decide the metrics that apply to it. */
export interface MetricContext {
  readonly streaming: boolean;
  readonly producesTokens: boolean;
  readonly tokenizesInput: boolean;
  /** Whether requests carry images, or replies are images. */
  readonly images: boolean;
  readonly goodput: boolean;
  /** Whether a request is good only if its answer is not wrong and not invalid. @default false */
  readonly needsCorrect?: boolean;
  readonly httpTrace: boolean;
  /** Whether tokens are counted here as well as by the server. */
  readonly usageDiff: boolean;
  /** Whether an arrival process determines when requests start. */
  readonly arrivalProcess: boolean;
  /** Whether a request is a job that is looked at until it is done. @default false */
  readonly takesJobs?: boolean;
  /** Price of an hour of all servers; undefined if it is not known. */
  readonly costPerHour?: number | undefined;
  /** Number of GPUs that serve the load; undefined if it is not known. */
  readonly gpus?: number | undefined;
  /** Tokens of a block of prefix caches, for servers that do not report it. @default 16 */
  readonly cacheBlockTokens?: number | undefined;
  /** Whether the time between tokens is wanted by every definition. */
  readonly itlDialects?: boolean | undefined;
  /** The definition that it is reported by. @default "inferometer" */
  readonly itlDialect?: ItlDialectName | undefined;
}

/** Whether a metric applies to a run. */
export function applies(metric: Metric, context: MetricContext): boolean {
  return metric.flags.every((flag) => {
    switch (flag) {
      case "STREAMING_ONLY":
        return context.streaming;
      case "PRODUCES_TOKENS_ONLY":
        return context.producesTokens;
      case "TOKENIZES_INPUT_ONLY":
        return context.tokenizesInput;
      case "SUPPORTS_IMAGE_ONLY":
        return context.images;
      case "GOODPUT":
        return context.goodput;
      case "HTTP_TRACE_ONLY":
        return context.httpTrace;
      case "USAGE_DIFF_ONLY":
        return context.usageDiff;
      case "ARRIVAL_PROCESS_ONLY":
        return context.arrivalProcess;
      case "COST_ONLY":
        return context.costPerHour !== undefined;
      case "NEEDS_CORRECT_ONLY":
        return context.needsCorrect === true;
      case "PER_GPU_ONLY":
        return context.gpus !== undefined;
      default:
        return true;
    }
  });
}
