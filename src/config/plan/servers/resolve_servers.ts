import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { GpuField } from "../../../telemetry/gpu/gpu_fields.ts";
import { flagOf } from "../../options/option.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { UsageError } from "../../options/usage_error.ts";
import { secretsOfHeaders } from "../../../core/secrets/secret_headers.ts";
import type { GpuTelemetryPlan } from "../gpu_telemetry_plan.ts";
import { knownEnding, streamingPathOf } from "./full_url.ts";
import { withMetricsHeaders } from "./metrics_headers.ts";
import { metricsOfServer, type ParsedMetricsUrl, placedMetricsUrl } from "./metrics_url.ts";
import { MAX_HEADER_LENGTH, parseHeaders } from "./request_header.ts";
import { parseGpuTelemetry, resolveGpuTelemetry } from "./resolve_gpu_telemetry.ts";
import { type Route, routedOrigin, routeOf } from "./routed_targets.ts";
import { originKey, resolveServerMetrics, scrapeSettings } from "./resolve_server_metrics.ts";
import type { RunPlan, Target } from "../run_plan.ts";
import type { ServerAccess } from "../server_access.ts";
import type { ServerMetricsPlan } from "../server_metrics_plan.ts";
import { endpointPath, parseTarget, splitUrls } from "./target_url.ts";
import { readCaCerts, readCertificate, readSystemCerts } from "./trust.ts";

/** The servers of a run, and how they are reached. */
export interface ResolvedServers {
  readonly targets: readonly Target[];
  readonly access: ServerAccess;
  readonly serverMetrics: ServerMetricsPlan | undefined;
  readonly gpuTelemetry: GpuTelemetryPlan | undefined;
  /** Metrics of GPUs that the user has defined. */
  readonly customFields: readonly GpuField[];
  readonly notices: readonly string[];
  /** Secrets in URLs and headers. */
  readonly secrets: readonly string[];
}

/**
 * Resolves server names, and reads the certificates they are trusted by.
 * @param streaming whether replies come in pieces
 * @param onUnknownHost called for unknown names, which then stay unchanged
 * @throws {UsageError} naming the option that cannot be used
 */
export async function resolveServers(
  settings: ProfileSettings,
  type: EndpointType,
  streaming: boolean,
  onUnknownHost?: (error: UsageError) => void,
): Promise<ResolvedServers> {
  const { customEndpoint } = settings;
  const path = (customEndpoint === undefined ? undefined : endpointPath(customEndpoint)) ??
    (streaming ? type.streamingPath : undefined) ?? type.path;
  const urls = settings.url.flatMap(splitUrls);
  const wholePath = (pathname: string): string | undefined =>
    customEndpoint !== undefined || path === "" || knownEnding(pathname) === undefined
      ? undefined
      : streaming
      ? streamingPathOf(pathname, type)
      : pathname;
  const parsed = urls.map((url) => parseTarget(url, path, wholePath));
  if (parsed.length === 0) throw new UsageError("--url", "At least one is needed");
  const { route, headers } = routeOf(settings, headersOf(settings, type));
  const asked = parsed.map(({ target }) => target);
  const targets = await resolveTargets(asked, route, onUnknownHost);
  const known = new Map(asked.map(({ origin }, at) => [originKey(origin), originAt(targets, at)]));
  const metricsUrls = metricsUrlsOf(settings, urls, path === "");
  const serverMetrics = await metricsPlan(settings, metricsUrls, known, headers);
  const gpus = await parseGpuTelemetry(settings.gpuTelemetry ?? []);
  const gpuTelemetry = settings.noGpuTelemetry
    ? undefined
    : await resolveGpuTelemetry(gpus, scrapeSettings(settings), known);
  const scraped = [...serverMetrics?.endpoints ?? [], ...gpuTelemetry?.endpoints ?? []];
  const secure = [...targets, ...scraped].some(({ origin }) => origin.protocol === "https:");
  return {
    targets,
    access: {
      ...readinessOf(settings),
      headers,
      caCerts: await readCaCerts(settings.caCert ?? []),
      systemCerts: secure ? await readSystemCerts() : [],
      clientCert: await readCertificate(settings.clientCert, settings.clientKey),
      transport: settings.transport,
    },
    serverMetrics,
    gpuTelemetry,
    customFields: gpus.customFields,
    notices: gpus.notices,
    secrets: [
      ...secretsOfHeaders(headers),
      ...[...parsed, ...metricsUrls, ...gpus.urls].flatMap(({ secrets }) => secrets),
    ],
  };
}

/** How servers are waited for. */
function readinessOf(
  { waitForModelTimeout, waitForModelMode, waitForModelInterval }: ProfileSettings,
) {
  if (waitForModelTimeout === 0 && (waitForModelMode !== "models" || waitForModelInterval)) {
    const name = waitForModelMode === "models" ? "waitForModelInterval" : "waitForModelMode";
    throw new UsageError(flagOf(name), "Requires --wait-for-model-timeout");
  }
  return {
    readinessTimeoutNs: waitForModelTimeout * 1e9,
    ...(waitForModelMode === "models" ? {} : { readinessMode: waitForModelMode }),
    ...(waitForModelInterval === undefined
      ? {}
      : { readinessIntervalNs: waitForModelInterval * 1e9 }),
  };
}

/** @param areWhole whether requests go to the URLs as they stand */
function metricsUrlsOf(
  settings: ProfileSettings,
  urls: readonly string[],
  areWhole: boolean,
): ParsedMetricsUrl[] {
  if (settings.noServerMetrics) return [];
  return withMetricsHeaders([
    ...urls.map((url) => metricsOfServer(url, areWhole)),
    ...(settings.serverMetrics ?? []).flatMap(splitUrls)
      .map((url) => placedMetricsUrl(url, "--server-metrics")),
  ], settings.serverMetricsHeader ?? []);
}

/**
 * Returns the plan of server metrics. The inference servers' own endpoints get the key of their
 * requests; hosts named only for their metrics do not.
 */
async function metricsPlan(
  settings: ProfileSettings,
  urls: readonly ParsedMetricsUrl[],
  known: ReadonlyMap<string, Target["origin"]>,
  headers: RunPlan["headers"],
): Promise<ServerMetricsPlan | undefined> {
  if (settings.noServerMetrics) return undefined;
  const origins = new Set(known.values());
  const key = headers.find(([name]) => name.toLowerCase() === "authorization")?.[1];
  const plan = await resolveServerMetrics(settings, urls, known);
  return {
    ...plan,
    endpoints: plan.endpoints.map((endpoint) => ({
      ...endpoint,
      authorization: endpoint.authorization ??
        (origins.has(endpoint.origin) ? key : undefined),
    })),
  };
}

function originAt(targets: readonly Target[], at: number): Target["origin"] {
  return (targets[at] as Target).origin;
}

/**
 * Resolves the targets. A server under several paths is resolved once and shares its connections.
 */
async function resolveTargets(
  targets: readonly Target[],
  route: Route,
  onUnknownHost: ((error: UsageError) => void) | undefined,
): Promise<Target[]> {
  const origins = new Map<string, ReturnType<typeof routedOrigin>>();
  const lookUp = async (origin: Target["origin"]): Promise<Target["origin"]> => {
    try {
      return await routedOrigin(origin, route);
    } catch (error) {
      if (onUnknownHost === undefined || !(error instanceof UsageError)) throw error;
      onUnknownHost(error);
      return origin;
    }
  };
  return await Promise.all(targets.map(async (target) => {
    const key = originKey(target.origin);
    const pending = origins.get(key) ?? lookUp(target.origin);
    origins.set(key, pending);
    return { ...target, origin: await pending };
  }));
}

function headersOf(
  { header = [], apiKey }: ProfileSettings,
  { keyHeader }: EndpointType,
): [string, string][] {
  const headers = parseHeaders(header, "--header", ["host"]);
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
