import type {
  NetworkSample,
  NetworkTarget,
} from "../../../telemetry/network_latency/network_sample.ts";
import { jsonLine } from "../json_document.ts";

/** `profile_export_network_latency.jsonl`: a line for each probe, with AIPerf's keys. */
export function* networkLatencyLines(
  samples: readonly NetworkSample[],
  targets: readonly NetworkTarget[],
  baseEpochNs: bigint,
): Generator<string> {
  for (const { atNs, target, rttNs, error } of samples) {
    const place = targets[target];
    if (place === undefined) continue;
    yield `${
      jsonLine({
        "timestamp_ns": baseEpochNs + BigInt(Math.round(atNs)),
        "target_url": place.url,
        "target_host": place.hostname,
        "target_port": place.port,
        "probe_type": "tcp_connect",
        "rtt_ns": rttNs,
        "success": rttNs !== undefined,
        "error": error === undefined ? undefined : { "type": "ConnectError", "message": error },
      })
    }\n`;
  }
}
