import { UsageError } from "../../options/usage_error.ts";
import type { Shard } from "../../shard/shard.ts";
import { sessionLimit } from "./resolve_phases.ts";
import type { PhasePlan } from "../run_plan.ts";

/**
 * Checks that every shard has something to do, and that no limit would be none for one of them.
 * @throws {UsageError} naming what there is too little of
 */
export function checkShard({ count }: Shard, phases: readonly PhasePlan[]): void {
  for (const phase of phases) {
    const { kind, load, prefill } = phase;
    const isWarmup = kind === "warmup";
    const flag = (name: string): string => isWarmup ? `--warmup-${name}` : `--${name}`;
    const limits: [what: string, number: number][] = [
      [flag("concurrency"), load.concurrency],
      [flag("prefill-concurrency"), prefill?.limit ?? Infinity],
      // A short warm-up may be over before it gets to every shard.
      [
        phase.sessionCount === undefined ? "requests" : "sessions",
        isWarmup ? Infinity : sessionLimit(phase),
      ],
    ];
    for (const [what, number] of limits) {
      if (number >= count) continue;
      throw new UsageError(
        "--shard",
        what.startsWith("--")
          ? `${count} shards need ${what} ${count} or more: got ${number}`
          : `${count} shards need as many ${what} or more: got ${number}`,
      );
    }
  }
}
