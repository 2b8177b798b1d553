import type { RunProgress } from "../model/run_progress.ts";
import {
  countedText,
  elapsedText,
  roughDuration,
  significantText,
  wholeNumber,
} from "./number_text.ts";

/** The screen of the progress line. */
export interface ProgressScreen {
  /** Whether lines can be overwritten. */
  readonly overwrites: boolean;
  /** Columns, asked for each line as a window may change. */
  width(): number;
  write(text: string): void;
}

/** Per second, of the last seconds. */
export interface ProgressRates {
  readonly requests: number;
  readonly tokens: number;
}

/** Without a terminal, how often a line is written. */
const PLAIN_INTERVAL_SECONDS = 10;
/** Minimum period over which rates are computed, in seconds. */
const RATE_SECONDS = 5;
/** Where fewer than this came in that time, rates go further back: single replies make them jump. */
const RATE_COUNT = 20;
const MAX_RATE_SECONDS = 60;
const CLEAR_LINE = "\r\x1b[2K";
const MIN_WIDTH = 20;

/** State of the run at a moment. */
interface Sample {
  readonly elapsed: number;
  readonly done: number;
  readonly tokens: number;
}

/** Shows how far a run has come on one line that changes. */
export class ProgressLine {
  readonly #screen: ProgressScreen;
  #nextPlain = 0;
  #drawn = false;
  /** States of the last minute, the oldest first. */
  #samples: Sample[] = [];

  constructor(screen: ProgressScreen) {
    this.#screen = screen;
  }

  /** Shows the progress. */
  show(progress: RunProgress): void {
    const rates = this.#rates(progress);
    if (this.#screen.overwrites) {
      this.#draw(progressText(progress, rates, this.#room));
    } else if (progress.elapsedSeconds >= this.#nextPlain) {
      this.#nextPlain = progress.elapsedSeconds + PLAIN_INTERVAL_SECONDS;
      this.#screen.write(`${progressText(progress, rates, Infinity)}\n`);
    }
  }

  /** Shows what is done when all requests have ended. */
  showStage(text: string): void {
    if (this.#screen.overwrites) this.#draw(text.slice(0, this.#room));
  }

  /** Takes the line away, to write something else. */
  clear(): void {
    if (this.#drawn) this.#screen.write(CLEAR_LINE);
    this.#drawn = false;
  }

  get #room(): number {
    return Math.max(MIN_WIDTH, this.#screen.width() - 1);
  }

  #draw(text: string): void {
    this.#screen.write(CLEAR_LINE + text);
    this.#drawn = true;
  }

  #rates({ elapsedSeconds: elapsed, done, tokens }: RunProgress): ProgressRates {
    const last = this.#samples.at(-1);
    if (last === undefined || elapsed < last.elapsed) {
      // A phase begins: what there is came since its start.
      this.#samples = [{ elapsed: 0, done: 0, tokens: 0 }];
      this.#nextPlain = 0;
    }
    while (elapsed - (this.#samples[1]?.elapsed ?? elapsed) >= MAX_RATE_SECONDS) {
      this.#samples.shift();
    }
    const now = { elapsed, done, tokens };
    const rates = { requests: this.#rate(now, "done"), tokens: this.#rate(now, "tokens") };
    this.#samples.push(now);
    return rates;
  }

  #rate(now: Sample, count: "done" | "tokens"): number {
    const since =
      this.#samples.findLast((sample) =>
        now.elapsed - sample.elapsed >= RATE_SECONDS && now[count] - sample[count] >= RATE_COUNT
      ) ?? this.#samples[0] as Sample;
    const seconds = now.elapsed - since.elapsed;
    return seconds > 0 ? (now[count] - since[count]) / seconds : 0;
  }
}

/**
 * One line: elapsed of planned time or requests, streams or what the server runs, rates, medians,
 * failures. On a narrow screen it gives up what matters least.
 */
export function progressText(
  progress: RunProgress,
  rates: ProgressRates,
  width: number,
): string {
  const { done, failed, tokens } = progress;
  const { ttftP50Ms, itlP50Ms } = progress;
  const left = secondsLeft(progress, rates.requests);
  const isTimed = progress.plan.durationNs < Infinity;
  /** Each part with its weight: the least is given up first. */
  const parts: readonly (readonly [weight: number, text: string | undefined])[] = [
    [9, progress.phase === "warmup" ? "warm-up" : undefined],
    [8, timeText(progress)],
    [6, countText(progress)],
    [3, sessionsText(progress)],
    [4, serverText(progress) ?? streamsText(progress)],
    // Replies without tokens, as embeddings are, have a rate, too.
    tokens > 0 || done === 0
      ? [5, `${wholeNumber(rates.tokens)} tok/s`]
      : [5, `${significantText(rates.requests, { maxDecimals: 1 })} req/s`],
    [2, Number.isNaN(ttftP50Ms) ? undefined : `TTFT ${msText(ttftP50Ms)}`],
    [1, Number.isNaN(itlP50Ms) ? undefined : `ITL ${twoDigits(itlP50Ms)}`],
    [10, `${wholeNumber(failed)} failed`],
    [7, left === undefined || isTimed ? undefined : `${roughDuration(left)} left`],
  ];
  const kept = parts.filter(([, text]) => text !== undefined);
  for (;;) {
    const line = kept.map(([, text]) => text).join("  ");
    if (line.length <= width || kept.length === 1) {
      return line.slice(0, Math.min(width, line.length));
    }
    const least = Math.min(...kept.map(([weight]) => weight));
    kept.splice(kept.findIndex(([weight]) => weight === least), 1);
  }
}

/**
 * Returns the elapsed of the planned time, or the elapsed time if nothing else shows the progress
 * of the phase.
 */
function timeText({ plan, elapsedSeconds, sessions }: RunProgress): string | undefined {
  const { durationNs, requestCount } = plan;
  if (durationNs < Infinity) return elapsedText(elapsedSeconds, durationNs / 1e9);
  return requestCount === Infinity && sessions === undefined
    ? roughDuration(elapsedSeconds)
    : undefined;
}

function countText({ done, plan: { requestCount } }: RunProgress): string {
  return requestCount < Infinity
    ? `${wholeNumber(done)} of ${wholeNumber(requestCount)} requests`
    : `${wholeNumber(done)} done`;
}

/** Sessions that have begun, and how many of them are in progress: the concurrency counts those. */
function sessionsText(progress: RunProgress): string | undefined {
  const { plan: { sessionCount = Infinity }, sessions, sessionsInProgress } = progress;
  if (sessions === undefined) return undefined;
  const begun = sessionCount === Infinity
    ? countedText(sessions, "session")
    : `${wholeNumber(sessions)} of ${countedText(sessionCount, "session")}`;
  return sessionsInProgress === undefined
    ? begun
    : `${begun}, ${wholeNumber(sessionsInProgress)} in progress${rampText(progress)}`;
}

/** The limit of the sessions in progress during a ramp; empty at other times. */
function rampText({ limit, plan: { load } }: RunProgress): string {
  return limit < load.concurrency
    ? ` (ramp: ${wholeNumber(limit)} of ${wholeNumber(load.concurrency)})`
    : "";
}

/** Requests that run and wait on the servers; undefined if that is not known. */
function serverText({ running = NaN, waiting = NaN }: RunProgress): string | undefined {
  if (Number.isNaN(running) || Number.isNaN(waiting)) return undefined;
  return `${wholeNumber(running)} running ${wholeNumber(waiting)} waiting`;
}

/** Returns the number of streams, and during a ramp also their limit if each is a session. */
function streamsText(progress: RunProgress): string {
  const { inFlight, sessionsInProgress } = progress;
  const ramp = sessionsInProgress === undefined ? rampText(progress) : "";
  if (ramp !== "") return `${wholeNumber(inFlight)} streams${ramp}`;
  return countedText(inFlight, "stream");
}

/** Fields of a progress that determine the completed fraction. */
export type HowFar = Pick<RunProgress, "plan" | "elapsedSeconds" | "done" | "sessions">;

/** The share of a phase that is done; undefined where neither a number nor a time ends it. */
export function shareDone({ plan, elapsedSeconds, done, sessions }: HowFar): number | undefined {
  const { requestCount, sessionCount = Infinity, durationNs } = plan;
  const isBounded = sessions !== undefined && sessionCount < Infinity;
  if (requestCount === Infinity && durationNs === Infinity && !isBounded) return undefined;
  return Math.max(
    // What has begun: how many requests it will be is not known.
    isBounded ? sessions / sessionCount : 0,
    requestCount < Infinity ? done / requestCount : 0,
    durationNs < Infinity ? elapsedSeconds / (durationNs / 1e9) : 0,
  );
}

/**
 * Estimates the remaining time of a phase at this pace, in seconds; undefined if unknown.
 * @param rate requests that end per second
 */
export function secondsLeft(progress: HowFar, rate: number): number | undefined {
  const { plan, elapsedSeconds, done } = progress;
  const candidates: number[] = [];
  if (plan.durationNs < Infinity) candidates.push(plan.durationNs / 1e9 - elapsedSeconds);
  if (plan.requestCount < Infinity && rate > 0) {
    candidates.push((plan.requestCount - done) / rate);
  }
  return candidates.length === 0 ? undefined : Math.max(0, Math.min(...candidates));
}

/** Milliseconds up to 10 s, then seconds. */
function msText(ms: number): string {
  return ms < 10_000 ? `${twoDigits(ms)} ms` : `${significantText(ms / 1000)} s`;
}

/** 8.0, 61, 1,234: more digits change all the time. */
function twoDigits(value: number): string {
  return value < 10 ? value.toFixed(1) : wholeNumber(value);
}
