import type { LengthShare, PromptsPlan } from "../../config/plan/prompts_plan.ts";
import { replaysSessions } from "../../config/plan/replays_sessions.ts";
import type { PublicDatasetPlan } from "../../config/plan/public_dataset_plan.ts";
import { publicDataset } from "../../config/public_datasets/public_datasets.ts";
import { redactedUrlText } from "../../core/secrets/url_secrets.ts";
import { cacheWarmupPhase } from "../../config/plan/cache_warmup_phase.ts";
import type {
  DatasetPlan,
  LoadPlan,
  PhasePlan,
  RampPlan,
  RunPlan,
} from "../../config/plan/run_plan.ts";
import type { ImagesPlan, Spread } from "../../config/plan/media_plan.ts";
import { pacerPermissions, type ThreadPermissions } from "../../config/sandbox/permissions.ts";
import { earlyHosts, threadPermissions } from "../../run/runner/thread_permissions.ts";
import type { SweepManifest } from "../../report/sweep/sweep_manifest.ts";
import { printableText } from "../../report/console/printable_text.ts";
import { renderTable } from "../../report/console/text_table.ts";

/**
 * The plan of a run and the permissions of its threads, as text.
 * @param liveHost `host:port` at which the run is served; undefined for nowhere
 * @param several what is to be done if it is the first run of several
 * @param sessions lines about recorded agent sessions
 */
export function dryRunText(
  plan: RunPlan,
  width: number,
  liveHost?: string,
  several?: SweepManifest,
  sessions: readonly string[] = [],
): string {
  const lines: [string, string][] = [
    ...(several === undefined ? [] : severalLines(several)),
    ["model", modelText(plan)],
    ["endpoint", `${plan.endpointType}${plan.body.streaming ? ", streaming" : ""}`],
    ...plan.targets.map((target): [string, string] => [
      "target",
      `POST ${target.origin.protocol}//${target.origin.host}${target.path.replace(/\?.*/, "?...")}`,
    ]),
    ...plan.phases.flatMap((phase): [string, string][] => [
      ...(phase.kind === "profiling" ? cacheWarmupRows(plan) : []),
      [phase.kind, phaseText(phase, plan)],
    ]),
    ["prompts", datasetText(plan)],
    ...sessions.map((line, place): [string, string] => [place === 0 ? "sessions" : "", line]),
    ["max tokens", outputLengthsText(plan.dataset)],
    [
      "tokenizer",
      plan.useServerTokenCount ? "the server's counts" : tokenizerText(plan.tokenizer) +
        (plan.prefersUsage ? "; usage if replies contain it" : ""),
    ],
    ["transport", `${plan.transport}, connections ${plan.reuse}`],
    ["timeout", timeoutText(plan)],
    ["metrics", metricsText(plan)],
    ["GPUs", gpuText(plan)],
    ["random seed", String(plan.seed)],
    ["artifacts", `${plan.output.directory} (${plan.output.exportLevel})`],
  ];
  const widest = Math.max(...lines.map(([name]) => name.length));
  const shown = lines.map(([name, text]) =>
    `  ${name.padEnd(widest)}  ${printableText(text, Infinity)}`
  ).join("\n");
  return `Plan of the run (nothing is sent):\n${shown}\n\nPermissions of each thread:\n${
    permissionTable(plan, width, liveHost, several !== undefined)
  }\n`;
}

function timeoutText({ requestTimeoutNs, stallTimeoutNs }: RunPlan): string {
  const ofRequest = `${requestTimeoutNs / 1e9} s per request`;
  return stallTimeoutNs === undefined
    ? ofRequest
    : `${ofRequest}, ${stallTimeoutNs / 1e9} s without a byte of the reply`;
}

function tokenizerText(tokenizer: RunPlan["tokenizer"]): string {
  switch (tokenizer.kind) {
    case "builtin":
      return "builtin (o200k_base)";
    case "file":
      return tokenizer.name === undefined
        ? tokenizer.path
        : `${tokenizer.name}, from the cache (${tokenizer.path})`;
    case "hub":
      return `${tokenizer.name}, fetched from ${tokenizer.endpoint} before the run`;
  }
}

function metricsText({ serverMetrics }: RunPlan): string {
  if (serverMetrics === undefined) return "not collected";
  const urls = serverMetrics.endpoints.map(({ redactedUrl }) => redactedUrl).join(", ");
  const { formats } = serverMetrics.output;
  return `GET ${urls} every ${serverMetrics.intervalNs / 1e9} s (${formats.join(", ")})`;
}

/** Main starts the threads of each run, and may only hand on what it has itself. */
const AS_GRANTED = {
  net: ["as granted"],
  read: ["as granted"],
  write: ["as granted"],
} as const;

/** Points that are listed one by one. */
const MAX_POINTS = 20;

function severalLines({ shape, points, search }: SweepManifest): [string, string][] {
  if (search !== undefined) {
    const slos = search.slos.map(({ name, operator, threshold, unit }) =>
      `${name}${operator}${threshold}${unit}`
    );
    return [
      ["search", `largest ${search.variable} from ${search.min} to ${search.max}`],
      ["objectives", slos.join(", ")],
    ];
  }
  const shown = points.slice(0, MAX_POINTS).map(({ label }) => label);
  const rest = points.length - shown.length;
  return [
    ["runs", `${points.length * shape.trials}, at most ${shape.trials} of each point`],
    ...(shape.kind === "sweep"
      ? [["points", `${shown.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`] as [
        string,
        string,
      ]]
      : []),
  ];
}

function modelText({ models, modelSelection }: RunPlan): string {
  if (models.length === 0) return "the first that the server lists";
  const weights = modelSelection?.weights;
  const names = models.map((name, at) =>
    weights === undefined ? name : `${name} ${Number(((weights[at] ?? 0) * 100).toPrecision(3))} %`
  );
  const how = modelSelection?.strategy ?? "in turn";
  return `${names.join(", ")}${models.length > 1 ? ` (${how})` : ""}`;
}

function gpuText({ gpuTelemetry }: RunPlan): string {
  if (gpuTelemetry === undefined) return "not collected";
  const { endpoints, intervalNs } = gpuTelemetry;
  const urls = endpoints.map(({ redactedUrl, named }) =>
    named ? redactedUrl : `${redactedUrl} if present`
  );
  return `GET ${urls.join(", ")} every ${intervalNs / 1e9} s`;
}

/** Whether this process gets the files of other shards. */
function collects({ shard, start }: RunPlan): boolean {
  return shard?.index === 0 && start?.by === "rendezvous" && start.collects;
}

function permissionTable(
  plan: RunPlan,
  width: number,
  liveHost: string | undefined,
  isSeveral: boolean,
): string {
  const early = earlyHosts(plan);
  const rows: [string, ThreadPermissions][] = [
    ...(early.length === 0 ? [] : [
      ["main, before the others run", { ...pacerPermissions(), net: early }] as [
        string,
        ThreadPermissions,
      ],
    ]),
    isSeveral
      // What the process has cannot be narrowed to some hosts or folders, only given up.
      ? ["main, until the last run ends", { ...pacerPermissions(), ...AS_GRANTED }]
      // The files of the other shards are merged in the end.
      : collects(plan)
      ? ["main, once the others run", { ...pacerPermissions(), ...AS_GRANTED, net: [] }]
      : ["main, once the others run", pacerPermissions()],
    ...[...threadPermissions(plan, undefined, liveHost)].map((
      [name, permissions],
    ): [string, ThreadPermissions] => [
      name === "load worker" ? `${name} x ${plan.workers}` : name,
      permissions,
    ]),
  ];
  return renderTable({
    head: ["Thread", "Network", "Read", "Write"],
    rows: rows.map(([name, { net, read, write }]) =>
      [
        name,
        net.join(" ") || "-",
        read.join(" ") || "-",
        write.join(" ") || "-",
      ].map((cell) => printableText(cell, Infinity))
    ),
    flexible: 1,
    minFlexible: 20,
    alignments: ["left", "left", "left", "left"],
  }, width);
}

/** The phase that fills caches before the measurement, if there is one. */
function cacheWarmupRows(plan: RunPlan): [string, string][] {
  const phase = cacheWarmupPhase(plan);
  return phase === undefined ? [] : [["caches", `${phaseText(phase, plan)}, replies of one token`]];
}

function phaseText(phase: PhasePlan, { dataset }: Pick<RunPlan, "dataset">): string {
  const { load, requestCount, sessionCount, durationNs, graceNs, prefill, cancellation } = phase;
  // Sessions of several requests arrive as a whole, and keep their slots until they end.
  const hasSessions = replaysSessions(dataset) ||
    (dataset.source !== "file" && dataset.turns !== undefined);
  const noun = hasSessions ? "session" : "request";
  const held = hasSessions ? "in progress" : "in flight";
  const limit = (text: string): string => `${text}${rampText(load.concurrencyRamp)}`;
  const parts = [
    load.loop === "closed"
      ? limit(`${counted(load.concurrency, noun)} ${held}`)
      : rateText(load, noun) +
        (load.concurrency < Infinity ? limit(`, at most ${load.concurrency} ${held}`) : ""),
  ];
  if (prefill !== undefined) {
    parts.push(`at most ${prefill.limit} without a token${rampText(prefill.ramp)}`);
  }
  if (cancellation !== undefined) {
    parts.push(
      `${percentText(cancellation.share)} cancelled ${cancellation.delayNs / 1e9} s after sending`,
    );
  }
  if (requestCount < Infinity) parts.push(counted(requestCount, "request"));
  if (sessionCount !== undefined) parts.push(counted(sessionCount, "session"));
  if (durationNs < Infinity) parts.push(`${durationNs / 1e9} s`);
  if (graceNs < Infinity) parts.push(`grace ${graceNs / 1e9} s`);
  return parts.join(", ");
}

/** 7 % of 0.07, which times 100 is not 7. */
function percentText(share: number): string {
  return `${Number((share * 100).toPrecision(12))} %`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function rateText(load: Extract<LoadPlan, { loop: "open" }>, noun: string): string {
  if (load.isSchedule) return "at the times of the input file";
  if (load.users !== undefined) {
    return `${load.users} users in turn, ${load.ratePerSecond} requests/s together`;
  }
  const rates = load.rateSeries?.map(({ ratePerSecond }) => ratePerSecond) ?? [];
  const rate = rates.length === 0
    ? `${load.ratePerSecond} ${noun}s/s`
    : `${Math.min(...rates)} to ${Math.max(...rates)} ${noun}s/s by a series`;
  return `${rate}${rampText(load.rateRamp)}, ${load.arrivalPattern}` +
    (load.arrivalPattern === "gamma" ? ` (shape ${load.smoothness})` : "");
}

function rampText(ramp: RampPlan | undefined): string {
  if (ramp === undefined) return "";
  const shape = ramp.shape === "steps" ? `${ramp.steps} steps` : ramp.shape;
  return ` (${shape} ramp of ${ramp.durationNs / 1e9} s)`;
}

function datasetText({ dataset, samplingStrategy }: RunPlan): string {
  if (dataset.source === "file" && dataset.public !== undefined) {
    return `${publicText(dataset.public)}, ${samplingStrategy}`;
  }
  if (dataset.source === "file") {
    return `${dataset.path}, ${
      dataset.format ?? "format detected when it is read"
    }, ${samplingStrategy}`;
  }
  const warmup = dataset.warmupEntries > 0 ? `, ${dataset.warmupEntries} others for warm-up` : "";
  const { turns } = dataset;
  const kind = turns === undefined
    ? "synthetic"
    : `synthetic conversations of ${turns.mean} +- ${turns.stddev} turns`;
  const { rankings, withoutText } = dataset.prompts ?? {};
  const lengths = rankings !== undefined
    ? `a query of ${spreadText(rankings.queryLength)} tokens and ${
      spreadText(rankings.passages)
    } passages of ${spreadText(rankings.passageLength)}`
    : withoutText
    ? "no text"
    : `${lengthsText(dataset)} tokens`;
  return `${dataset.entries} ${kind} of ${lengths}${
    partsText(dataset.prompts)
  }${warmup}, ${samplingStrategy}`;
}

function publicText({ name, subset, place, filters, entries }: PublicDatasetPlan): string {
  const repository = publicDataset(name)?.repository ?? "";
  const parts = [
    `${name} (${repository}${subset === undefined ? "" : `, ${subset}`})`,
    place.kind === "hub"
      ? `fetched from ${redactedUrlText(place.endpoint)} before the run`
      : `from ${place.from} (${place.files[0]}${
        place.files.length > 1 ? ` and ${place.files.length - 1} more` : ""
      })`,
    ...filters.map((filter) => filter.join("=")),
    `${entries} conversations at most`,
  ];
  return parts.join(", ");
}

type SyntheticDataset = Extract<DatasetPlan, { source: "synthetic" }>;

function lengthsText({ prompts, inputTokensMean, inputTokensStddev }: SyntheticDataset): string {
  if (prompts?.mixture !== undefined) {
    return mixtureText(prompts.mixture, (share) => [share.inputTokens, share.inputStddev]);
  }
  if (prompts?.range !== undefined) return prompts.range.input.join(" to ");
  return `${inputTokensMean} +- ${inputTokensStddev}`;
}

/** The most tokens that requests ask for. */
function outputLengthsText(dataset: DatasetPlan): string {
  const { outputTokensMean: mean, outputTokensStddev: stddev } = dataset;
  const asked = mean === undefined ? "up to the server" : `${mean} +- ${stddev}`;
  if (dataset.source === "file") return `from the input file, else ${asked}`;
  const { mixture, range } = dataset.prompts ?? {};
  if (mixture !== undefined) {
    return mixtureText(mixture, (share) => [share.outputTokens, share.outputStddev]);
  }
  return range === undefined ? asked : range.output.join(" to ");
}

function mixtureText(
  mixture: readonly LengthShare[],
  lengthsOf: (share: LengthShare) => [mean: number, stddev: number],
): string {
  return mixture.map((share) => {
    const [mean, stddev] = lengthsOf(share);
    return `${spreadText({ mean, stddev })} (${share.percent} %)`;
  }).join(", ");
}

function spreadText({ mean, stddev }: Spread): string {
  return stddev > 0 ? `${mean} +- ${stddev}` : String(mean);
}

function imagesText({ perRequest, width, height, format, source }: ImagesPlan): string {
  const from = source === undefined ? "noise" : `from ${source.folder}`;
  return `${perRequest} images a request of ${spreadText(width)} x ${spreadText(height)} pixels ` +
    `(${format}, ${from})`;
}

/** What prompts are besides a length of prose. */
function partsText(prompts: PromptsPlan = {}): string {
  const { corpus, prefixes, sharedSystemTokens, userContextTokens, textsPerRequest } = prompts;
  const { images, recordings } = prompts;
  const parts = [
    ...corpus === undefined ? [] : [corpus === "coding" ? "of source code" : "of random words"],
    ...prefixes === undefined
      ? []
      : [`after one of ${prefixes.count} prefixes of ${prefixes.tokens}`],
    ...sharedSystemTokens === undefined ? [] : [`with a system message of ${sharedSystemTokens}`],
    ...userContextTokens === undefined ? [] : [`with a context of ${userContextTokens}`],
    ...textsPerRequest === undefined ? [] : [`${textsPerRequest} texts a request`],
    ...images === undefined ? [] : [imagesText(images)],
    ...recordings === undefined ? [] : [
      `${recordings.perRequest} recordings a request of ${spreadText(recordings.seconds)} s (wav)`,
    ],
  ];
  return parts.map((part) => `, ${part}`).join("");
}
