import { summarize, type Summary } from "../../core/statistics/summarize.ts";
import type { ClientHealth } from "./profile_report.ts";

/** A loop lag above this share of the median TTFT or ITL could have shaped them. */
const MAX_LAG_SHARE = 0.05;
/** A send slip above this could have shaped the load. */
const MAX_SLIP_MS = 10;
/** Above this share of all cores the process had to wait for CPU. */
const MAX_CPU_SHARE = 0.9;

const ADVICE = {
  cores:
    "reserve CPU cores for the client: run it on another machine than the server, or reduce the load",
  workers: "raise --workers, or lower the rate",
  stalls: "rerun on a machine that is not suspended or paused",
} as const;

/** The client's measurements of itself. */
export interface ClientMeasurements {
  /** Loop lag of each load worker, in milliseconds. */
  readonly loopLagMs: readonly Summary[];
  /** By how much requests started later than they should; undefined where none has that. */
  readonly sendSlipMs: Summary | undefined;
  readonly queueWaitMs: Summary | undefined;
  readonly contentChunks: number;
  readonly coalescedChunks: number;
  readonly cpuCores: number;
  readonly cores: number;
  readonly stalls: ClientHealth["stalls"];
  /** Requests for which this process could not open one more file. */
  readonly descriptorFailures: number;
  /**
   * Whether canaries measure the client's own error, for which the event-loop lag is a poor
   * indicator.
   */
  readonly isErrorMeasured: boolean;
  /** Medians of what was measured, NaN where it was not. */
  readonly ttftP50Ms: number;
  readonly itlP50Ms: number;
}

/** Evaluates whether the client could have distorted its measurements. */
export function clientHealth(measured: ClientMeasurements): ClientHealth {
  const { loopLagMs } = measured;
  const sendSlipMs = measured.sendSlipMs ?? summarize(new Float64Array(0));
  const problems: string[] = [];
  const advice = new Set<string>();
  const lagP99 = Math.max(0, ...loopLagMs.map((lag) => lag.p99).filter((p99) => p99 >= 0));
  for (
    const [name, medianMs] of [["TTFT", measured.ttftP50Ms], ["ITL", measured.itlP50Ms]] as const
  ) {
    // With a median of zero several chunks came at once; a share of that says nothing.
    if (!measured.isErrorMeasured && medianMs > 0 && lagP99 > medianMs * MAX_LAG_SHARE) {
      problems.push(
        `loop lag p99 ${shown(lagP99)} ms is ${percent(lagP99 / medianMs)} of the median ${name} ` +
          `(${shown(medianMs)} ms)`,
      );
      advice.add(ADVICE.cores);
    }
  }
  if (sendSlipMs.p99 > MAX_SLIP_MS) {
    problems.push(`send slip p99 ${shown(sendSlipMs.p99)} ms exceeds ${MAX_SLIP_MS} ms`);
    advice.add(ADVICE.workers);
  }
  if (measured.cpuCores > measured.cores * MAX_CPU_SHARE) {
    problems.push(
      `the client used ${measured.cpuCores.toFixed(2)} of ${measured.cores} cores`,
    );
    advice.add(ADVICE.cores);
  }
  const { contentChunks, coalescedChunks, descriptorFailures, stalls } = measured;
  if (stalls.length > 0) {
    const seconds = stalls.reduce((sum, stall) => sum + stall.seconds, 0);
    problems.push(`the process stalled for ${seconds.toFixed(1)} s`);
    advice.add(ADVICE.stalls);
  }
  if (descriptorFailures > 0) {
    problems.push(
      `${descriptorFailures} requests failed for lack of file descriptors; raise ulimit -n`,
    );
  }
  return {
    ok: problems.length === 0,
    problems,
    advice: [...advice],
    loopLagMs,
    sendSlipMs,
    queueWaitMs: measured.queueWaitMs,
    coalescedShare: contentChunks === 0 ? 0 : coalescedChunks / contentChunks,
    cpuCores: measured.cpuCores,
    cores: measured.cores,
    stalls,
  };
}

function shown(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(0);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
