import { parseGpuCounts } from "../gpu_counts.ts";
import { parseRequiredValidity } from "../../gate/required_validity.ts";
import { resolveNetworkLatency } from "../network_latency_plan.ts";
import { type HubSettings, hubSettings } from "../../hub/hub_settings.ts";
import { newBenchmarkId } from "./benchmark_id.ts";
import { defaultSeed } from "./default_seed.ts";
import { environmentVariable } from "../../options/environment_variable.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { checkExtraInputs } from "./extra_inputs.ts";
import { resolveSlos } from "./resolve_slos.ts";
import { goodputObjectives } from "./objectives.ts";
import { parseTags } from "./tags.ts";
import type { ProfileOptions } from "../../options/profile/profile_types.ts";
import { pageRedactor, type Redactor, redactor } from "../../../core/secrets/redactor.ts";
import { secretsOfFields } from "../../../core/secrets/secret_fields.ts";
import { secretsOfUrl } from "../../../core/secrets/url_secrets.ts";
import { scenarioSettings } from "../prompts/scenario_locks.ts";
import { resolveAgents } from "../prompts/resolve_agents.ts";
import { resolveDataset, resolveTokenizer, resolveTurnDelays } from "../prompts/resolve_dataset.ts";
import { checkChatTemplate, resolvePrompts } from "../prompts/resolve_prompts.ts";
import { checkShard } from "../load/check_shard.ts";
import { phaseOfShard } from "../phase_of_shard.ts";
import { type ReadVariable, shardIdentity, unshardedWarning } from "../../shard/shard_identity.ts";
import { outputOfShard, pagesOfShard } from "./shard_parts.ts";
import { checkSessions } from "./check_sessions.ts";
import { meantSettings } from "./meant_settings.ts";
import type { InputFacts } from "../input_facts.ts";
import { resolveInput } from "../prompts/resolve_input.ts";
import { mediaNotices } from "../prompts/resolve_media.ts";
import { endpointNotices, resolveEndpoint, targetsOfModel } from "./resolve_endpoint.ts";
import { resolveOutput } from "./resolve_output.ts";
import { resolveVerify } from "./resolve_verify.ts";
import { resolveExpectation } from "./resolve_expectation.ts";
import { resolvePhases } from "../load/resolve_phases.ts";
import { resolvePublicDataset } from "../prompts/resolve_public_dataset.ts";
import type { PhasePlan, RatePoint, RunPlan, Target } from "../run_plan.ts";
import { calibrationNotices, type Machine, plannedWorkers } from "../load/planned_workers.ts";
import { planNotices } from "./plan_notices.ts";
import { resolveModelSelection } from "../model_selection_plan.ts";
import { proxyNotices } from "../servers/proxy_notice.ts";
import { proxyOf } from "../../options/proxy_of.ts";
import type { ServerAccess } from "../server_access.ts";
import { resolveServers } from "../servers/resolve_servers.ts";
import { resolveStallTimeout } from "../load/resolve_stall_timeout.ts";
import { resolveStart } from "../load/resolve_start.ts";
import { resolveSystems } from "../servers/resolve_systems.ts";
import { UsageError } from "../../options/usage_error.ts";

/** Where canaries come from. */
const LOOPBACK = "127.0.0.1";

/** Inputs of a plan besides the options. */
export interface PlanContext extends Machine {
  /** Texts that must never appear, in addition to those in the options of the run. */
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
  /**
   * Called with what is wrong with a server's name that is not known, in a plan that is checked and
   * not run; absent where that is an error.
   */
  onUnknownHost?(error: UsageError): void;
  /** Called with what the user must know before anything is sent. */
  onWarning?(text: string): void;
  /** Called with what was found out by itself. */
  onNotice?(text: string): void;
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
  const { settings: meant, notices } = meantSettings(options);
  const settings = scenarioSettings(meant);
  const parts = await resolveParts(settings, context);
  const { shard, start, servers, phases, profiling, prompts, systems } = parts;
  const { endpointSettings, omittedInputs } = parts.endpoint;
  const secrets = [...new Set(secretsOf(parts, context))];
  const redact = redactor(secrets);
  const ownPhases = phases.map((phase) => phaseOfShard(phase, shard));
  const workers = plannedWorkers(settings, ownPhases, context);
  const own = { phase: ownPhases.at(-1) as PhasePlan, workers };
  const told = [...noticesOf(settings, parts, context, own), ...notices];
  for (const notice of told) context.onWarning?.(notice);
  const turnDelays = resolveTurnDelays(settings);
  const { targets, access } = servers;
  const { models, tokenizer } = await resolveModels(settings, parts, context, redact);
  const modelSelection = resolveModelSelection(settings, models.length);
  return {
    benchmarkId: newBenchmarkId(),
    models,
    ...(modelSelection === undefined ? {} : { modelSelection }),
    endpointType: settings.endpointType,
    ...(endpointSettings === undefined ? {} : { endpointSettings }),
    ...(omittedInputs.length === 0 ? {} : { omittedInputs }),
    targets: targetsOfModel(targets, models),
    body: parts.body,
    ...access,
    reuse: settings.connectionReuseStrategy,
    ...(settings.sessionHeader === undefined ? {} : { sessionHeader: settings.sessionHeader }),
    requestTimeoutNs: settings.requestTimeoutSeconds * 1e9,
    ...resolveStallTimeout(settings, parts.body),
    ...(settings.defaults === "aiperf" ? { retries: "never" as const } : {}),
    useServerTokenCount: settings.useServerTokenCount,
    ...(prefersUsage(settings, tokenizer) ? { prefersUsage: true as const } : {}),
    tokenizer,
    dataset: parts.dataset,
    ...(prompts.systemPrompt === undefined ? {} : { systemPrompt: prompts.systemPrompt }),
    ...(prompts.cacheBust === undefined ? {} : { cacheBust: prompts.cacheBust }),
    ...(parts.agents?.scenario?.marksRuns ? { marksRun: true as const } : {}),
    ...(settings.prefixHitRate === undefined ? {} : { prefixHitRate: settings.prefixHitRate }),
    ...(settings.applyChatTemplate ? { appliesChatTemplate: true as const } : {}),
    ...(turnDelays === undefined ? {} : { turnDelays }),
    samplingStrategy: settings.datasetSamplingStrategy,
    phases,
    workers,
    canaries: !settings.noCanaries,
    canaryPort: settings.canaryPort,
    // No proxy finds this machine's own address, and none is to see what goes there.
    ...(access.transport === "fetch" && isProxied(LOOPBACK, variableReader(context))
      ? { canaryTransport: "socket" }
      : {}),
    seed: parts.seed,
    ...judgedBy(settings, parts),
    tags: parts.tags.map(([name, value]) => [name, redact(value)]),
    serverInfo: !settings.noServerInfo,
    maxErrorRate: settings.maxErrorRate,
    waitOn429: settings.on429 === "wait",
    ...(parts.verify === undefined ? {} : { verify: parts.verify }),
    ...(parts.expectation === undefined ? {} : { expectation: parts.expectation }),
    ...pagesOfShard(servers, shard),
    networkLatency: resolveNetworkLatency(settings, targets),
    output: outputOfShard(resolveOutput(settings, models, settings.endpointType, profiling), shard),
    ...(shard === undefined ? {} : { shard }),
    ...(start === undefined ? {} : { start }),
    systems: systems.plan,
    secrets,
    cliCommand: pageRedactor(secrets)(context.cliCommand),
  };
}

/** Resolves options before a server is queried, in the order in which errors are reported. */
async function resolveParts(settings: ProfileSettings, context: PlanContext) {
  const shard = shardIdentity(settings.shard, settings.shardEnv, variableReader(context));
  const endpoint = await resolveEndpoint(settings);
  const { type, extraInputs } = endpoint;
  const streaming = settings.streaming && type.writer.stream !== undefined;
  if ((settings.model ?? []).some((name) => /\p{Cc}/u.test(name))) {
    throw new UsageError("--model", "Must not have control characters");
  }
  const servers = await resolveServers(settings, type, streaming, context.onUnknownHost);
  const { inputFile, customDatasetType } = settings;
  const facts = inputFile === undefined ? undefined : await context.inspectInput?.(
    inputFile,
    // A file of JSON may still be what a run wrote; lines are bodies, whatever is in them.
    customDatasetType ?? (type.takesBodies && !/\.json$/i.test(inputFile) ? BODIES : undefined),
  );
  if (facts?.notice !== undefined) context.onNotice?.(facts.notice);
  const input = resolveInput(settings, facts);
  const series = await pointsOf(settings.requestRateSeries);
  const agents = resolveAgents(settings, facts, type);
  const phases = resolvePhases(settings, {
    series,
    isSchedule: input.schedule !== undefined,
    hasAgents: agents !== undefined,
    endsWithFirstIdle: agents?.scenario?.endsWithFirstIdle === true,
  });
  const profiling = phases.at(-1) as PhasePlan;
  if (shard !== undefined) checkShard(shard, phases);
  const start = await resolveStart(settings, shard);
  const objectives = goodputObjectives(settings);
  const verify = resolveVerify(settings, type);
  const slos = resolveSlos(settings, servers.customFields, verify);
  const tags = parseTags(settings.tag ?? []);
  const expectation = await resolveExpectation(settings, type);
  // Defects are reported before a server is asked, or waited for.
  const named = namedModels(settings);
  if (named.length !== 1) targetsOfModel(servers.targets, named);
  resolveOutput(settings, named, settings.endpointType, profiling);
  const given = await resolvePrompts(settings, type);
  // A second run on a warm server would measure the cache of the first one.
  const isMarked = agents !== undefined && settings.cacheBust === undefined;
  const prompts = isMarked ? { ...given, cacheBust: "first-turn-prefix" as const } : given;
  const publicDataset = await resolvePublicDataset(settings, {
    type,
    phases,
    hub: context.hub ?? hubSettings(),
  });
  const seed = settings.randomSeed ?? defaultSeed(shard);
  const dataset = resolveDataset(
    settings,
    phases,
    input,
    seed,
    prompts.prompts,
    publicDataset,
    agents,
  );
  checkSessions(settings, type);
  const body = {
    streaming,
    legacyMaxTokens: settings.useLegacyMaxTokens,
    extraInputs,
    perChunkUsage: settings.perChunkUsage,
  };
  checkExtraInputs(type, { ...body, model: named?.[0] ?? "" }, dataset);
  const systems = await resolveSystems(settings, servers.access.caCerts);
  const tokenizer = settings.tokenizer === undefined
    ? undefined
    : await tokenizerOf(settings, context, undefined);
  return {
    ...{ shard, start, endpoint, servers, input, phases, profiling, body, dataset, publicDataset },
    ...{ agents, named, objectives, slos, tags, expectation, verify, prompts, systems, seed },
    /** undefined where the model names it. */
    tokenizer,
  };
}

/** The models, and the tokenizer that the first of them may name; asks a server where none is named. */
async function resolveModels(
  settings: ProfileSettings,
  { named, servers: { targets, access }, tokenizer: namedTokenizer }: PlanParts,
  context: PlanContext,
  redact: Redactor,
): Promise<Pick<RunPlan, "models" | "tokenizer">> {
  const models = named.length > 0
    ? named
    : (await foundModels(context, targets, access)).map(redact);
  const tokenizer = namedTokenizer ?? await tokenizerOf(settings, context, models[0]);
  checkChatTemplate(settings, tokenizer);
  return { models, tokenizer };
}

/** Points of a rate over time; read with positions, by a library that few runs need. */
async function pointsOf(given: string | undefined): Promise<RatePoint[] | undefined> {
  if (given === undefined) return undefined;
  const { resolveRateSeries } = await import("../load/resolve_rate_series.ts");
  return await resolveRateSeries(given);
}

type PlanParts = Awaited<ReturnType<typeof resolveParts>>;

/** Returns the texts that must never appear. */
function secretsOf(
  { endpoint, servers, systems, start, tokenizer, publicDataset }: PlanParts,
  context: PlanContext,
): string[] {
  return [
    ...context.secrets ?? [],
    ...servers.secrets,
    ...secretsOfFields(endpoint.extraInputs),
    ...endpoint.secrets,
    ...systems.secrets,
    ...(start?.by === "rendezvous" ? [start.token] : []),
    ...[tokenizer, publicDataset?.place].flatMap((place) =>
      place?.kind === "hub" ? secretsOfUrl(new URL(place.endpoint)) : []
    ),
  ];
}

/** Returns the rules by which requests and the run are evaluated. */
function judgedBy(
  settings: ProfileSettings,
  { objectives, slos }: PlanParts,
): Pick<
  RunPlan,
  | "objectives"
  | "thresholds"
  | "slos"
  | "abortOnSlo"
  | "requireValid"
  | "failsInconclusive"
  | "shownWindow"
  | "costPerHour"
  | "gpus"
> {
  const gpus = parseGpuCounts(settings.gpus);
  const requireValid = parseRequiredValidity(settings.requireValid);
  return {
    objectives,
    thresholds: {
      usageDiffPct: settings.usageDiffThreshold,
      oslMismatchPct: settings.oslMismatchThreshold,
      oslMismatchMaxTokens: settings.oslMismatchMaxTokens,
    },
    slos,
    abortOnSlo: settings.abortOnSlo,
    ...(requireValid === undefined ? {} : { requireValid }),
    ...(settings.inconclusive === "fail" ? { failsInconclusive: true } : {}),
    ...((settings.window ?? (settings.defaults === "aiperf" ? "run" : "steady")) === "run"
      ? { shownWindow: "run" }
      : {}),
    costPerHour: settings.costPerHour,
    ...(gpus === undefined ? {} : { gpus }),
  };
}

/** Returns the notes for the user before anything is sent. */
function noticesOf(
  settings: ProfileSettings,
  { shard, endpoint: { type }, servers, input, profiling, objectives, prompts, body, systems }:
    PlanParts,
  context: PlanContext,
  own: { readonly phase: PhasePlan; readonly workers: number },
): string[] {
  const unsharded = shard === undefined ? unshardedWarning(variableReader(context)) : undefined;
  return [
    ...(unsharded === undefined ? [] : [unsharded]),
    ...input.warnings,
    ...planNotices(settings, profiling, objectives),
    ...prompts.notices,
    ...endpointNotices(type, settings),
    ...mediaNotices(settings, type),
    ...(body.streaming ? calibrationNotices(context.calibration, own.phase, own.workers) : []),
    ...(servers.access.transport === "fetch" ? proxyNotices(servers.targets) : []),
    ...systems.notices,
    ...servers.notices,
  ];
}

/** Whether `fetch` asks a host of this name through a proxy, with or without TLS. */
function isProxied(hostname: string, variable: ReadVariable): boolean {
  return ["http:", "https:"].some((protocol) =>
    proxyOf({ protocol, hostname }, variable) !== undefined
  );
}

function variableReader({ readVariable }: PlanContext): ReadVariable {
  return readVariable ?? environmentVariable;
}

/** @param model whose tokenizer it is where none is named */
function tokenizerOf(
  { tokenizer, tokenizerRevision: revision, offline }: ProfileSettings,
  context: PlanContext,
  model: string | undefined,
): Promise<RunPlan["tokenizer"]> {
  return resolveTokenizer({
    ...{ tokenizer, revision, model, offline },
    hub: context.hub ?? hubSettings(),
  });
}

/** Whether no tokenizer was named and the model's own is not at hand. */
function prefersUsage(
  { tokenizer, useServerTokenCount, defaults }: ProfileSettings,
  { kind }: RunPlan["tokenizer"],
): boolean {
  return tokenizer === undefined && kind === "builtin" && !useServerTokenCount &&
    defaults !== "aiperf";
}

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
