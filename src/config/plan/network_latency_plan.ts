import type { NetworkTarget } from "../../telemetry/network_latency/network_sample.ts";
import type { Origin } from "../../client/http/transport.ts";

/** Probing of the network path to the servers. */
export interface NetworkProbePlan {
  readonly kind: "probe";
  /** Each host and port once. */
  readonly targets: readonly NetworkTarget[];
  readonly intervalNs: number;
}

/** How the network's share of latencies is known: measured, or told by the user. */
export type NetworkLatencyPlan = NetworkProbePlan | {
  readonly kind: "fixed";
  readonly rttNs: number;
};

/** The plan that options ask for; undefined for none. */
export function resolveNetworkLatency(
  { networkLatencyAutomatic, networkLatencyMean, networkLatencyPingInterval }: {
    readonly networkLatencyAutomatic: boolean;
    readonly networkLatencyMean?: number | undefined;
    readonly networkLatencyPingInterval: number;
  },
  targets: readonly { readonly origin: Origin; readonly redactedUrl: string }[],
): NetworkLatencyPlan | undefined {
  if (networkLatencyMean !== undefined) return { kind: "fixed", rttNs: networkLatencyMean * 1e6 };
  if (!networkLatencyAutomatic) return undefined;
  const places = new Map(targets.map(({ origin, redactedUrl }): [string, NetworkTarget] => [
    `${origin.hostname} ${origin.port}`,
    {
      url: new URL(redactedUrl).origin,
      hostname: origin.hostname,
      address: origin.addresses[0] ?? origin.hostname,
      port: origin.port,
    },
  ]));
  return {
    kind: "probe",
    targets: [...places.values()],
    intervalNs: networkLatencyPingInterval * 1e9,
  };
}
