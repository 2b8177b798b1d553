// Made from the option tables by scripts/build_generated.ts, not by hand.

import type { PromptOptions } from "./prompt_types.ts";
import type { ServerMetricsOptions } from "./server_metrics_types.ts";

/**
 * The options of a benchmark, as the command line, the environment, a configuration file or a
 * program gives them. Names are those of the command line in camel case; a missing option has its
 * default.
 */
export interface ProfileOptions extends PromptOptions, ServerMetricsOptions {
  /** Base URL of the server; several are used round-robin. @default ["http://localhost:8000"] */
  readonly url?: readonly string[];
  /**
   * Model name sent with the requests; of several, each session asks one.
   * @default the first that the server lists
   */
  readonly model?: string | readonly string[];
  /** How one of several models or adapters is chosen for each session. @default "round-robin" */
  readonly modelSelectionStrategy?: string;
  /** Weights of the models, in the order of --model, for the strategy weighted. */
  readonly modelWeights?: string | readonly string[];
  /** Kind of API; inferometer endpoints lists them. @default "chat" */
  readonly endpointType?: string;
  /** Path instead of the API's default path. */
  readonly customEndpoint?: string;
  /** Ask for a token stream; needed for TTFT and ITL. @default false */
  readonly streaming?: boolean;
  /** Key sent as Authorization: Bearer; better set by the variable INFEROMETER_API_KEY. */
  readonly apiKey?: string;
  /** Header sent with every request. */
  readonly header?: readonly string[];
  /** Fields added to every request body, as key:value or JSON; key: removes a field. */
  readonly extraInputs?: readonly string[];
  /** Fields removed from every request body, for servers that reject them. */
  readonly omitInputs?: readonly string[];
  /**
   * How bodies are sent; other than the type's own where it has both: video-generation.
   * @default that of the endpoint type
   */
  readonly requestContentType?: string;
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
   * Maximum time without a byte of the reply; 0 for no limit. In seconds.
   * @default 600 with --streaming, else 0; 0 with --defaults aiperf
   */
  readonly stallTimeout?: number;
  /** Reuse connections from a pool, open one per request, or one per session. @default "pooled" */
  readonly connectionReuseStrategy?: string;
  /**
   * Built-in HTTP/1.1 client with full timing, or the runtime's fetch (HTTP/2, proxies).
   * @default "socket"
   */
  readonly transport?: string;
  /** PEM file with additional CA certificates to trust. */
  readonly caCert?: readonly string[];
  /** PEM file with the client certificate (mutual TLS). */
  readonly clientCert?: string;
  /** PEM file with the private key of --client-cert. */
  readonly clientKey?: string;
  /** Address to connect to for every --url; Host header and TLS name stay those of the URL. */
  readonly connectTo?: string;
  /**
   * Maximum wait for the server to list a model before the run. In seconds.
   * @default 0, no waiting
   */
  readonly waitForModelTimeout?: number;
  /**
   * What a server must do to be ready: list a model, answer a small request, or both.
   * @default "models"
   */
  readonly waitForModelMode?: string;
  /** Time between two looks whether a server is ready. In seconds. @default 0.5 */
  readonly waitForModelInterval?: number;
  /**
   * Number of sessions under way, each with one request at a time; with a rate, its maximum. In
   * requests.
   * @default 1; with a rate no limit
   */
  readonly concurrency?: number;
  /**
   * Requests per second, sent whether or not earlier ones have finished; inf: as fast as possible.
   */
  readonly requestRate?: number;
  /**
   * Distribution of the times between requests; concurrency-burst: as fast as --concurrency lets
   * them, without a rate.
   * @default poisson; gamma with a smoothness
   */
  readonly arrivalPattern?: string;
  /** Shape of the gamma distribution: below 1 bursts, 1 Poisson, above 1 smoother. @default 1 */
  readonly arrivalSmoothness?: number;
  /**
   * Number of requests to send; sessions that are under way end with the last.
   * @default max(100, 10 x concurrency) unless sessions or a duration are given
   */
  readonly requestCount?: number;
  /** Duration of sending; running requests then get the grace period. In seconds. */
  readonly benchmarkDuration?: number;
  /**
   * Maximum wait for running requests after --benchmark-duration; then they are cut off. In
   * seconds.
   * @default 30
   */
  readonly benchmarkGracePeriod?: number;
  /**
   * Number of sessions to begin; each is played to its end.
   * @default with --session-turns-mean max(10, 2 x concurrency) unless a request count or a duration is given; else no limit
   */
  readonly numSessions?: number;
  /**
   * Mean turns of a session; each turn carries the ones before it and the replies to them.
   * @default 1
   */
  readonly sessionTurnsMean?: number;
  /** Standard deviation of --session-turns-mean. @default 0 */
  readonly sessionTurnsStddev?: number;
  /** Mean time from a reply to the next turn of its session, in milliseconds. @default 0 */
  readonly sessionTurnDelayMean?: number;
  /** Standard deviation of --session-turn-delay-mean. In milliseconds. @default 0 */
  readonly sessionTurnDelayStddev?: number;
  /** Factor of all times between turns. @default 1 */
  readonly sessionTurnDelayRatio?: number;
  /**
   * Longest time from a reply to the next turn; longer ones are shortened to it. In seconds.
   * @default none
   */
  readonly interTurnDelayCapSeconds?: number;
  /**
   * Drop the times of the input file: each turn follows the reply to the one before at once.
   * @default false
   */
  readonly ignoreTraceDelays?: boolean;
  /** Header with the ID of a request's session. @default X-Correlation-ID */
  readonly sessionHeader?: string;
  /** Time in which --concurrency grows from 1 to its value. In seconds. */
  readonly concurrencyRampDuration?: number;
  /** Time in which the rate grows to its value, or to the first one of a series. In seconds. */
  readonly requestRateRampDuration?: number;
  /**
   * How ramps grow: by the same amount in equal times, by the same factor (from a hundredth), or in
   * steps.
   * @default "linear"
   */
  readonly rampShape?: string;
  /** Number of steps of --ramp-shape steps; the last one is at the target. @default 5 */
  readonly rampSteps?: number;
  /**
   * Request rate over time: JSON, or a file of it, as
   * [{"time_s":0,"qps":5},{"time_s":60,"qps":20}]; it changes evenly between the points and stays
   * at the last one.
   */
  readonly requestRateSeries?: string;
  /** Maximum number of requests that wait for their first token; others wait to be sent. */
  readonly prefillConcurrency?: number;
  /** Time in which --prefill-concurrency grows from 1 to its value. In seconds. */
  readonly prefillConcurrencyRampDuration?: number;
  /**
   * Requests per second of --num-users users in turn: each sends one every users / rate seconds,
   * the next turn of a session not before the reply to the last.
   */
  readonly userCentricRate?: number;
  /** Number of users of --user-centric-rate. */
  readonly numUsers?: number;
  /** Percentage of the requests that are cancelled on purpose; not during warm-up. */
  readonly requestCancellationRate?: number;
  /** Time from the end of writing a request to its cancellation. In seconds. @default 0 */
  readonly requestCancellationDelay?: number;
  /**
   * Whether a request that is answered with 429 fails, or waits as long as the server says
   * (Retry-After, at most a minute each time) and is sent again.
   * @default "fail"
   */
  readonly on429?: string;
  /** Pattern that each answer must match (RE2 syntax); one that does not is a failure. */
  readonly expectRegex?: string;
  /** Minimum output tokens of a reply, reasoning included; one that has less is a failure. */
  readonly expectMinTokens?: number;
  /**
   * Number of threads that send requests.
   * @default cores - 1, at most concurrency / 16; cores where each would have over 128 streams or 500 arrivals a second; on fewer cores one for each 120 of up to 600 streams, at most 4
   */
  readonly workers?: number;
  /** Number of warm-up requests, with prompts of their own. */
  readonly warmupRequestCount?: number;
  /** Number of warm-up sessions, with prompts of their own. */
  readonly numWarmupSessions?: number;
  /** Duration of the warm-up. In seconds. */
  readonly warmupDuration?: number;
  /**
   * Maximum wait for running requests after --warmup-duration. In seconds.
   * @default until they end
   */
  readonly warmupGracePeriod?: number;
  /** Requests in flight during warm-up. @default as --concurrency */
  readonly warmupConcurrency?: number;
  /** Requests per second during warm-up. @default as --request-rate */
  readonly warmupRequestRate?: number;
  /** Arrival pattern during warm-up. @default as --arrival-pattern */
  readonly warmupArrivalPattern?: string;
  /**
   * Time in which the concurrency of the warm-up grows to its value. In seconds.
   * @default as --concurrency-ramp-duration
   */
  readonly warmupConcurrencyRampDuration?: number;
  /**
   * Time in which the request rate of the warm-up grows to its value. In seconds.
   * @default as --request-rate-ramp-duration
   */
  readonly warmupRequestRateRampDuration?: number;
  /**
   * Maximum number of requests that wait for their first token during warm-up.
   * @default as --prefill-concurrency
   */
  readonly warmupPrefillConcurrency?: number;
  /**
   * Time in which that number grows to its value. In seconds.
   * @default as --prefill-concurrency-ramp-duration
   */
  readonly warmupPrefillConcurrencyRampDuration?: number;
  /** Objectives (SLOs) a request must meet to count as good, in the metrics' units. */
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
  /**
   * Price of an hour of all the servers together: gives cost per million tokens and per request. In
   * currency per hour.
   */
  readonly costPerHour?: number;
  /**
   * Stop, and exit with 1, if a larger share of the requests fails: judged from 20 replies on.
   * @default 1: only if all failed
   */
  readonly maxErrorRate?: number;
  /** GPU exporters besides localhost:9400 and localhost:9401, or a .csv list of DCGM fields. */
  readonly gpuTelemetry?: readonly string[];
  /** Number of GPUs that serve the load, for throughput per GPU; or prefill=N decode=N. */
  readonly gpus?: readonly string[];
  /** Collect no GPU telemetry, and look for none. @default false */
  readonly noGpuTelemetry?: boolean;
  /**
   * Measure TCP connects to the servers, and report latencies without their mean besides.
   * @default false
   */
  readonly networkLatencyAutomatic?: boolean;
  /** Network round trip in milliseconds: report latencies without it besides. In ms. */
  readonly networkLatencyMean?: number;
  /** Interval between the TCP connects of --network-latency-automatic. In seconds. @default 1 */
  readonly networkLatencyPingInterval?: number;
  /**
   * Folder for the result files; a finished run in one that is named here is replaced; beside one
   * that holds anything else, and beside the default, a numbered folder is created.
   * @default artifacts/<model>-<endpoint>-<load>
   */
  readonly artifactDir?: string;
  /** Prefix of the files' names. @default profile_export */
  readonly profileExportPrefix?: string;
  /**
   * Summaries only, one line per request too, or full requests and replies too.
   * @default "records"
   */
  readonly exportLevel?: string;
  /**
   * Do not keep the records in run/, which inferometer report needs to recreate the results.
   * @default false
   */
  readonly noRecords?: boolean;
  /** Do not measure the client's own error with canary streams over loopback. @default false */
  readonly noCanaries?: boolean;
  /** Port of 127.0.0.1 that carries the canary streams. @default one that is free */
  readonly canaryPort?: number;
  /** Exit with 3 unless these statistics are valid; without names those of --slo, else p50. */
  readonly requireValid?: string;
  /**
   * Whether an objective whose interval contains its limit makes the exit code 3.
   * @default "pass"
   */
  readonly inconclusive?: string;
  /** Part of the run that is shown and judged. @default steady; run with --defaults aiperf */
  readonly window?: string;
  /**
   * Whose defaults apply: window, counts, prompts, token counts, retries, stall timeout.
   * @default "inferometer"
   */
  readonly defaults?: string;
  /** Do not write report.html, the results as a page with pictures. @default false */
  readonly noReport?: boolean;
  /** Add the HTTP phase times of each request to its line. @default false */
  readonly exportHttpTrace?: boolean;
  /** Show a table of HTTP timings. @default false */
  readonly showTraceTiming?: boolean;
  /**
   * Add a table of the time between tokens as AIPerf, vLLM, SGLang, GuideLLM define it.
   * @default false
   */
  readonly itlDialects?: boolean;
  /** Label of the run, written into its results; inferometer runs looks for it. */
  readonly tag?: readonly string[];
  /** Do not ask the servers for version and configuration before the run. @default false */
  readonly noServerInfo?: boolean;
  /** Keep a finished run: write to a numbered folder beside it. @default false */
  readonly keep?: boolean;
  /** Write into the folder even if it is not empty. @default false */
  readonly overwrite?: boolean;
  /** Write the results for the textfile collector of Prometheus' node_exporter. */
  readonly textfile?: string;
  /** Send metrics and traces of the requests to an OpenTelemetry collector (OTLP over HTTP). */
  readonly otlp?: string;
  /** Header sent to the collector, such as a key. */
  readonly otlpHeader?: string | readonly string[];
  /**
   * Share of the requests whose traces are sent, when the run is over; 0 for none.
   * @default 1: all
   */
  readonly otlpTraces?: number;
  /** Time between two messages of metrics during the run. In seconds. @default 10 */
  readonly otlpInterval?: number;
  /** What is sent while the run goes on; none: everything when it is over. @default ["metrics"] */
  readonly otlpStream?: readonly string[];
  /** Attributes of everything that is sent to the collector. */
  readonly otelResourceAttributes?: string | readonly string[];
  /**
   * Name of the server's kind in what is sent to the collector (gen_ai.provider.name).
   * @default openai, which names the API
   */
  readonly genAiProvider?: string;
  /** Log settings, results and files to an MLflow tracking server when the run is over. */
  readonly mlflowTrackingUri?: string;
  /** Experiment of MLflow, created where it is missing. @default "inferometer" */
  readonly mlflowExperiment?: string;
  /** Name of the run in MLflow. @default the name of the run's folder */
  readonly mlflowRunName?: string;
  /** Tag of the run in MLflow, key:value; several with commas, or as a JSON object. */
  readonly mlflowTag?: string | readonly string[];
  /** Run of MLflow under which this one is shown. */
  readonly mlflowParentRunId?: string;
  /**
   * Files of the run's folder that MLflow gets: * within a folder, ** at any depth.
   * @default *: all but those in run/
   */
  readonly mlflowArtifactGlob?: readonly string[];
  /** Bearer token for the tracking server. */
  readonly mlflowToken?: string;
  /**
   * Longest that sending to other systems may take once the run is over. In seconds.
   * @default 60
   */
  readonly exportTimeout?: number;
  /**
   * The part of the load that this process sends: index/count, the index from 0, or the launcher
   * that says so: slurm, slurm-array, k8s, mpi, auto.
   */
  readonly shard?: string;
  /** Two variables that hold index and count of the part, such as RANK,WORLD_SIZE. */
  readonly shardEnv?: string;
  /** Where shard 0 listens and the others come: clocks are compared, all begin together. */
  readonly rendezvous?: string;
  /** File with the token that all shards share; else INFEROMETER_RENDEZVOUS_TOKEN. */
  readonly rendezvousTokenFile?: string;
  /** That token itself; better set by the variable INFEROMETER_RENDEZVOUS_TOKEN. */
  readonly rendezvousToken?: string;
  /** Time that shards wait for each other before the run fails. In seconds. @default 300 */
  readonly rendezvousTimeout?: number;
  /**
   * Folder on a file system of all shards, created if missing, through which they begin together;
   * without a comparison of clocks.
   */
  readonly barrier?: string;
  /** When the first phase begins: ISO 8601 with a zone, seconds since 1970, or +seconds. */
  readonly startAt?: string;
  /** How much later than agreed a phase may begin; later, the run fails. In seconds. @default 1 */
  readonly maxLate?: number;
  /**
   * Send the files of each shard to shard 0, which merges them: where no folder is shared.
   * @default false
   */
  readonly collect?: boolean;
}
