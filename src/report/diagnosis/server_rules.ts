/** Rules about where requests spend their time, on the server. */

import { type Diagnosis, diagnosis, type DiagnosisFact, fact } from "./diagnosis.ts";
import type { Evidence } from "./evidence.ts";
import { msText, percentText, threeDigits } from "./evidence_text.ts";
import { IN_FLIGHT_SHARE } from "./load_rules.ts";
import { shareOf, type Shares } from "./shares.ts";

/** Mean number of waiting requests from which the server queues. */
const WAITING = 1;
/** Share of TTFT that is queueing where the server is saturated. */
const QUEUE_SHARE = 0.5;
/** KV cache utilization that is full, and up to which it has room. */
const KV_FULL = 0.95;
const KV_ROOM = 0.8;
/** Shares of latency. */
const PREFILL_SHARE = 0.5;
const DECODE_SHARE = 0.7;
/** Growth of the time between tokens over that of a single request. */
const ITL_GROWTH = 1.3;

const UNMEASURED = "How much more it can take was not measured";

/** A pair of pools of which one has requests waiting for more than half of the time, the other none. */
export function poolLimited(evidence: Evidence): Diagnosis | undefined {
  const { poolWaiting, waitedPool } = evidence;
  if (waitedPool === undefined || !((poolWaiting ?? NaN) >= WAITING)) return undefined;
  const isPrefill = waitedPool === "prefill";
  const [name, other] = isPrefill ? ["Prefill", "decode"] : ["Decode", "prefill"];
  const waits = `${threeDigits(poolWaiting)} requests`;
  return diagnosis(
    isPrefill ? "prefill-pool" : "decode-pool",
    `${name}-bound: ${waits} wait for ${waitedPool} instances, none for ${other} instances`,
    {
      cause: `The ratio of prefill to decode instances does not fit this load: ${other} ` +
        "instances have no queue for more than half of the time.",
      evidence: [
        fact(`waiting for ${waitedPool}`, `${waits} on average`, "server gauges"),
        ...kvFacts(evidence),
      ],
      unknown: unknownOf(evidence),
      try: [`add ${waitedPool} instances, or turn ${other} instances into ${waitedPool} instances`],
    },
  );
}

export function saturated(evidence: Evidence, shares: Shares): Diagnosis | undefined {
  const { kvMax, preemptions = 0, running, runningMax, waiting } = evidence;
  const { queue } = shares;
  if (!((waiting ?? NaN) >= WAITING) || (queue !== undefined && queue < QUEUE_SHARE)) {
    return undefined;
  }
  const queueText = queue === undefined ? undefined : percentText(Math.min(queue, 1));
  const requests = `${wholeText(running)} requests run, ${wholeText(waiting)} wait`;
  const text = `Saturated: ${requests}` +
    (queueText === undefined ? "" : `; ${queueText} of time to first token is queueing`);
  const known = {
    evidence: [
      fact(
        "on the server",
        `${wholeText(running)} running, ${wholeText(waiting)} waiting`,
        "server gauges",
      ),
      ...(queueText === undefined
        ? []
        : [fact("queueing", `${queueText} of TTFT`, "server histogram / client")]),
      ...kvFacts(evidence),
      ...(preemptions > 0 ? [fact("preemptions", threeDigits(preemptions), "server counter")] : []),
    ],
    unknown: unknownOf(evidence),
  };
  if ((kvMax !== undefined && kvMax >= KV_FULL) || preemptions > 0) {
    return diagnosis("saturated-kv", text, {
      ...known,
      cause: "Limited by KV-cache memory" +
        (kvMax === undefined ? "" : `: ${percentText(kvMax)} used`) +
        (preemptions > 0 ? `, ${threeDigits(preemptions)} preemptions` : "") + ".",
      try: [
        "give the KV cache more memory, shorten contexts, or quantize it",
        "lower the concurrency",
      ],
    });
  }
  const isFlat = runningMax !== undefined && running !== undefined &&
    runningMax - running < Math.max(0.5, 0.05 * runningMax);
  if (isFlat && kvMax !== undefined && kvMax < KV_ROOM) {
    const most = threeDigits(runningMax);
    return diagnosis("saturated-slots", text, {
      ...known,
      cause: `Limited by batch slots: never more than ${most} ran, while the KV cache is ` +
        `${percentText(kvMax)} full.`,
      try: [
        `raise the batch limit above ${most} (vLLM: --max-num-seqs): the KV cache has room`,
        `or lower the load to about ${most} in flight`,
      ],
    });
  }
  return diagnosis("saturated", text, {
    ...known,
    cause: "The resource that requests wait for is not visible in the server's metrics.",
    try: ["lower the load, or add replicas"],
  });
}

export function prefillBound(evidence: Evidence, { prefill }: Shares): Diagnosis | undefined {
  if (!((prefill ?? NaN) >= PREFILL_SHARE)) return undefined;
  const { cachedShare, decodeMs, prefillMs, promptTokens } = evidence;
  const share = percentText(prefill as number);
  return diagnosis("prefill-bound", `Prefill-bound: ${share} of latency is prefill`, {
    cause: promptTokens === undefined || decodeMs === undefined
      ? undefined
      : `A prompt of ${threeDigits(promptTokens)} tokens takes ${msText(prefillMs)} before its ` +
        `first token; ${msText(decodeMs)} remain for decoding.`,
    evidence: [
      fact("prefill", `${share} of latency (${msText(prefillMs)})`, "server histogram"),
      ...(cachedShare === undefined
        ? []
        : [fact("prefix hits", percentText(cachedShare), "usage")]),
    ],
    unknown: unknownOf(evidence, waitingNote(evidence)),
    try: [
      "raise the prefill token budget (vLLM: --max-num-batched-tokens)",
      "make prompts share prefixes, or add prefill workers",
    ],
  });
}

export function decodeBound(evidence: Evidence, { decode }: Shares): Diagnosis | undefined {
  const { itlAloneMs, itlMs } = evidence;
  if (!((decode ?? NaN) >= DECODE_SHARE) || itlMs === undefined || itlAloneMs === undefined) {
    return undefined;
  }
  if (!(itlMs >= ITL_GROWTH * itlAloneMs)) return undefined;
  const growth = (itlMs / itlAloneMs).toFixed(1);
  return diagnosis("decode-bound", `Decode-bound: batching slows each stream ${growth}x`, {
    cause: `Tokens come every ${msText(itlMs)} instead of every ${msText(itlAloneMs)} with a ` +
      "single request; nothing queues.",
    evidence: [
      fact("ITL", `${msText(itlMs)}, ${msText(itlAloneMs)} alone`, "client, sweep"),
      fact("decode", `${percentText(decode as number)} of latency`, "client"),
      ...kvFacts(evidence),
    ],
    unknown: unknownOf(evidence, waitingNote(evidence)),
    try: [
      "fewer in flight for faster streams, or faster decode (quantization, speculative decoding)",
    ],
  });
}

export function notSaturated(evidence: Evidence, { decode, queue }: Shares): Diagnosis | undefined {
  const { concurrency, inFlight, itlAloneMs, kvMax, loop, waiting } = evidence;
  const { offeredPerSecond: offered, servedPerSecond: served } = evidence;
  const isIdle = (waiting ?? NaN) < WAITING && (queue === undefined || queue < QUEUE_SHARE) &&
    (kvMax === undefined || kvMax < KV_ROOM);
  if (!isIdle) return undefined;
  const waits = fact("waiting", `${threeDigits(waiting)} on average`, "server gauge");
  const isNoneQueued = (waiting as number) < 0.05;
  if (loop === "open") {
    return diagnosis(
      "headroom",
      isNoneQueued
        ? `Not saturated: all ${threeDigits(offered)} requests/s were served, none queued`
        : `Not saturated: kept up with ${threeDigits(offered)} requests/s`,
      {
        cause: (decode === undefined ? "" : `${percentText(decode)} of latency is decoding. `) +
          `${UNMEASURED}.`,
        evidence: [
          fact(
            "served",
            `${threeDigits(served)} of ${threeDigits(offered)} requests/s offered`,
            "client",
          ),
          waits,
          ...kvFacts(evidence),
        ],
        unknown: unknownOf(evidence),
        try: ["find the limit: --search max-request-rate --slo ..."],
      },
    );
  }
  const load = concurrency ?? 1;
  const count = inFlight === undefined || inFlight > IN_FLIGHT_SHARE * load ? load : inFlight;
  return diagnosis(
    "unsaturated",
    `Not saturated: ${threeDigits(count)} in flight, ` +
      `${isNoneQueued ? "none queued" : "hardly any queued"}`,
    {
      cause: `${UNMEASURED}: a sweep shows it.`,
      evidence: [
        waits,
        ...(decode === undefined
          ? []
          : [fact("decode", `${percentText(decode)} of latency`, "client")]),
        ...kvFacts(evidence),
      ],
      unknown: unknownOf(
        evidence,
        itlAloneMs === undefined
          ? "whether the batch slows decoding: it takes more than one load"
          : undefined,
      ),
      try: [`add loads: --concurrency ${[...new Set([1, load, load * 2, load * 4])].join()}`],
    },
  );
}

/** Returns the diagnosis from the client's clock if the server's metrics show no bottleneck. */
export function undetermined(evidence: Evidence, { decode, ttft }: Shares): Diagnosis {
  const text = evidence.waiting === undefined
    ? "Limit not determined: the server's metrics do not show it"
    : "No single limit stands out";
  return diagnosis("unknown", text, {
    cause: ttft === undefined
      ? undefined
      : `By the client's clock, ${
        percentText(ttft)
      } of latency is time to first token (queue and ` +
        `prefill together) and ${percentText(1 - ttft)} is decoding.`,
    evidence: [
      ...(decode === undefined
        ? []
        : [fact("decode", `${percentText(decode)} of latency`, "client")]),
      ...(ttft === undefined ? [] : [fact("TTFT", `${percentText(ttft)} of latency`, "client")]),
    ],
    unknown: unknownOf(evidence, waitingNote(evidence)),
    try: ["give the server's metrics (--server-metrics URL), or run a sweep"],
  });
}

function kvFacts({ kvMax }: Evidence): DiagnosisFact[] {
  return kvMax === undefined
    ? []
    : [fact("KV cache", `${percentText(kvMax)} at most`, "server gauge")];
}

/** Returns the metrics that the server does not report, and other unknowns. */
function unknownOf({ kvMax, queueMs, waiting }: Evidence, other?: string): string[] {
  return [
    ...(queueMs === undefined
      ? ["queue time: not reported by the server, so queueing and prefill are not separated"]
      : []),
    ...(waiting === undefined ? ["waiting requests: not reported by the server"] : []),
    ...(kvMax === undefined ? ["KV-cache use: not reported by the server"] : []),
    ...(other === undefined ? [] : [other]),
  ];
}

/** Requests that waited although queueing is a small part of TTFT. */
function waitingNote({ queueMs, ttftMs, waiting }: Evidence): string | undefined {
  const queue = shareOf(queueMs, ttftMs);
  return waiting === undefined || waiting < WAITING || queue === undefined
    ? undefined
    : `${threeDigits(waiting)} requests waited, but queueing is only ${percentText(queue)} of TTFT`;
}

function wholeText(value: number | undefined): string {
  return threeDigits(value === undefined ? undefined : Math.round(value));
}
