import type { Shard } from "../shard/shard.ts";

/** Checks of answers besides those of every reply. */
export interface VerifyPlan {
  /** Prompts that are sent without and under load; absent without `drift`. */
  readonly sample?: number;
  /** Whether answers are compared with expected ones. @default false */
  readonly answers?: boolean;
}

/** Whether this process sends the sample: only the first of several shards does, without other load. */
export function sendsSample(
  { shard, verify }: {
    readonly shard?: Shard | undefined;
    readonly verify?: VerifyPlan | undefined;
  },
): boolean {
  return verify?.sample !== undefined && (shard?.index ?? 0) === 0;
}
