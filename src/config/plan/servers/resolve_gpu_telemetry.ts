import { readFile, ReadFileError, utf8Text } from "../../../core/files/read_file.ts";
import type { Origin } from "../../../client/http/transport.ts";
import { CustomFieldError, parseCustomFields } from "../../../telemetry/gpu/custom_fields.ts";
import type { GpuField } from "../../../telemetry/gpu/gpu_fields.ts";
import { UsageError } from "../../options/usage_error.ts";
import type { GpuTelemetryPlan } from "../gpu_telemetry_plan.ts";
import { namedMetricsUrl, type ParsedMetricsUrl } from "./metrics_url.ts";
import { lookedUp, originKey } from "./resolve_server_metrics.ts";
import type { ScrapePlan } from "../server_metrics_plan.ts";
import { splitUrls } from "./target_url.ts";

const OPTION = "--gpu-telemetry";

/** Where exporters of this machine are looked for, as AIPerf does. */
const DEFAULT_GPU_URLS: readonly string[] = [
  "http://localhost:9400/metrics",
  "http://localhost:9401/metrics",
];

/** Addresses of `localhost`, so that it is not resolved in each run. */
const LOOPBACK: readonly string[] = ["127.0.0.1", "::1"];

/** Timeout in nanoseconds for the first scrape of an exporter that was not specified. */
const DISCOVERED_TIMEOUT_NS = 1e9;

/** Longest list of fields. */
const MAX_FIELDS_BYTES = 1_000_000;

/** Parsed values of `--gpu-telemetry`. */
export interface ParsedGpuTelemetry {
  readonly urls: readonly ParsedMetricsUrl[];
  readonly customFields: readonly GpuField[];
  /** Sentences for the user. */
  readonly notices: readonly string[];
}

/**
 * Reads the values of the option: URLs, a list of fields as a `.csv` file, AIPerf's words.
 * @throws {UsageError} for what cannot be used
 */
export async function parseGpuTelemetry(values: readonly string[]): Promise<ParsedGpuTelemetry> {
  const urls: ParsedMetricsUrl[] = [];
  const customFields: GpuField[] = [];
  const notices: string[] = [];
  for (const value of values.flatMap(splitUrls)) {
    if (/^(pynvml|amdsmi)$/i.test(value)) {
      throw new UsageError(
        OPTION,
        `${value} reads a native library, which this program does not load: name the URL of ` +
          "dcgm-exporter or of AMD's device-metrics-exporter",
      );
    }
    if (/^dashboard$/i.test(value)) {
      notices.push(`${OPTION} dashboard: the GPUs are in the report; --ui shows the run`);
    } else if (/\.csv$/i.test(value) && !value.includes("://")) {
      customFields.push(...await readFields(value));
    } else {
      urls.push(namedMetricsUrl(value, OPTION));
    }
  }
  return { urls, customFields, notices };
}

async function readFields(path: string): Promise<GpuField[]> {
  let text: string;
  try {
    text = utf8Text(await readFile(path, { maxBytes: MAX_FIELDS_BYTES, pipes: true }));
  } catch (error) {
    if (!(error instanceof ReadFileError)) throw error;
    throw new UsageError(OPTION, `${path}: ${error.message}`);
  }
  try {
    return parseCustomFields(text);
  } catch (error) {
    if (!(error instanceof CustomFieldError)) throw error;
    throw new UsageError(OPTION, `${path}:${error.line}: ${error.message}`);
  }
}

/** The endpoints that were named, and those of this machine; names are looked up. */
export async function resolveGpuTelemetry(
  { urls, customFields }: ParsedGpuTelemetry,
  scraping: Omit<ScrapePlan, "endpoints">,
  known: ReadonlyMap<string, Origin>,
): Promise<GpuTelemetryPlan> {
  const defaults = DEFAULT_GPU_URLS.map((url) => namedMetricsUrl(url, OPTION).endpoint)
    .map((endpoint) => ({
      ...endpoint,
      named: false,
      reachabilityTimeoutNs: Math.min(scraping.reachabilityTimeoutNs, DISCOVERED_TIMEOUT_NS),
    }));
  const endpoints = new Map(
    [...defaults, ...urls.map(({ endpoint }) => endpoint)].map((endpoint) => [
      `${originKey(endpoint.origin)}${endpoint.path}`,
      endpoint,
    ]),
  );
  const { intervalNs, flushNs, reachabilityTimeoutNs, timeoutNs, limits } = scraping;
  return {
    ...{ intervalNs, flushNs, reachabilityTimeoutNs, timeoutNs, limits },
    recordingPath: undefined,
    subject: { name: "GPU telemetry", off: "--no-gpu-telemetry" },
    endpoints: await Promise.all([...endpoints.values()].map(async (endpoint) => ({
      ...endpoint,
      origin: known.get(originKey(endpoint.origin)) ??
        (endpoint.named
          ? await lookedUp(endpoint.origin)
          : { ...endpoint.origin, addresses: LOOPBACK }),
    }))),
    customFields,
  };
}
