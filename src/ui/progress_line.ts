import type { RunProgress } from "../report/run_progress.ts";
import { durationText } from "./number_text.ts";

/** Where progress is shown. */
export interface ProgressScreen {
  /** Whether lines can be overwritten. */
  readonly isTerminal: boolean;
  /** Columns, asked for each line as a window may change. */
  width(): number;
  write(text: string): void;
}

/** Without a terminal a line is written so often. */
const PLAIN_INTERVAL_SECONDS = 5;
const CLEAR_LINE = "\r\x1b[2K";

/** Shows how far a run has come on one line that changes. */
export class ProgressLine {
  readonly #screen: ProgressScreen;
  #nextPlain = 0;
  #drawn = false;
  /** Of the last progress, to tell the current rate from the mean one. */
  #last: { readonly elapsed: number; readonly done: number; readonly rate?: number } | undefined;

  constructor(screen: ProgressScreen) {
    this.#screen = screen;
  }

  /** Shows the progress. */
  show(progress: RunProgress): void {
    const text = progressText(progress, this.#rate(progress));
    if (this.#screen.isTerminal) {
      const room = Math.max(20, this.#screen.width() - 1);
      this.#screen.write(CLEAR_LINE + (text.length > room ? text.slice(0, room) : text));
      this.#drawn = true;
    } else if (progress.elapsedSeconds >= this.#nextPlain) {
      this.#nextPlain = progress.elapsedSeconds + PLAIN_INTERVAL_SECONDS;
      this.#screen.write(`${text}\n`);
    }
  }

  /** Takes the line away, to write something else. */
  clear(): void {
    if (this.#drawn) this.#screen.write(CLEAR_LINE);
    this.#drawn = false;
  }

  /** Requests per second, of about the last second. */
  #rate({ elapsedSeconds: elapsed, done }: RunProgress): number {
    const last = this.#last;
    if (last === undefined || elapsed < last.elapsed) {
      this.#last = { elapsed, done };
      this.#nextPlain = 0;
      return elapsed > 0 ? done / elapsed : 0;
    }
    if (elapsed - last.elapsed >= 1) {
      const rate = (done - last.done) / (elapsed - last.elapsed);
      this.#last = { elapsed, done, rate };
      return rate;
    }
    return last.rate ?? (elapsed > 0 ? done / elapsed : 0);
  }
}

/** One line: phase, how much of it is done, rate, in flight, errors, medians, time left. */
export function progressText(progress: RunProgress, rate: number): string {
  const { plan, elapsedSeconds: elapsed, done, inFlight, failed } = progress;
  const { requestCount, durationNs } = plan;
  const parts: string[] = [progress.phase];
  if (requestCount < Infinity) {
    parts.push(`${done}/${requestCount} requests (${percent(done / requestCount)})`);
  } else {
    parts.push(`${done} requests`);
  }
  if (durationNs < Infinity) {
    parts.push(`${durationText(elapsed)} of ${durationText(durationNs / 1e9)}`);
  } else {
    parts.push(durationText(elapsed));
  }
  parts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} req/s`);
  parts.push(`${inFlight} in flight`, `${failed} errors`);
  if (!Number.isNaN(progress.ttftP50Ms)) parts.push(`TTFT p50 ${shortMs(progress.ttftP50Ms)}`);
  if (!Number.isNaN(progress.itlP50Ms)) parts.push(`ITL p50 ${shortMs(progress.itlP50Ms)}`);
  const left = secondsLeft(progress, rate);
  if (left !== undefined) parts.push(`${durationText(left)} left`);
  return parts.join(" | ");
}

function secondsLeft(progress: RunProgress, rate: number): number | undefined {
  const { plan, elapsedSeconds, done } = progress;
  const candidates: number[] = [];
  if (plan.durationNs < Infinity) candidates.push(plan.durationNs / 1e9 - elapsedSeconds);
  if (plan.requestCount < Infinity && rate > 0) {
    candidates.push((plan.requestCount - done) / rate);
  }
  return candidates.length === 0 ? undefined : Math.max(0, Math.min(...candidates));
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

function shortMs(ms: number): string {
  return `${ms < 10 ? ms.toFixed(2) : ms < 1000 ? ms.toFixed(1) : Math.round(ms)} ms`;
}
