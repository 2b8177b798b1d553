// Made from the option tables by scripts/build_generated.ts, not by hand.

import type { AgentOptions } from "./agent_types.ts";
import type { PromptOptions } from "./prompt_types.ts";
import type { ServerMetricsOptions } from "./server_metrics_types.ts";

/**
 * The options of a benchmark, as the command line, the environment, a configuration file or a
 * program gives them. Names are those of the command line in camel case; a missing option has its
 * default.
 */
export interface ProfileOptions extends PromptOptions, AgentOptions, ServerMetricsOptions {
  /**
   * Base URL of the server; several URLs are used round-robin.
   * @default ["http://localhost:8000"]
   */
  readonly url?: readonly string[];
  /**
   * Model name sent with requests; with several, each session uses one.
   * @default the first that the server lists
   */
  readonly model?: string | readonly string[];
  /** Choice of the model for each session, if several are given. @default "round-robin" */
  readonly modelSelectionStrategy?: string;
  /** Weights of the models for the strategy weighted, in the order of --model. */
  readonly modelWeights?: string | readonly string[];
  /** API endpoint type; list them with inferometer endpoints. @default "chat" */
  readonly endpointType?: string;
  /** Request path, instead of the default path of the API. */
  readonly customEndpoint?: string;
  /** Request streaming; required for TTFT and ITL. @default false */
  readonly streaming?: boolean;
  /** API key, sent as Authorization: Bearer; prefer the variable INFEROMETER_API_KEY. */
  readonly apiKey?: string;
  /** Header sent with every request. */
  readonly header?: readonly string[];
  /** Fields added to every request body, as key:value or JSON; key: removes a field. */
  readonly extraInputs?: readonly string[];
  /** Fields removed from every request body, for servers that reject them. */
  readonly omitInputs?: readonly string[];
  /**
   * Encoding of request bodies, for types that support both (video-generation).
   * @default the encoding of the endpoint type
   */
  readonly requestContentType?: string;
  /** Send max_tokens instead of max_completion_tokens. @default false */
  readonly useLegacyMaxTokens?: boolean;
  /**
   * Request token counts per chunk, for exact ITL when chunks carry several tokens.
   * @default false
   */
  readonly perChunkUsage?: boolean;
  /** Maximum time from the start of a request to its end. In seconds. @default 21600 */
  readonly requestTimeoutSeconds?: number;
  /**
   * Maximum time between two bytes of a reply; 0 for no limit. In seconds.
   * @default 600 with --streaming, else 0; 0 with --defaults aiperf
   */
  readonly stallTimeout?: number;
  /** Connection reuse: pooled, one per request, or one per session. @default "pooled" */
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
  /** Maximum wait for the server to list a model before the run. In seconds. @default 0: no wait */
  readonly waitForModelTimeout?: number;
  /** Readiness check: model list, a small request, or both. @default "models" */
  readonly waitForModelMode?: string;
  /** Interval between readiness checks. In seconds. @default 0.5 */
  readonly waitForModelInterval?: number;
  /**
   * Concurrent sessions, one request each; with a rate, the maximum in flight. In requests.
   * @default 1; with a rate, unlimited
   */
  readonly concurrency?: number;
  /**
   * Arrivals of requests or sessions per second, whatever the replies; inf: no limit. In requests
   * per second.
   */
  readonly requestRate?: number;
  /**
   * Distribution of the times between arrivals; concurrency-burst: limited by --concurrency only.
   * @default poisson; gamma with a smoothness
   */
  readonly arrivalPattern?: string;
  /** Shape of the gamma distribution: below 1 bursts, 1 Poisson, above 1 smoother. @default 1 */
  readonly arrivalSmoothness?: number;
  /**
   * Number of requests to send; active sessions end with the last one.
   * @default max(100, 10 x concurrency) unless sessions or a duration are given
   */
  readonly requestCount?: number;
  /** Duration of sending; requests in flight then get the grace period. In seconds. */
  readonly benchmarkDuration?: number;
  /**
   * Grace period of requests in flight after --benchmark-duration; later replies are cut off. In
   * seconds.
   * @default 30
   */
  readonly benchmarkGracePeriod?: number;
  /**
   * Number of sessions; each runs to completion.
   * @default max(10, 2 x concurrency) with --session-turns-mean, if neither a request count nor a duration is given; else unlimited
   */
  readonly numSessions?: number;
  /** Mean turns per session; each turn includes the earlier turns and replies. @default 1 */
  readonly sessionTurnsMean?: number;
  /** Standard deviation of --session-turns-mean. @default 0 */
  readonly sessionTurnsStddev?: number;
  /** Mean time from a reply to the next turn of the session. In milliseconds. @default 0 */
  readonly sessionTurnDelayMean?: number;
  /** Standard deviation of --session-turn-delay-mean. In milliseconds. @default 0 */
  readonly sessionTurnDelayStddev?: number;
  /** Factor for all times between turns. @default 1 */
  readonly sessionTurnDelayRatio?: number;
  /**
   * Maximum time from a reply to the next turn; longer times are shortened to it. In seconds.
   * @default unlimited
   */
  readonly interTurnDelayCapSeconds?: number;
  /**
   * Ignore the times of the input file: each turn follows the previous reply immediately.
   * @default false
   */
  readonly ignoreTraceDelays?: boolean;
  /** Name of the header with the session ID. @default X-Correlation-ID */
  readonly sessionHeader?: string;
  /** Time in which --concurrency rises from 1 to its value. In seconds. */
  readonly concurrencyRampDuration?: number;
  /** Time in which the rate rises to its value, or to the first value of a series. In seconds. */
  readonly requestRateRampDuration?: number;
  /** Growth of ramps: linear, exponential (from a hundredth), or in steps. @default "linear" */
  readonly rampShape?: string;
  /** Number of steps of --ramp-shape steps; the last step is the target. @default 5 */
  readonly rampSteps?: number;
  /**
   * Request rate over time, interpolated linearly: JSON or a JSON file,
   * [{"time_s":0,"qps":5},{"time_s":60,"qps":20}].
   */
  readonly requestRateSeries?: string;
  /** Maximum number of requests waiting for their first token; further requests are delayed. */
  readonly prefillConcurrency?: number;
  /** Time in which --prefill-concurrency rises from 1 to its value. In seconds. */
  readonly prefillConcurrencyRampDuration?: number;
  /**
   * Requests per second of --num-users users; each sends its next turn every users / rate seconds.
   */
  readonly userCentricRate?: number;
  /** Number of users of --user-centric-rate. */
  readonly numUsers?: number;
  /** Percentage of requests to cancel, except during warm-up. */
  readonly requestCancellationRate?: number;
  /** Time from the end of a request's write to its cancellation. In seconds. @default 0 */
  readonly requestCancellationDelay?: number;
  /**
   * Handling of HTTP 429: count as failed, or wait for Retry-After (at most 60 s) and retry.
   * @default "fail"
   */
  readonly on429?: string;
  /** Pattern that each answer must match (RE2 syntax); other answers count as failed. */
  readonly expectRegex?: string;
  /** Minimum output tokens of a reply, with reasoning; shorter replies count as failed. */
  readonly expectMinTokens?: number;
  /**
   * Number of load worker threads.
   * @default cores - 1, at most concurrency / 16; all cores if each would have over 128 streams or 500 arrivals/s; on small machines one per 120 of up to 600 streams, at most 4
   */
  readonly workers?: number;
  /** Number of warm-up requests; their prompts are not measured later. */
  readonly warmupRequestCount?: number;
  /** Number of warm-up sessions; their prompts are not measured later. */
  readonly numWarmupSessions?: number;
  /** Duration of the warm-up. In seconds. */
  readonly warmupDuration?: number;
  /** Grace period of requests in flight after --warmup-duration. In seconds. @default unlimited */
  readonly warmupGracePeriod?: number;
  /** Requests in flight during warm-up. @default the value of --concurrency */
  readonly warmupConcurrency?: number;
  /** Requests per second during warm-up. @default the value of --request-rate */
  readonly warmupRequestRate?: number;
  /** Arrival pattern during warm-up. @default the value of --arrival-pattern */
  readonly warmupArrivalPattern?: string;
  /**
   * Time in which the warm-up concurrency rises to its value. In seconds.
   * @default the value of --concurrency-ramp-duration
   */
  readonly warmupConcurrencyRampDuration?: number;
  /**
   * Time in which the warm-up request rate rises to its value. In seconds.
   * @default the value of --request-rate-ramp-duration
   */
  readonly warmupRequestRateRampDuration?: number;
  /**
   * Maximum number of requests waiting for their first token during warm-up.
   * @default the value of --prefill-concurrency
   */
  readonly warmupPrefillConcurrency?: number;
  /**
   * Time in which --warmup-prefill-concurrency rises to its value. In seconds.
   * @default the value of --prefill-concurrency-ramp-duration
   */
  readonly warmupPrefillConcurrencyRampDuration?: number;
  /** Objectives (SLOs) that a request must meet to count as good, in the metrics' units. */
  readonly goodput?: string;
  /** Count a request as good only if its answer is neither wrong nor invalid. @default false */
  readonly goodputNeedsCorrect?: boolean;
  /** Objectives on client and server metrics; exit with 3 if one is missed. */
  readonly slo?: readonly string[];
  /** Stop as soon as a client --slo can no longer be met. @default false */
  readonly abortOnSlo?: boolean;
  /**
   * Difference from the server's token counts reported as a discrepancy. In percent.
   * @default 10
   */
  readonly usageDiffThreshold?: number;
  /** Difference from the requested output length reported as a mismatch. In percent. @default 5 */
  readonly oslMismatchThreshold?: number;
  /**
   * Token difference reported as a mismatch; the smaller of both limits applies. In tokens.
   * @default 50
   */
  readonly oslMismatchMaxTokens?: number;
  /**
   * Price of all servers per hour, for cost per million tokens and per request. In currency per
   * hour.
   */
  readonly costPerHour?: number;
  /**
   * Stop and exit with 1 if the fraction of failed requests exceeds this; checked after 20 replies.
   * @default 1: only if all failed
   */
  readonly maxErrorRate?: number;
  /** Checks of answers: drift (a sample with and without load), answers (expected ones of rows). */
  readonly verify?: readonly string[];
  /** Prompts of about --isl tokens with known answers: arithmetic, copy, lookup; bare for all. */
  readonly verifyTasks?: readonly string[];
  /** Prompts of --verify drift. @default 32 */
  readonly verifySample?: number;
  /** Additional GPU exporters (localhost:9400 and :9401 are detected), or a .csv of DCGM fields. */
  readonly gpuTelemetry?: readonly string[];
  /** Number of GPUs behind the server, for throughput per GPU; or prefill=N decode=N. */
  readonly gpus?: readonly string[];
  /** Do not detect or collect GPU telemetry. @default false */
  readonly noGpuTelemetry?: boolean;
  /** Measure TCP connect time; also report latencies minus its mean. @default false */
  readonly networkLatencyAutomatic?: boolean;
  /** Network round-trip time; also report latencies minus this value. In ms. */
  readonly networkLatencyMean?: number;
  /** Interval between the TCP connects of --network-latency-automatic. In seconds. @default 1 */
  readonly networkLatencyPingInterval?: number;
  /**
   * Output folder; an own finished run is overwritten, otherwise a numbered folder is created.
   * @default artifacts/<model>-<endpoint>-<load>
   */
  readonly artifactDir?: string;
  /** Prefix of the file names. @default profile_export */
  readonly profileExportPrefix?: string;
  /**
   * Detail of the exported files: summaries, one line per request, or full requests and replies.
   * @default "records"
   */
  readonly exportLevel?: string;
  /**
   * Do not keep the records in run/; inferometer report then cannot regenerate the results.
   * @default false
   */
  readonly noRecords?: boolean;
  /** Do not measure the client error with canary streams over loopback. @default false */
  readonly noCanaries?: boolean;
  /** Port of 127.0.0.1 for the canary streams. @default a free port */
  readonly canaryPort?: number;
  /** Exit with 3 unless these statistics are valid; without names, those of --slo, else p50. */
  readonly requireValid?: string;
  /** Handling of an inconclusive --slo: pass, or fail with exit code 3. @default "pass" */
  readonly inconclusive?: string;
  /** Part of the run that is reported and evaluated. @default steady; run with --defaults aiperf */
  readonly window?: string;
  /**
   * Set of defaults: window, counts, prompts, token counts, retries, stall timeout.
   * @default "inferometer"
   */
  readonly defaults?: string;
  /** Do not write the HTML report. @default false */
  readonly noReport?: boolean;
  /** Add the HTTP phase times of each request to its record line. @default false */
  readonly exportHttpTrace?: boolean;
  /** Show a table of HTTP timings. @default false */
  readonly showTraceTiming?: boolean;
  /** Add a table of ITL by the definitions of AIPerf, vLLM, SGLang and GuideLLM. @default false */
  readonly itlDialects?: boolean;
  /** Label of the run, stored in the results; filter by it with inferometer runs --tag. */
  readonly tag?: readonly string[];
  /** Do not query the servers for version and configuration before the run. @default false */
  readonly noServerInfo?: boolean;
  /** Keep a finished run and write to a numbered folder. @default false */
  readonly keep?: boolean;
  /** Write to the folder even if it is not empty. @default false */
  readonly overwrite?: boolean;
  /** File for the textfile collector of Prometheus node_exporter. */
  readonly textfile?: string;
  /** OpenTelemetry collector for request metrics and traces (OTLP over HTTP). */
  readonly otlp?: string;
  /** Header sent to the collector, such as an API key. */
  readonly otlpHeader?: string | readonly string[];
  /** Fraction of requests whose traces are exported after the run; 0 for none. @default 1: all */
  readonly otlpTraces?: number;
  /** Interval between metric exports during the run. In seconds. @default 10 */
  readonly otlpInterval?: number;
  /** Data exported during the run; none: everything afterwards. @default ["metrics"] */
  readonly otlpStream?: readonly string[];
  /** Attributes of all data sent to the collector. */
  readonly otelResourceAttributes?: string | readonly string[];
  /** Provider name in exported data (gen_ai.provider.name). @default openai, the name of the API */
  readonly genAiProvider?: string;
  /** MLflow tracking server that gets settings, results and files after the run. */
  readonly mlflowTrackingUri?: string;
  /** MLflow experiment; created if missing. @default "inferometer" */
  readonly mlflowExperiment?: string;
  /** Name of the MLflow run. @default the folder name of the run */
  readonly mlflowRunName?: string;
  /** Tag of the MLflow run, key:value; several with commas, or as a JSON object. */
  readonly mlflowTag?: string | readonly string[];
  /** Parent MLflow run. */
  readonly mlflowParentRunId?: string;
  /**
   * Files uploaded to MLflow, as patterns: * within a folder, ** at any depth.
   * @default *: all except those in run/
   */
  readonly mlflowArtifactGlob?: readonly string[];
  /** Bearer token for the tracking server. */
  readonly mlflowToken?: string;
  /** Timeout for exporting results at the end of the run. In seconds. @default 60 */
  readonly exportTimeout?: number;
  /**
   * Shard of the load sent by this process: index/count (from 0), or detected: slurm, slurm-array,
   * k8s, mpi, auto.
   */
  readonly shard?: string;
  /** Two variables with the index and count of the shard, such as RANK,WORLD_SIZE. */
  readonly shardEnv?: string;
  /** Address of shard 0, where all shards meet to compare clocks and start together. */
  readonly rendezvous?: string;
  /** File with the token shared by all shards; else INFEROMETER_RENDEZVOUS_TOKEN. */
  readonly rendezvousTokenFile?: string;
  /** Token shared by all shards; prefer the variable INFEROMETER_RENDEZVOUS_TOKEN. */
  readonly rendezvousToken?: string;
  /** Maximum wait of the shards for each other; then the run fails. In seconds. @default 300 */
  readonly rendezvousTimeout?: number;
  /**
   * Folder on a shared file system for a common start without comparing clocks; created if missing.
   */
  readonly barrier?: string;
  /** Start of the first phase: ISO 8601 with a zone, seconds since 1970, or +seconds. */
  readonly startAt?: string;
  /**
   * Maximum delay of a phase start against the agreed time; then the run fails. In seconds.
   * @default 1
   */
  readonly maxLate?: number;
  /**
   * Send the files of each shard to shard 0 to be merged there, without a shared folder.
   * @default false
   */
  readonly collect?: boolean;
}
