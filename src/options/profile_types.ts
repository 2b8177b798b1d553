import type { ServerMetricsOptions } from "./server_metrics_types.ts";

/**
 * The options of a benchmark, as the command line, the environment, a configuration file or a
 * program gives them. Names are those of the command line in camel case; a missing option has its
 * default. See `inferometer profile --help` for units and meanings.
 */
export interface ProfileOptions extends ServerMetricsOptions {
  /** @default ["http://localhost:8000"] */
  readonly url?: readonly string[];
  /** Asked of the server where it is missing. */
  readonly model?: string;
  /** @default "chat" */
  readonly endpointType?: string;
  /** Path in the place of the endpoint type's own. */
  readonly customEndpoint?: string;
  /** @default false */
  readonly streaming?: boolean;
  readonly apiKey?: string;
  /** `Name: value` */
  readonly header?: readonly string[];
  /** `key:value`, or a JSON object. */
  readonly extraInputs?: readonly string[];
  /** Seconds. @default 21600 */
  readonly requestTimeoutSeconds?: number;
  /** @default false */
  readonly useLegacyMaxTokens?: boolean;
  /** @default false */
  readonly useServerTokenCount?: boolean;
  /** @default false */
  readonly perChunkUsage?: boolean;
  /** @default "pooled" */
  readonly connectionReuseStrategy?: string;
  /** @default "socket" */
  readonly transport?: string;
  /** PEM files. */
  readonly caCert?: readonly string[];
  /** PEM file. */
  readonly clientCert?: string;
  /** PEM file. */
  readonly clientKey?: string;
  /** Seconds; 0 does not wait. @default 0 */
  readonly waitForModelTimeout?: number;

  readonly inputFile?: string;
  readonly customDatasetType?: string;
  readonly numDatasetEntries?: number;
  /** @default "sequential" */
  readonly datasetSamplingStrategy?: string;
  /** Random where it is missing, and then told in the results. */
  readonly randomSeed?: number;
  /** @default "builtin" */
  readonly tokenizer?: string;
  /** Tokens. @default 550 */
  readonly isl?: number;
  /** Tokens. @default 0 */
  readonly islStddev?: number;
  /** Tokens; the server decides where it is missing. */
  readonly osl?: number;
  /** Tokens. @default 0 */
  readonly oslStddev?: number;

  /** @default 1, no cap with a request rate */
  readonly concurrency?: number;
  /** Requests per second. */
  readonly requestRate?: number;
  /** @default "poisson" */
  readonly arrivalPattern?: string;
  readonly arrivalSmoothness?: number;
  /** @default the larger of 10 and twice the concurrency, unless a duration is given */
  readonly requestCount?: number;
  /** Seconds. */
  readonly benchmarkDuration?: number;
  /** Seconds. @default 30 */
  readonly benchmarkGracePeriod?: number;
  readonly workers?: number;

  readonly warmupRequestCount?: number;
  /** Seconds. */
  readonly warmupDuration?: number;
  /** Seconds. @default none: warm-up waits for its requests */
  readonly warmupGracePeriod?: number;
  /** @default the concurrency */
  readonly warmupConcurrency?: number;
  /** Requests per second. @default the request rate */
  readonly warmupRequestRate?: number;
  /** @default the arrival pattern */
  readonly warmupArrivalPattern?: string;

  /** `tag:value tag:value`, values in the metrics' units. */
  readonly goodput?: string;
  /** Percent. @default 10 */
  readonly usageDiffThreshold?: number;
  /** Percent. @default 5 */
  readonly oslMismatchThreshold?: number;
  /** Tokens. @default 50 */
  readonly oslMismatchMaxTokens?: number;
  /** Share from 0 to 1. @default 1 */
  readonly maxErrorRate?: number;

  readonly artifactDir?: string;
  readonly profileExportPrefix?: string;
  /** @default "records" */
  readonly exportLevel?: string;
  /** Leaves out the folder from which results can be made again. @default false */
  readonly noRecords?: boolean;
  /** @default false */
  readonly exportHttpTrace?: boolean;
  /** @default false */
  readonly showTraceTiming?: boolean;
  /** @default false */
  readonly overwrite?: boolean;
}

/** Name of an option. */
export type ProfileOptionName = keyof ProfileOptions;

/** How an option is written on the command line. */
export function flagOf(name: ProfileOptionName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
