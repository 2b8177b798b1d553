import { SECONDS } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";

const NETWORK = "Network latency";

/** Options about the network's share of latencies. */
export const NETWORK_OPTIONS = {
  networkLatencyAutomatic: {
    kind: "flag",
    aliases: ["network-latency"],
    group: NETWORK,
    help: "Measure TCP connect time; also report latencies minus its mean",
    excludes: ["networkLatencyMean"],
  },
  networkLatencyMean: {
    kind: "number",
    group: NETWORK,
    help: "Network round-trip time; also report latencies minus this value",
    value: "ms",
    unit: "ms",
    min: 0,
    max: 3_600_000,
    example: "--network-latency-mean 12.5",
  },
  networkLatencyPingInterval: {
    ...SECONDS,
    group: NETWORK,
    help: "Interval between the TCP connects of --network-latency-automatic",
    min: 0.001,
    max: 300,
    default: 1,
    needs: ["networkLatencyAutomatic"],
  },
} as const satisfies OptionTable;
