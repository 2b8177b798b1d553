import type { Evidence } from "../diagnosis/evidence.ts";

/** A part of the mean time of a request. */
export interface TimePart {
  readonly name: "queue" | "prefill" | "decode" | "network" | "TTFT" | "prefill and network";
  readonly ms: number;
  /** Share of the latency, from 0 to 1. */
  readonly share: number;
  /** Origin of the time. */
  readonly source: "client" | "server" | "client TTFT minus the server's parts";
}

/** Evidence that the parts of a request's time follow from. */
export type TimeEvidence = Pick<
  Evidence,
  "latencyMs" | "ttftMs" | "decodeMs" | "queueMs" | "prefillMs"
>;

/**
 * Returns the parts of requests' time, the largest first: queueing and prefill by the server's
 * clock, decoding by the client's; the remainder of TTFT is the network's. If the server does not
 * distinguish queueing and prefill, both are one part.
 * @returns nothing for non-streamed requests, whose first token is not visible
 */
export function timeParts(evidence: TimeEvidence): TimePart[] {
  const { decodeMs, latencyMs, prefillMs, queueMs, ttftMs } = evidence;
  if (latencyMs === undefined || ttftMs === undefined || decodeMs === undefined) return [];
  const part = (name: TimePart["name"], ms: number, source: TimePart["source"]): TimePart => ({
    ...{ name, ms, source },
    share: ms / latencyMs,
  });
  const known = (queueMs ?? 0) + (prefillMs ?? 0);
  // Both clocks count other requests at the ends of a window.
  const restMs = Math.max(0, ttftMs - known);
  const first = queueMs === undefined
    ? [part("TTFT", ttftMs, "client")]
    : prefillMs === undefined
    ? [
      part("queue", queueMs, "server"),
      part("prefill and network", restMs, "client TTFT minus the server's parts"),
    ]
    : [
      part("queue", queueMs, "server"),
      part("prefill", prefillMs, "server"),
      part("network", restMs, "client TTFT minus the server's parts"),
    ];
  return [...first, part("decode", decodeMs, "client")].sort((a, b) => b.ms - a.ms);
}
