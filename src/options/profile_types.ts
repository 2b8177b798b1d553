// Made from the option tables by scripts/build_generated.ts, not by hand.

import type { ServerMetricsOptions } from "./server_metrics_types.ts";

/**
 * The options of a benchmark, as the command line, the environment, a configuration file or a
 * program gives them. Names are those of the command line in camel case; a missing option has its
 * default.
 */
export interface ProfileOptions extends ServerMetricsOptions {
  /** Base URL of the server; several are used in turn. @default ["http://localhost:8000"] */
  readonly url?: readonly string[];
  /**
   * Model name sent with the requests; several take turns.
   * @default the first that the server lists
   */
  readonly model?: string | readonly string[];
  /** Kind of API. @default "chat" */
  readonly endpointType?: string;
  /** Path instead of the API's default path. */
  readonly customEndpoint?: string;
  /** Ask for a token stream; needed for TTFT and ITL. @default false */
  readonly streaming?: boolean;
  /** Key sent as Authorization: Bearer; better set by the variable INFEROMETER_API_KEY. */
  readonly apiKey?: string;
  /** Header sent with every request. */
  readonly header?: readonly string[];
  /** Fields added to every request body, as key:value or JSON. */
  readonly extraInputs?: readonly string[];
  /** Send max_tokens instead of max_completion_tokens. @default false */
  readonly useLegacyMaxTokens?: boolean;
  /**
   * Ask for token counts in every chunk: ITL is then exact with several tokens a chunk.
   * @default false
   */
  readonly perChunkUsage?: boolean;
  /** Maximum time from a request's start to its end. In seconds. @default 21600 */
  readonly requestTimeoutSeconds?: number;
  /**
   * Keep connections for later requests, open one for each, or one for each session.
   * @default "pooled"
   */
  readonly connectionReuseStrategy?: string;
  /**
   * Own sockets with HTTP/1.1 and full timing, or the runtime's fetch (HTTP/2, proxies).
   * @default "socket"
   */
  readonly transport?: string;
  /** PEM file with certificates to trust, besides the built-in and the system's. */
  readonly caCert?: readonly string[];
  /** PEM file with the certificate that proves this client to the server. */
  readonly clientCert?: string;
  /** PEM file with the private key of --client-cert. */
  readonly clientKey?: string;
  /**
   * Maximum wait for the server to list a model before the run. In seconds.
   * @default 0, no waiting
   */
  readonly waitForModelTimeout?: number;
  /** Mean tokens of a synthetic prompt. @default 550 */
  readonly isl?: number;
  /** Standard deviation of --isl. In tokens. @default 0 */
  readonly islStddev?: number;
  /** Mean maximum output tokens. @default up to the server */
  readonly osl?: number;
  /** Standard deviation of --osl. In tokens. @default 0 */
  readonly oslStddev?: number;
  /** Number of different synthetic prompts. @default the request count up to 10000, or 1000 */
  readonly numDatasetEntries?: number;
  /** The same as --num-dataset-entries; the number of requests is --request-count. In prompts. */
  readonly numPrompts?: number;
  /**
   * Prompts from JSON lines (text, texts, image, images, output_length) or an inputs.json; - is
   * standard input.
   */
  readonly inputFile?: string;
  /** Folders whose files the input file may name, besides its own. */
  readonly allowFiles?: readonly string[];
  /** Format of the input file. @default detected from its content */
  readonly customDatasetType?: string;
  /** Order in which prompts are used. @default "sequential" */
  readonly datasetSamplingStrategy?: string;
  /** Makes prompts, lengths and arrivals reproducible. @default random, recorded in the results */
  readonly randomSeed?: number;
  /**
   * Tokenizer: builtin (o200k_base), a tokenizer.json or its folder, or a model's name (from the
   * local cache, else from the hub at HF_ENDPOINT).
   * @default the model's own if the local cache has it, else builtin
   */
  readonly tokenizer?: string;
  /** Fetch nothing from a hub; HF_HUB_OFFLINE=1 does the same. @default false */
  readonly offline?: boolean;
  /** Take token counts from the server's usage instead of counting. @default false */
  readonly useServerTokenCount?: boolean;
  /** Number of requests in flight; with a rate, its maximum. @default 1; with a rate no limit */
  readonly concurrency?: number;
  /** Requests per second, sent whether or not earlier ones are answered; inf: without pause. */
  readonly requestRate?: number;
  /** Distribution of the times between requests. @default poisson; gamma with a smoothness */
  readonly arrivalPattern?: string;
  /** Shape of the gamma distribution: below 1 bursts, 1 Poisson, above 1 smoother. @default 1 */
  readonly arrivalSmoothness?: number;
  /** Number of requests to send. @default max(10, 2 x concurrency) unless a duration is given */
  readonly requestCount?: number;
  /** Time in which requests are sent. In seconds. */
  readonly benchmarkDuration?: number;
  /**
   * Time that running requests get after --benchmark-duration, before they are cut_off. In seconds.
   * @default 30
   */
  readonly benchmarkGracePeriod?: number;
  /**
   * Number of threads that send requests.
   * @default cores - 1, at most concurrency / 16; cores where each would have over 128 streams
   */
  readonly workers?: number;
  /** Number of requests before the measurement, with other prompts. */
  readonly warmupRequestCount?: number;
  /** Time in which requests are sent before the measurement. In seconds. */
  readonly warmupDuration?: number;
  /** Time that running requests get after --warmup-duration. In seconds. @default until they end */
  readonly warmupGracePeriod?: number;
  /** Requests in flight during warm-up. @default as --concurrency */
  readonly warmupConcurrency?: number;
  /** Requests per second during warm-up. @default as --request-rate */
  readonly warmupRequestRate?: number;
  /** Arrival pattern during warm-up. @default as --arrival-pattern */
  readonly warmupArrivalPattern?: string;
  /** Objectives that a request must meet to be good, in the metrics' units. */
  readonly goodput?: string;
  /** What the run must keep to, of client and server metrics; exit with 3 if it does not. */
  readonly slo?: readonly string[];
  /** End the run as soon as an --slo of the client cannot be met any more. @default false */
  readonly abortOnSlo?: boolean;
  /**
   * Difference from the server's token counts that is reported as a discrepancy. In percent.
   * @default 10
   */
  readonly usageDiffThreshold?: number;
  /**
   * Difference from the requested output length that is reported as a mismatch. In percent.
   * @default 5
   */
  readonly oslMismatchThreshold?: number;
  /** The same in tokens; the smaller of the two applies. @default 50 */
  readonly oslMismatchMaxTokens?: number;
  /** Exit with 1 if a larger share of requests failed. @default 1: only if all failed */
  readonly maxErrorRate?: number;
  /**
   * Folder of the result files; a finished run's files in it are replaced, beside any other files a
   * numbered folder is made.
   * @default artifacts/<model>-<endpoint>-<load>
   */
  readonly artifactDir?: string;
  /** Prefix of the files' names. @default profile_export */
  readonly profileExportPrefix?: string;
  /**
   * Summaries alone, a line for each request, or whole requests and replies too.
   * @default "records"
   */
  readonly exportLevel?: string;
  /**
   * Do not keep the records in run/, from which inferometer report makes the results again.
   * @default false
   */
  readonly noRecords?: boolean;
  /** Do not measure the client's own error with canary streams over loopback. @default false */
  readonly noCanaries?: boolean;
  /**
   * Exit with 3 unless the client's own error is so small that the run counts as valid.
   * @default false
   */
  readonly requireValid?: boolean;
  /** Do not write report.html, the results as a page with pictures. @default false */
  readonly noReport?: boolean;
  /** Add the times of each request's phases to its line. @default false */
  readonly exportHttpTrace?: boolean;
  /** Show a table of HTTP timings. @default false */
  readonly showTraceTiming?: boolean;
  /** Replace no finished run: write into a numbered folder beside it. @default false */
  readonly keep?: boolean;
  /** Write into the folder even if it is not empty. @default false */
  readonly overwrite?: boolean;
}
