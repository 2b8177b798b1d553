import { resolveNetworkLatency } from "./network_latency_plan.ts";
import type { EndpointType } from "../endpoint/endpoint_type.ts";
import type { ClientCertificate } from "../http/transport.ts";
import { type HubSettings, hubSettings } from "../hub/hub_settings.ts";
import { newBenchmarkId } from "./benchmark_id.ts";
import { flagOf } from "../options/option.ts";
import { environmentVariable } from "../options/environment_variable.ts";
import { PROFILE_OPTIONS, type ProfileSettings } from "../options/profile_options.ts";
import { resolveOptions } from "../options/resolve_options.ts";
import { checkExtraInputs } from "./extra_inputs.ts";
import { resolveSlos } from "./resolve_slos.ts";
import { parseObjectives } from "./objectives.ts";
import { parseTags } from "./tags.ts";
import type { ProfileOptions } from "../options/profile_types.ts";
import { MAX_HEADER_LENGTH, parseHeaders } from "./request_header.ts";
import { pageRedactor, redactor } from "../secrets/redactor.ts";
import { secretsOfFields } from "../secrets/secret_fields.ts";
import { secretsOfHeaders } from "../secrets/secret_headers.ts";
import { secretsOfUrl } from "../secrets/url_secrets.ts";
import { resolveDataset, resolveTokenizer, resolveTurnDelays } from "./resolve_dataset.ts";
import { checkChatTemplate, resolvePrompts } from "./resolve_prompts.ts";
import { checkShard } from "./check_shard.ts";
import { phaseOfShard } from "./phase_of_shard.ts";
import { type ReadVariable, shardIdentity, unshardedWarning } from "../partition/shard_identity.ts";
import { type Shard, shardFolderName } from "../partition/shard.ts";
import { checkSessions } from "./check_sessions.ts";
import { type InputFacts, resolveInput } from "./resolve_input.ts";
import { mediaNotices } from "./resolve_media.ts";
import { resolveOrigin } from "./resolve_origin.ts";
import { endpointNotices, resolveEndpoint, targetsOfModel } from "./resolve_endpoint.ts";
import { resolveOutput } from "./resolve_output.ts";
import { resolveExpectation } from "./resolve_expectation.ts";
import { resolvePhases } from "./resolve_phases.ts";
import { resolvePublicDataset } from "./resolve_public_dataset.ts";
import { resolveRateSeries } from "./resolve_rate_series.ts";
import type { OutputPlan, PhasePlan, RunPlan, Target } from "./run_plan.ts";
import { calibrationNotices, type Machine, plannedWorkers } from "./planned_workers.ts";
import { planNotices } from "./plan_notices.ts";
import { resolveModelSelection } from "./model_selection_plan.ts";
import { parseGpuTelemetry, resolveGpuTelemetry } from "./resolve_gpu_telemetry.ts";
import { endpointPath, parseTarget, splitUrls } from "./target_url.ts";
import { readCaCerts, readCertificate, readSystemCerts } from "./trust.ts";
import { metricsOfServer, namedMetricsUrl, type ParsedMetricsUrl } from "./metrics_url.ts";
import { proxyNotices } from "./proxy_notice.ts";
import { originKey, resolveServerMetrics, scrapeSettings } from "./resolve_server_metrics.ts";
import { resolveStart } from "./resolve_start.ts";
import { resolveSystems } from "./resolve_systems.ts";
import type { ServerMetricsPlan } from "./server_metrics_plan.ts";
import { UsageError } from "../options/usage_error.ts";

/** Inputs of a plan besides the options. */
export interface PlanContext extends Machine {
  /** Texts that appear nowhere, besides those that the options of the run hold. */
  readonly secrets?: readonly string[];
  /** The command line without secrets. */
  readonly cliCommand: string;
  /** Where names of tokenizers are looked up; those of the environment where it is missing. */
  readonly hub?: HubSettings;
  /** Reads a variable of the environment; the process' own where it is missing. */
  readonly readVariable?: ReadVariable;
  /**
   * Asks a server which model it serves; called only where none is named. undefined leaves it open,
   * in a plan that is shown and not run.
   */
  findModel(targets: readonly Target[], access: ServerAccess): Promise<string | undefined>;
  /**
   * Looks at the beginning of the input file; undefined where it cannot. Without it the file is
   * looked at when it is read.
   * @param format that the user named, if any
   */
  inspectInput?(path: string, format: string | undefined): Promise<InputFacts | undefined>;
  /** Called with what the user must know before anything is sent. */
  onWarning?(text: string): void;
  /** Called with what was found out by itself. */
  onNotice?(text: string): void;
}

/** Access to a server outside of a benchmark. */
export interface ServerAccess {
  /** How long to wait for it at most; 0 for not at all. */
  readonly readinessTimeoutNs: number;
  readonly readinessMode?: RunPlan["readinessMode"];
  readonly readinessIntervalNs?: number | undefined;
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
  const settings = resolveOptions(PROFILE_OPTIONS, options);
  const readVariable = context.readVariable ?? environmentVariable;
  const shard = shardIdentity(settings.shard, settings.shardEnv, readVariable);
  const { customEndpoint, endpointType: typeName } = settings;
  const endpoint = await resolveEndpoint(settings);
  const { type, endpointSettings, extraInputs } = endpoint;
  const streaming = settings.streaming && type.writer.stream !== undefined;
  if ((settings.model ?? []).some((name) => /\p{Cc}/u.test(name))) {
    throw new UsageError("--model", "Must not have control characters");
  }
  const path = (customEndpoint === undefined ? undefined : endpointPath(customEndpoint)) ??
    (streaming ? type.streamingPath : undefined) ?? type.path;
  const urls = settings.url.flatMap(splitUrls);
  const parsed = urls.map((url) => parseTarget(url, path));
  if (parsed.length === 0) throw new UsageError("--url", "At least one is needed");
  const targets = await resolveTargets(parsed.map(({ target }) => target));
  const headers = headersOf(settings, type);
  const metricsUrls = metricsUrlsOf(settings, urls);
  const serverMetrics = await metricsPlan(settings, metricsUrls, targets, headers);
  const gpus = await parseGpuTelemetry(settings.gpuTelemetry ?? []);
  const gpuTelemetry = settings.noGpuTelemetry
    ? undefined
    : await resolveGpuTelemetry(gpus, scrapeSettings(settings), knownOrigins(targets));
  const scraped = [...serverMetrics?.endpoints ?? [], ...gpuTelemetry?.endpoints ?? []];
  const secure = [...targets, ...scraped].some(({ origin }) => origin.protocol === "https:");
  const access: ServerAccess = {
    ...readinessOf(settings),
    headers,
    caCerts: await readCaCerts(settings.caCert ?? []),
    systemCerts: secure ? await readSystemCerts() : [],
    clientCert: await readCertificate(settings.clientCert, settings.clientKey),
    transport: settings.transport,
  };
  const { inputFile, customDatasetType } = settings;
  const facts = inputFile === undefined ? undefined : await context.inspectInput?.(
    inputFile,
    // A file of JSON may still be what a run wrote; lines are bodies, whatever is in them.
    customDatasetType ?? (type.takesBodies && !/\.json$/i.test(inputFile) ? BODIES : undefined),
  );
  if (facts?.notice !== undefined) context.onNotice?.(facts.notice);
  const input = resolveInput(settings, facts);
  const series = settings.requestRateSeries === undefined
    ? undefined
    : await resolveRateSeries(settings.requestRateSeries);
  const phases = resolvePhases(settings, { series, isSchedule: input.schedule !== undefined });
  const profiling = phases.at(-1) as PhasePlan;
  if (shard !== undefined) checkShard(shard, phases);
  const start = await resolveStart(settings, shard);
  const tokenizerOf = (model: string | undefined) =>
    resolveTokenizer({
      tokenizer: settings.tokenizer,
      revision: settings.tokenizerRevision,
      model,
      offline: settings.offline,
      hub: context.hub ?? hubSettings(),
    });
  const objectives = settings.goodput === undefined ? [] : parseObjectives(settings.goodput);
  const slos = resolveSlos(settings, gpus.customFields);
  const tags = parseTags(settings.tag ?? []);
  const expectation = await resolveExpectation(settings, type);
  // Defects are reported before a server is asked, or waited for.
  const named = namedModels(settings);
  if (named.length !== 1) targetsOfModel(targets, named);
  resolveOutput(settings, named, typeName, profiling);
  const { prompts, systemPrompt, cacheBust, notices: promptNotices } = await resolvePrompts(
    settings,
    type,
  );
  const publicDataset = await resolvePublicDataset(settings, {
    type,
    phases,
    hub: context.hub ?? hubSettings(),
  });
  const dataset = resolveDataset(settings, phases, input, prompts, publicDataset);
  checkSessions(settings, type);
  const body = {
    streaming,
    legacyMaxTokens: settings.useLegacyMaxTokens,
    extraInputs,
    perChunkUsage: settings.perChunkUsage,
  };
  checkExtraInputs(type, { ...body, model: named?.[0] ?? "" }, dataset);
  const systems = await resolveSystems(settings, access.caCerts);
  const namedTokenizer = settings.tokenizer === undefined
    ? undefined
    : await tokenizerOf(undefined);
  const secrets = [
    ...context.secrets ?? [],
    ...secretsOfHeaders(headers),
    ...secretsOfFields(extraInputs),
    ...endpoint.secrets,
    ...[...parsed, ...metricsUrls, ...gpus.urls].flatMap(({ secrets }) => secrets),
    ...systems.secrets,
    ...(start?.by === "rendezvous" ? [start.token] : []),
    ...[namedTokenizer, publicDataset?.place].flatMap((place) =>
      place?.kind === "hub" ? secretsOfUrl(new URL(place.endpoint)) : []
    ),
  ];
  const redact = redactor(secrets);
  const ownPhases = phases.map((phase) => phaseOfShard(phase, shard));
  const ownProfiling = ownPhases.at(-1) as PhasePlan;
  const workers = plannedWorkers(settings, ownPhases, context);
  const unsharded = shard === undefined ? unshardedWarning(readVariable) : undefined;
  const notices = [
    ...(unsharded === undefined ? [] : [unsharded]),
    ...input.warnings,
    ...planNotices(settings, profiling, objectives),
    ...promptNotices,
    ...endpointNotices(type, settings),
    ...mediaNotices(settings, type),
    ...(streaming ? calibrationNotices(context.calibration, ownProfiling, workers) : []),
    ...(access.transport === "fetch" ? proxyNotices(targets) : []),
    ...systems.notices,
    ...gpus.notices,
  ];
  for (const notice of notices) context.onWarning?.(notice);
  const turnDelays = resolveTurnDelays(settings);
  const models = named.length > 0
    ? named
    : (await foundModels(context, targets, access)).map(redact);
  const tokenizer = namedTokenizer ?? await tokenizerOf(models[0]);
  checkChatTemplate(settings, tokenizer);
  const modelSelection = resolveModelSelection(settings, models.length);
  return {
    benchmarkId: newBenchmarkId(),
    models,
    ...(modelSelection === undefined ? {} : { modelSelection }),
    endpointType: typeName,
    ...(endpointSettings === undefined ? {} : { endpointSettings }),
    targets: targetsOfModel(targets, models),
    body,
    ...access,
    reuse: settings.connectionReuseStrategy,
    ...(settings.sessionHeader === undefined ? {} : { sessionHeader: settings.sessionHeader }),
    requestTimeoutNs: settings.requestTimeoutSeconds * 1e9,
    useServerTokenCount: settings.useServerTokenCount,
    tokenizer,
    dataset,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(cacheBust === undefined ? {} : { cacheBust }),
    ...(settings.applyChatTemplate ? { appliesChatTemplate: true as const } : {}),
    ...(turnDelays === undefined ? {} : { turnDelays }),
    samplingStrategy: settings.datasetSamplingStrategy,
    phases,
    workers,
    canaries: !settings.noCanaries,
    canaryPort: settings.canaryPort,
    seed: settings.randomSeed ?? defaultSeed(shard),
    objectives,
    thresholds: {
      usageDiffPct: settings.usageDiffThreshold,
      oslMismatchPct: settings.oslMismatchThreshold,
      oslMismatchMaxTokens: settings.oslMismatchMaxTokens,
    },
    slos,
    abortOnSlo: settings.abortOnSlo,
    requireValid: settings.requireValid,
    costPerHour: settings.costPerHour,
    tags: tags.map(([name, value]) => [name, redact(value)]),
    serverInfo: !settings.noServerInfo,
    maxErrorRate: settings.maxErrorRate,
    waitOn429: settings.on429 === "wait",
    ...(expectation === undefined ? {} : { expectation }),
    // Every shard would read the same pages.
    serverMetrics: (shard?.index ?? 0) > 0 ? undefined : serverMetrics,
    gpuTelemetry: (shard?.index ?? 0) > 0 ? undefined : gpuTelemetry,
    networkLatency: resolveNetworkLatency(settings, targets),
    output: outputOfShard(resolveOutput(settings, models, typeName, profiling), shard),
    ...(shard === undefined ? {} : { shard }),
    ...(start === undefined ? {} : { start }),
    systems: systems.plan,
    secrets: [...new Set(secrets)],
    cliCommand: pageRedactor(secrets)(context.cliCommand),
  };
}

/** How servers are waited for. */
function readinessOf(
  { waitForModelTimeout, waitForModelMode, waitForModelInterval }: ProfileSettings,
) {
  if (waitForModelTimeout === 0 && (waitForModelMode !== "models" || waitForModelInterval)) {
    const name = waitForModelMode === "models" ? "waitForModelInterval" : "waitForModelMode";
    throw new UsageError(flagOf(name), "Needs --wait-for-model-timeout: without it nobody waits");
  }
  return {
    readinessTimeoutNs: waitForModelTimeout * 1e9,
    ...(waitForModelMode === "models" ? {} : { readinessMode: waitForModelMode }),
    ...(waitForModelInterval === undefined
      ? {}
      : { readinessIntervalNs: waitForModelInterval * 1e9 }),
  };
}

/** Shards must come to the same prompts and arrivals without a word. */
function defaultSeed(shard: Shard | undefined): number {
  return shard === undefined ? Math.floor(Math.random() * 2 ** 31) : SHARD_SEED;
}

/** Each shard has a folder of its own inside of that which they all name. */
function outputOfShard(output: OutputPlan, shard: Shard | undefined): OutputPlan {
  if (shard === undefined) return output;
  return {
    ...output,
    directory: `${output.directory.replace(/(?<=.)\/+$/, "")}/${shardFolderName(shard)}`,
    existing: output.existing === "overwrite" ? "overwrite" : "refuse",
  };
}

/** Seed of shards where none was given. */
const SHARD_SEED = 0;

/** The format of input files whose lines are bodies. */
const BODIES = "raw-payload";

/** The models that the options name, in their order. */
function namedModels({ model = [] }: ProfileSettings): string[] {
  const names = model.flatMap((text) => text.split(",")).map((name) => name.trim());
  if (names.includes("")) throw new UsageError("--model", "Must not be empty");
  return names;
}

async function foundModels(
  context: PlanContext,
  targets: readonly Target[],
  access: ServerAccess,
): Promise<string[]> {
  const model = await context.findModel(targets, access);
  return model === undefined ? [] : [model];
}

function metricsUrlsOf(settings: ProfileSettings, urls: readonly string[]): ParsedMetricsUrl[] {
  if (settings.noServerMetrics) return [];
  return [
    ...urls.map(metricsOfServer),
    ...(settings.serverMetrics ?? []).flatMap(splitUrls)
      .map((url) => namedMetricsUrl(url, "--server-metrics")),
  ];
}

/**
 * The inference servers' own endpoints get the same key as their requests; hosts that are named for
 * their metrics alone do not get to see it.
 */
async function metricsPlan(
  settings: ProfileSettings,
  urls: readonly ParsedMetricsUrl[],
  targets: readonly Target[],
  headers: RunPlan["headers"],
): Promise<ServerMetricsPlan | undefined> {
  if (settings.noServerMetrics) return undefined;
  const known = knownOrigins(targets);
  const key = headers.find(([name]) => name.toLowerCase() === "authorization")?.[1];
  const plan = await resolveServerMetrics(settings, urls, known);
  return {
    ...plan,
    endpoints: plan.endpoints.map((endpoint) => ({
      ...endpoint,
      authorization: endpoint.authorization ??
        (known.has(originKey(endpoint.origin)) ? key : undefined),
    })),
  };
}

/** Origins whose names are looked up, by protocol and host. */
function knownOrigins(targets: readonly Target[]): Map<string, Target["origin"]> {
  return new Map(targets.map(({ origin }) => [originKey(origin), origin]));
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

function headersOf(
  { header = [], apiKey }: ProfileSettings,
  { keyHeader }: EndpointType,
): [string, string][] {
  const headers = parseHeaders(header);
  if (apiKey === undefined) return headers;
  if (/\p{Cc}/u.test(apiKey) || apiKey.length > MAX_HEADER_LENGTH) {
    throw new UsageError(
      "--api-key",
      `Must not have control characters, nor more than ${MAX_HEADER_LENGTH} characters at all`,
    );
  }
  const own = keyHeader ?? "Authorization";
  const others = headers.filter(([name]) => name.toLowerCase() !== own.toLowerCase());
  return [...others, [own, keyHeader === undefined ? `Bearer ${apiKey}` : apiKey]];
}
