import type { RunClock } from "../../core/thread/run_clock.ts";
import type { StolenTime } from "../../report/model/stolen_time.ts";
import type { MachineTime, MachineTimes } from "./machine_times.ts";

/** How often the kernel's count is read. */
const INTERVAL_MS = 1000;
/** A smaller share is within the grain of that count. */
const MIN_SHARE = 0.05;
/** Most stretches that are kept: the longest ones of a run in which they never end. */
const MAX_STRETCHES = 200;

/** Keeps when the machine's host gave time to others, for those who read the run's pictures. */
export class StolenTimeWatch {
  readonly #times: Pick<MachineTimes, "read"> | undefined;
  readonly #clock: RunClock;
  readonly #found: StolenTime[] = [];
  #before: { readonly atNs: number; readonly time: MachineTime } | undefined;
  /** The machine's time in the last stretch, and what of it was stolen. */
  #total = 0;
  #stolen = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param times undefined for a machine that does not tell */
  constructor(times: Pick<MachineTimes, "read"> | undefined, clock: RunClock) {
    this.#times = times;
    this.#clock = clock;
  }

  /** Looks from now on. */
  begin(): void {
    if (this.#times === undefined || this.#timer !== undefined) return;
    this.look();
    this.#timer = setInterval(() => this.look(), INTERVAL_MS);
  }

  /** Looks at the count. */
  look(): void {
    const time = this.#times?.read();
    if (time === undefined) return;
    const atNs = this.#clock.nowNs();
    const before = this.#before;
    this.#before = { atNs, time };
    if (before === undefined) return;
    const total = time.total - before.time.total;
    const stolen = time.stolen - before.time.stolen;
    if (!(total > 0) || stolen / total < MIN_SHARE) return;
    const last = this.#found.at(-1);
    const goesOn = last?.endNs === before.atNs;
    if (goesOn) this.#found.pop();
    this.#total = (goesOn ? this.#total : 0) + total;
    this.#stolen = (goesOn ? this.#stolen : 0) + stolen;
    const share = Math.min(1, this.#stolen / this.#total);
    this.#found.push({ startNs: goesOn ? last.startNs : before.atNs, endNs: atNs, share });
  }

  /** Looks no more; what was found, undefined for nothing. */
  end(): readonly StolenTime[] | undefined {
    if (this.#timer !== undefined) this.look();
    clearInterval(this.#timer);
    this.#timer = undefined;
    const found = this.#found;
    if (found.length <= MAX_STRETCHES) return found.length === 0 ? undefined : found;
    const kept = new Set(
      found.toSorted((a, b) => lost(b) - lost(a)).slice(0, MAX_STRETCHES),
    );
    return found.filter((one) => kept.has(one));
  }
}

function lost({ startNs, endNs, share }: StolenTime): number {
  return (endNs - startNs) * share;
}
