import { arithmeticMean } from "../../core/statistics/arithmetic_mean.ts";
import { diagnose } from "../diagnosis/diagnose.ts";
import type { DiagnosisCode } from "../diagnosis/diagnosis.ts";
import type { Evidence } from "../diagnosis/evidence.ts";
import type { LiveModel } from "./live_model.ts";

/** Period that the diagnosis concerns, in seconds. */
const WINDOW_SECONDS = 15;
/** Findings that describe a whole run, not its last seconds. */
const ONLY_AT_END: readonly DiagnosisCode[] = ["no-result", "too-short", "unknown"];

/** State of a run from which the diagnosis so far follows. */
export type DiagnosedModel = Omit<LiveModel, "soFar">;

/**
 * Returns what limits a run in its last seconds, by the rules of its report, as
 * `SATURATED so far: 8 requests run, 24 wait`. Empty if nothing is known yet.
 */
export function soFarText(model: DiagnosedModel): string {
  const { code, text } = diagnose(evidenceOf(model));
  if (ONLY_AT_END.includes(code)) return "";
  const [, name = text, rest = ""] = /^([^:]+)(:.*)?$/.exec(text) ?? [];
  return `${name.toUpperCase()} so far${rest}`;
}

function evidenceOf(model: DiagnosedModel): Evidence {
  const { history, load, results } = model;
  const isOfRequests = model.sessions === undefined;
  const recent = (curve: readonly number[]): number[] =>
    curve.slice(-WINDOW_SECONDS).filter((value) => !Number.isNaN(value));
  const [running, waiting] = [recent(history.running), recent(history.waiting)];
  const [latencyMs, ttftMs] = [
    known(results.latency.recentP50Ms),
    known(results.ttft.recentP50Ms),
  ];
  const [error] = results.errors;
  return {
    ...{ loop: load.loop, hasTurns: !isOfRequests },
    sent: model.sent,
    succeeded: model.succeeded,
    failed: model.failed,
    topError: error && [error.status, error.kind].filter((part) => part !== null).join(" "),
    // Of sessions, the concurrency and the rate are no numbers of requests.
    concurrency: isOfRequests && load.loop === "closed" ? finite(load.concurrency) : undefined,
    inFlight: mean(recent(history.inFlight)),
    offeredPerSecond: isOfRequests && load.loop === "open" ? finite(load.ratePerSecond) : undefined,
    servedPerSecond: mean(recent(history.requestsPerSecond)),
    // Of the phase so far: only a run that has just begun is too short to say anything.
    steadySeconds: model.elapsedSeconds,
    steadyRequests: model.succeeded,
    latencyMs,
    ttftMs,
    decodeMs: latencyMs === undefined || ttftMs === undefined
      ? undefined
      : Math.max(0, latencyMs - ttftMs),
    queueMs: queueMsOf(results.servers),
    running: mean(running),
    runningMax: largest(running),
    waiting: mean(waiting),
    waitingMax: largest(waiting),
    kvMax: largest(recent(history.kvUsage)),
    itlMs: known(results.itl.recentP50Ms),
  };
}

/** Mean queue time that the only server reports; undefined for several, which differ. */
function queueMsOf(servers: LiveModel["results"]["servers"]): number | undefined {
  const [server, ...others] = servers;
  if (others.length > 0) return undefined;
  return known(server?.figures.find(({ label }) => label === "queue time")?.value ?? NaN);
}

function known(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : arithmeticMean(values);
}

function largest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.max(...values);
}
