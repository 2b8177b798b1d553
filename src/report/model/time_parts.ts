import type { Evidence } from "../diagnosis/evidence.ts";
import type { TtftPartName } from "./ttft_parts.ts";

/** Names of the parts of the time to first token. */
const TTFT_LABELS = {
  "network_and_client": "network",
  "network_and_front": "network",
  front: "front",
  queue: "queue",
  prefill: "prefill",
  "engine_rest": "engine",
  "prefill_and_rest": "prefill and engine",
  "kv_transfer": "KV transfer",
  "decode_queue": "decode queue",
  "first_decode_step": "first decode step",
  "kv_transfer_and_first_decode_step": "KV transfer and first decode step",
  "network_and_queue": "network and queue",
  "transfer_decode_and_front": "transfer, decode and front",
} as const satisfies Readonly<Record<TtftPartName, string>>;

/**
 * Name of a part as it is shown. What is left without the engines contains a proxy where there are
 * several pools, and the engine's rest where nothing reports that.
 * @param others names of all parts
 */
export function ttftLabel(name: TtftPartName, others: readonly TtftPartName[]): TtftLabel {
  if (name !== "network_and_front") return TTFT_LABELS[name];
  const has = (...names: readonly TtftPartName[]): boolean =>
    names.some((one) => others.includes(one));
  return has("kv_transfer", "kv_transfer_and_first_decode_step")
    ? "network and front"
    : has("engine_rest", "prefill_and_rest")
    ? "network"
    : "engine and network";
}

type TtftLabel =
  | typeof TTFT_LABELS[TtftPartName]
  | "network and front"
  | "engine and network";

/** A part of the mean time of a request. */
export interface TimePart {
  readonly name:
    | TtftLabel
    | "decode"
    | "TTFT"
    | "prefill and network"
    | "transfer and network";
  readonly ms: number;
  /** Share of the latency, from 0 to 1. */
  readonly share: number;
  /** Origin of the time. */
  readonly source: "client" | "server" | "client TTFT minus the server's parts";
}

/** Evidence that the parts of a request's time follow from. */
export type TimeEvidence = Pick<
  Evidence,
  "latencyMs" | "ttftMs" | "decodeMs" | "queueMs" | "prefillMs" | "ttftParts" | "isPair"
>;

/** Parts that are the client's time without what servers report. */
const DIFFERENCES: readonly string[] = [
  ...["network_and_client", "network_and_front", "network_and_queue"],
  "transfer_decode_and_front",
];

/**
 * Returns the parts of requests' time, the largest first: those of the time to first token as they
 * were joined, decoding by the client's clock. Without joined parts, queueing and prefill are by the
 * server's clock; the remainder of TTFT is the network's and the engine's. If the server does not
 * distinguish queueing and prefill, both are one part.
 * @returns nothing for non-streamed requests, whose first token is not visible
 */
export function timeParts(evidence: TimeEvidence): TimePart[] {
  const { decodeMs, latencyMs, ttftMs, ttftParts } = evidence;
  if (latencyMs === undefined || ttftMs === undefined || decodeMs === undefined) return [];
  const part: PartOf = (name, ms, source) => ({ ...{ name, ms, source }, share: ms / latencyMs });
  const first = ttftParts === undefined
    ? unjoinedParts(evidence, ttftMs, part)
    : joinedParts(ttftParts, part);
  return [...first, part("decode", decodeMs, "client")].sort((a, b) => b.ms - a.ms);
}

type PartOf = (name: TimePart["name"], ms: number, source: TimePart["source"]) => TimePart;

/** Joined parts; one that is less than zero within the tolerance is nothing. */
function joinedParts(parts: NonNullable<TimeEvidence["ttftParts"]>, part: PartOf): TimePart[] {
  const names = Object.keys(parts) as TtftPartName[];
  return Object.entries(parts).flatMap(([name, ms]) => {
    const label = ttftLabel(name as TtftPartName, names) as TtftLabel | undefined;
    if (label === undefined) return [];
    const isRest = DIFFERENCES.includes(name);
    return [
      part(label, Math.max(0, ms), isRest ? "client TTFT minus the server's parts" : "server"),
    ];
  });
}

function unjoinedParts(
  { isPair, prefillMs, queueMs }: TimeEvidence,
  ttftMs: number,
  part: PartOf,
): TimePart[] {
  const known = (queueMs ?? 0) + (prefillMs ?? 0);
  // Both clocks count other requests at the ends of a window.
  const restMs = Math.max(0, ttftMs - known);
  return queueMs === undefined ? [part("TTFT", ttftMs, "client")] : prefillMs === undefined
    ? [
      part("queue", queueMs, "server"),
      part("prefill and network", restMs, "client TTFT minus the server's parts"),
    ]
    : [
      part("queue", queueMs, "server"),
      part("prefill", prefillMs, "server"),
      part(
        isPair === true ? "transfer and network" : "engine and network",
        restMs,
        "client TTFT minus the server's parts",
      ),
    ];
}
