import type { GpuTelemetryPlan } from "../../config/plan/gpu_telemetry_plan.ts";
import type { MetricsEndpoint } from "../../telemetry/scrape/metrics_endpoint.ts";

/** Longest wait for an answer of this machine. */
const PROBE_MS = 250;

/**
 * The plan without the exporters that nobody named and that are not there: nothing is started, told
 * or waited for because of them.
 * @returns undefined if no exporter is left
 */
export async function findGpus(
  plan: GpuTelemetryPlan | undefined,
): Promise<GpuTelemetryPlan | undefined> {
  if (plan === undefined) return undefined;
  const found = await Promise.all(
    plan.endpoints.map(async (endpoint) => endpoint.named || await isListening(endpoint)),
  );
  const endpoints = plan.endpoints.filter((_, index) => found[index]);
  return endpoints.length === 0 ? undefined : { ...plan, endpoints };
}

async function isListening({ origin: { hostname, port } }: MetricsEndpoint): Promise<boolean> {
  // Where main may not connect to it, nobody is asked whether it may.
  const permission = await Deno.permissions.query({ name: "net", host: `${hostname}:${port}` });
  if (permission.state !== "granted") return false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PROBE_MS);
  });
  const connecting = Deno.connect({ hostname, port }).catch(() => undefined);
  // One that answers later is closed, too.
  connecting.then((connection) => connection?.close());
  const connection = await Promise.race([connecting, late]);
  clearTimeout(timer);
  return connection !== undefined;
}
