import { MESSAGE_KINDS, type Shadow } from "../canary/canary_kind.ts";
import type { CanaryLog } from "../canary/canary_log.ts";
import { canaryDelays, type WorkerDelays } from "./canary_delays.ts";

/** Fewer of a kind than this stand for nothing by themselves. */
const MIN_OF_KIND = 30;

/** Delays that stand for each kind of chunk, and those of all canaries. */
export type DelaysByKind = Readonly<Record<Shadow | "all", ReadonlyMap<number, WorkerDelays>>>;

/** The delays of a run, for its statistics and those of its parts. */
export function delaysByKind(canaries: CanaryLog): DelaysByKind {
  const all = canaryDelays(canaries, MESSAGE_KINDS);
  const of = (kind: Shadow): ReadonlyMap<number, WorkerDelays> => {
    const own = canaryDelays(canaries, [kind]);
    const count = [...own.values()].reduce((sum, { readNs }) => sum + readNs.length, 0);
    return count >= MIN_OF_KIND ? own : all;
  };
  return { first: of("first"), second: of("second"), last: of("last"), all };
}
