/** Rules about what was offered, what failed, and whether the client kept up. */

import { type Diagnosis, diagnosis, fact } from "./diagnosis.ts";
import type { Evidence } from "./evidence.ts";
import { failureRemedy } from "./failure_remedy.ts";
import { percentText, threeDigits } from "./evidence_text.ts";

/** Share of failed requests from which the other results are those of the survivors. */
const FAILING_SHARE = 0.05;
/** Share of arrivals that may remain unsent. */
const UNSENT_SHARE = 0.01;
/** Share of the median latency that the client may add. */
const CLIENT_ERROR_SHARE = 0.2;
/** Share of its CPU time that the client may be denied. */
const STARVED_SHARE = 0.05;
/** Share of the planned requests that must be in flight. */
export const IN_FLIGHT_SHARE = 0.95;
/** Mean number of waiting requests that is hardly any. */
const HARDLY_WAITING = 0.5;
/** Share of the offered rate that may remain unserved. */
const UNSERVED_SHARE = 0.05;
const MIN_STEADY_REQUESTS = 30;

export function nothingSucceeded(
  { isSlice, sent, succeeded, topError }: Evidence,
): Diagnosis | undefined {
  // In a slice, requests of earlier slices may be all that is in flight.
  if (isSlice === true && sent === 0) return undefined;
  if (succeeded !== undefined && succeeded > 0) return undefined;
  return diagnosis("no-result", `No result: none of ${threeDigits(sent)} requests succeeded`, {
    cause: topError,
    try: [failureRemedy(topError) ?? "look into the server's log, then run again"],
  });
}

export function stalled(evidence: Evidence): Diagnosis | undefined {
  const { inFlight, isStallShown = true, stalledFromSeconds, stalledSeconds } = evidence;
  const { clientError = 0, clientStarved = 0 } = evidence;
  if (stalledSeconds === undefined) return undefined;
  // A client without CPU time does not read: the silence may be its own.
  if (clientStarved > STARVED_SHARE && clientError > CLIENT_ERROR_SHARE) return undefined;
  const seconds = threeDigits(stalledSeconds);
  const from = stalledFromSeconds === undefined
    ? ""
    : `, from ${threeDigits(stalledFromSeconds)} s on`;
  return diagnosis(
    "stalled",
    `Stalled: the server sent no byte for ${seconds} s while requests were in flight`,
    {
      cause: isStallShown
        ? "Rates include the stall; latencies of requests that waited for it are at least as long as " +
          "observed."
        : "The stall is before the steady state, so the metrics below do not include it.",
      evidence: [
        fact("longest time without a byte", `${seconds} s${from}`, "client"),
        ...(inFlight === undefined
          ? []
          : [fact("in flight", `${threeDigits(inFlight)} on average`, "client")]),
      ],
      try: ["look into the server's log at that time, then run again"],
    },
  );
}

export function failing({ failed = 0, succeeded = 0, topError }: Evidence): Diagnosis | undefined {
  const all = succeeded + failed;
  const share = failed / all;
  if (!(share >= FAILING_SHARE)) return undefined;
  const isRejecting = /^(429|503)\b/.test(topError ?? "");
  return diagnosis(
    isRejecting ? "rejecting" : "failing",
    isRejecting
      ? `Rejecting: ${percentText(share)} of requests were turned away`
      : `Failing: ${percentText(share)} of requests failed`,
    {
      cause: "Latencies below are of the survivors only.",
      evidence: [
        fact("failed", `${threeDigits(failed)} of ${threeDigits(all)} requests`, "client"),
        ...(topError === undefined ? [] : [fact("most frequent", topError, "reply")]),
      ],
      try: [
        isRejecting
          ? "lower the load until nothing is rejected, or raise the server's queue limit"
          : failureRemedy(topError) ?? "look into the server's log, then run again",
      ],
    },
  );
}

export function clientLimited(evidence: Evidence): Diagnosis | undefined {
  const why = clientLimit(evidence);
  if (why === undefined) return undefined;
  const { clientStarved } = evidence;
  return diagnosis(
    "client-limited",
    "Client-limited: this machine could not keep up with the load",
    {
      cause: `Here ${why}; the server's limit was not reached or cannot be seen.`,
      evidence: [
        ...(clientStarved === undefined || clientStarved <= 0
          ? []
          : [fact("client CPU denied", percentText(clientStarved), "canaries")]),
        fact("client", why, "client"),
      ],
      try: ["use an idle machine or more --workers; check with `inferometer calibrate`"],
    },
  );
}

function clientLimit(
  evidence: Evidence,
): string | undefined {
  const { clientError, clientStarved, concurrency, inFlight, sent, unsent, waiting } = evidence;
  if (unsent !== undefined && unsent > UNSENT_SHARE * Math.max(1, sent ?? 1)) {
    return `${threeDigits(unsent)} arrivals were never sent`;
  }
  if (clientError !== undefined && clientError > CLIENT_ERROR_SHARE) {
    return `its own error is up to ${percentText(clientError)} of the median latency`;
  }
  // Users of sessions pause between turns, and keep their slots.
  const isShort = evidence.loop === "closed" && evidence.hasTurns !== true &&
    concurrency !== undefined && inFlight !== undefined &&
    inFlight < IN_FLIGHT_SHARE * concurrency;
  const isOwnDoing = waiting !== undefined && waiting < HARDLY_WAITING &&
    clientStarved !== undefined && clientStarved > STARVED_SHARE;
  return isShort && isOwnDoing
    ? `${threeDigits(inFlight)} of ${concurrency} requests were in flight`
    : undefined;
}

export function overloaded(evidence: Evidence): Diagnosis | undefined {
  const { backlogPerSecond, backlogPerSecondLower, loop, waitingMax } = evidence;
  const { offeredPerSecond: offered, servedPerSecond: served } = evidence;
  if (loop !== "open" || offered === undefined || served === undefined) return undefined;
  if (!(offered - served > UNSERVED_SHARE * offered) || !((backlogPerSecondLower ?? NaN) > 0)) {
    return undefined;
  }
  const rates = `${threeDigits(served)} of ${threeDigits(offered)} requests/s offered`;
  return diagnosis("overload", `Overload: served ${rates}`, {
    cause:
      "The backlog grew until the end, so every latency percentile depends on how long the run " +
      "was. Only the served rate is a property of the server.",
    evidence: [
      fact("served", rates, "client"),
      fact("backlog", `+${threeDigits(backlogPerSecond)} requests every second`, "client"),
      ...(waitingMax === undefined
        ? []
        : [fact("waiting", `up to ${threeDigits(waitingMax)} on the server`, "server")]),
    ],
    try: [
      `offer at most ${threeDigits(served * 0.9)} requests/s, or find the limit: ` +
      "--search max-request-rate",
    ],
  });
}

export function tooShort(
  { isVarying, latencyMs, servedPerSecond, steadyRequests, steadySeconds }: Evidence,
): Diagnosis | undefined {
  if (isVarying) return undefined;
  const latencies = latencyMs !== undefined && steadySeconds !== undefined && latencyMs > 0
    ? steadySeconds * 1000 / latencyMs
    : undefined;
  const isLong = steadySeconds !== undefined && (steadyRequests ?? 0) >= MIN_STEADY_REQUESTS &&
    (latencies === undefined || latencies >= 1);
  if (isLong) return undefined;
  const forRequests = (servedPerSecond ?? 0) > 0 ? MIN_STEADY_REQUESTS / (servedPerSecond ?? 1) : 0;
  const seconds = Math.max(10, Math.round(3 * Math.max((latencyMs ?? 0) / 1000, forRequests)));
  const found = steadySeconds === undefined
    ? "none found"
    : `${threeDigits(steadySeconds)} s, ${threeDigits(steadyRequests)} requests, ` +
      `${threeDigits(latencies)} mean latencies long`;
  return diagnosis("too-short", "Too short: no steady state reached", {
    cause: "Start-up and drain dominate; neither rates nor percentiles describe the server.",
    evidence: [fact("steady window", found, "client")],
    try: [
      `run for at least ${threeDigits(seconds)} s (--benchmark-duration), warm-up included`,
    ],
  });
}
