import { ENDPOINT_TYPES, endpointType } from "../endpoint/endpoint_types.ts";
import { MAX_WORKERS } from "./run_plan.ts";
import type { ClientCertificate, ConnectionReuse } from "../http/transport.ts";
import { newBenchmarkId } from "./benchmark_id.ts";
import { checkOptions, chosen } from "../options/check_options.ts";
import { parseExtraInputs } from "./extra_inputs.ts";
import { parseObjectives } from "./objectives.ts";
import type { ProfileOptions } from "../options/profile_types.ts";
import { parseHeaders } from "./request_header.ts";
import { isSecretHeader } from "../secrets/secret_names.ts";
import { resolveDataset, resolveTokenizer } from "./resolve_dataset.ts";
import { resolveOrigin } from "./resolve_origin.ts";
import { resolveOutput } from "./resolve_output.ts";
import { resolvePhases } from "./resolve_phases.ts";
import type { PhasePlan, RunPlan, Target } from "./run_plan.ts";
import { parseTarget } from "./target_url.ts";
import { readCaCerts, readClientCert, readSystemCerts } from "./trust.ts";
import { metricsOfServer, namedMetricsUrl, type ParsedMetricsUrl } from "./metrics_url.ts";
import { originKey, resolveServerMetrics } from "./resolve_server_metrics.ts";
import type { ServerMetricsPlan } from "./server_metrics_plan.ts";
import { UsageError } from "../options/usage_error.ts";

const DEFAULT_URL = "http://localhost:8000";
const DEFAULT_TIMEOUT_SECONDS = 21_600;
/** So many concurrent requests are enough work for one load worker. */
const CONCURRENCY_PER_WORKER = 16;
const REUSE: readonly ConnectionReuse[] = ["pooled", "never", "sticky-user-sessions"];

/** What is needed to make a plan besides the options. */
export interface PlanContext {
  /** Cores of this machine. */
  readonly cores: number;
  /** The command line without secrets. */
  readonly cliCommand: string;
  /** Asks a server which model it serves; called only where none is named. */
  findModel(targets: readonly Target[], access: ServerAccess): Promise<string>;
}

/** How a server is spoken to outside of a benchmark. */
export interface ServerAccess {
  readonly headers: RunPlan["headers"];
  readonly caCerts: readonly string[];
  readonly systemCerts: readonly string[];
  readonly clientCert: ClientCertificate | undefined;
  readonly transport: RunPlan["transport"];
}

/**
 * Turns options into a plan: fills in defaults, checks every value and combination, reads
 * certificates, looks up names. Nothing is sent or written, unless the model has to be asked for.
 * @throws {UsageError} naming the option that cannot be used
 */
export async function resolvePlan(
  options: ProfileOptions,
  context: PlanContext,
): Promise<RunPlan> {
  checkOptions(options);
  const typeName = chosen(
    "endpointType",
    options.endpointType,
    [...ENDPOINT_TYPES.keys()],
    "chat",
  );
  const type = endpointType(typeName);
  if (options.customEndpoint !== undefined && !options.customEndpoint.startsWith("/")) {
    throw new UsageError(
      "--custom-endpoint",
      `Must begin with "/": got "${options.customEndpoint}"`,
    );
  }
  const urls = options.url ?? [DEFAULT_URL];
  const parsed = urls.map((url) => parseTarget(url, options.customEndpoint ?? type.path));
  if (parsed.length === 0) throw new UsageError("--url", "At least one is needed");
  const targets = await resolveTargets(parsed.map(({ target }) => target));
  const headers = headersOf(options);
  const metricsUrls = metricsUrlsOf(options, urls);
  const serverMetrics = await metricsPlan(options, metricsUrls, targets, headers);
  const secure = [...targets, ...serverMetrics?.endpoints ?? []].some(({ origin }) =>
    origin.protocol === "https:"
  );
  const access: ServerAccess = {
    headers,
    caCerts: await readCaCerts(options.caCert ?? []),
    systemCerts: secure ? await readSystemCerts() : [],
    clientCert: await readClientCert(options.clientCert, options.clientKey),
    transport: chosen("transport", options.transport, ["socket", "fetch"], "socket"),
  };
  const phases = resolvePhases(options);
  const profiling = phases.at(-1) as PhasePlan;
  const tokenizer = await resolveTokenizer(options.tokenizer);
  const streaming = options.streaming ?? false;
  const objectives = options.goodput === undefined
    ? []
    : parseObjectives(options.goodput, streaming);
  // Whatever is wrong here is told before a server is asked.
  resolveOutput(options, options.model ?? "", typeName, profiling);
  const model = options.model ?? await context.findModel(targets, access);
  return {
    benchmarkId: newBenchmarkId(),
    model,
    endpointType: typeName,
    targets,
    body: {
      model,
      streaming,
      legacyMaxTokens: options.useLegacyMaxTokens ?? false,
      extraInputs: parseExtraInputs(options.extraInputs ?? []),
      perChunkUsage: options.perChunkUsage ?? false,
    },
    ...access,
    reuse: chosen("connectionReuseStrategy", options.connectionReuseStrategy, REUSE, "pooled"),
    requestTimeoutNs: (options.requestTimeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1e9,
    readinessTimeoutNs: (options.waitForModelTimeout ?? 0) * 1e9,
    useServerTokenCount: options.useServerTokenCount ?? false,
    tokenizer,
    dataset: resolveDataset(options, phases),
    samplingStrategy: chosen(
      "datasetSamplingStrategy",
      options.datasetSamplingStrategy,
      ["sequential", "random", "shuffle"],
      "sequential",
    ),
    phases,
    workers: options.workers ?? defaultWorkers(phases, context.cores),
    seed: options.randomSeed ?? Math.floor(Math.random() * 2 ** 31),
    objectives,
    thresholds: {
      usageDiffPct: options.usageDiffThreshold ?? 10,
      oslMismatchPct: options.oslMismatchThreshold ?? 5,
      oslMismatchMaxTokens: options.oslMismatchMaxTokens ?? 50,
    },
    maxErrorRate: options.maxErrorRate ?? 1,
    serverMetrics,
    output: resolveOutput(options, model, typeName, profiling),
    secrets: secretsOf(
      options,
      headers,
      [...parsed, ...metricsUrls].flatMap(({ secrets }) => secrets),
    ),
    cliCommand: context.cliCommand,
  };
}

function metricsUrlsOf(options: ProfileOptions, urls: readonly string[]): ParsedMetricsUrl[] {
  if (options.noServerMetrics) return [];
  return [
    ...urls.map(metricsOfServer),
    ...(options.serverMetrics ?? []).map((url) => namedMetricsUrl(url, "--server-metrics")),
  ];
}

/**
 * The inference servers' own endpoints get the same key as their requests; hosts that are named for
 * their metrics alone do not get to see it.
 */
async function metricsPlan(
  options: ProfileOptions,
  urls: readonly ParsedMetricsUrl[],
  targets: readonly Target[],
  headers: RunPlan["headers"],
): Promise<ServerMetricsPlan | undefined> {
  if (options.noServerMetrics) return undefined;
  const known = new Map(targets.map(({ origin }) => [originKey(origin), origin]));
  const key = headers.find(([name]) => name.toLowerCase() === "authorization")?.[1];
  const plan = await resolveServerMetrics(options, urls, known);
  return {
    ...plan,
    endpoints: plan.endpoints.map((endpoint) => ({
      ...endpoint,
      authorization: endpoint.authorization ??
        (known.has(originKey(endpoint.origin)) ? key : undefined),
    })),
  };
}

/** The same server under several paths is looked up once and shares its connections. */
async function resolveTargets(targets: readonly Target[]): Promise<Target[]> {
  const origins = new Map<string, ReturnType<typeof resolveOrigin>>();
  return await Promise.all(targets.map(async (target) => {
    const key = originKey(target.origin);
    const pending = origins.get(key) ?? resolveOrigin(target.origin);
    origins.set(key, pending);
    return { ...target, origin: await pending };
  }));
}

function headersOf(options: ProfileOptions): [string, string][] {
  const headers = parseHeaders(options.header ?? []);
  if (options.apiKey === undefined) return headers;
  // deno-lint-ignore no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(options.apiKey) || options.apiKey === "") {
    throw new UsageError("--api-key", "Must not be empty or have control characters");
  }
  const others = headers.filter(([name]) => name.toLowerCase() !== "authorization");
  return [...others, ["Authorization", `Bearer ${options.apiKey}`]];
}

function secretsOf(
  options: ProfileOptions,
  headers: readonly (readonly [string, string])[],
  urlSecrets: readonly string[],
): string[] {
  const secrets = headers.filter(([name]) => isSecretHeader(name)).flatMap(([, value]) => [
    value,
    value.replace(/^(Bearer|Basic|Token)\s+/i, ""),
  ]);
  if (options.apiKey !== undefined) secrets.push(options.apiKey);
  return [...new Set([...secrets, ...urlSecrets])].filter((secret) => secret !== "");
}

function defaultWorkers(phases: readonly PhasePlan[], cores: number): number {
  const concurrency = Math.max(...phases.map(({ load }) => load.concurrency));
  const enough = Math.ceil(concurrency / CONCURRENCY_PER_WORKER);
  return Math.max(1, Math.min(cores - 1, enough, MAX_WORKERS));
}
