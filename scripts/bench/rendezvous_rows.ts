import { SYSTEM_TIMERS } from "../../src/core/thread/timers.ts";
import type { ShardIntroduction } from "../../src/load/rendezvous/messages.ts";
import { RendezvousFollower } from "../../src/load/rendezvous/rendezvous_follower.ts";
import { RendezvousLeader } from "../../src/load/rendezvous/rendezvous_leader.ts";
import type { BenchContext } from "./bench_case.ts";
import type { BenchRow } from "./bench_row.ts";
import { OURS } from "./product.ts";
import { atMost } from "./target.ts";

const SHARDS = 1000;
const TOKEN = "a-token-of-the-bench-0123456789";
const TIMEOUT_MS = 60_000;

/**
 * How long shard 0 takes to let 999 others in that come at once, and to compare clocks with each.
 * All of them are in this process, on loopback: between machines each would have its own processor.
 */
export async function rendezvousRows({ rounds, progress }: BenchContext): Promise<BenchRow[]> {
  const seconds: number[] = [];
  const errorsMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    progress(`scale: rendezvous of ${SHARDS} shards, round ${round + 1}`);
    const { tookSeconds, errorMs } = await meet();
    seconds.push(tookSeconds);
    errorsMs.push(errorMs);
  }
  const row = (label: string, unit: string, values: readonly number[], most: number): BenchRow => ({
    ...{ label, unit, decimals: 3, values: new Map([[OURS, values]]), machine: [] },
    targets: [atMost(most)],
  });
  return [
    row(`rendezvous of ${SHARDS} shards on loopback`, "s", seconds, 10),
    row("largest bound of a clock's offset there", "ms", errorsMs, 50),
  ];
}

async function meet(): Promise<{ readonly tookSeconds: number; readonly errorMs: number }> {
  const nowMs = (): number => performance.timeOrigin + performance.now();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const warnings: string[] = [];
  const settings = { token: TOKEN, timeoutMs: TIMEOUT_MS };
  const startMs = performance.now();
  const host = new RendezvousLeader(listener, { ...settings, self: introduction(0) }, {
    nowMs,
    timers: SYSTEM_TIMERS,
    onWarning: (text) => warnings.push(text),
  });
  const followers = Array.from(
    { length: SHARDS - 1 },
    (_, place) =>
      new RendezvousFollower({ ...settings, self: introduction(place + 1), place: "shard 0" }, {
        nowMs,
        timers: SYSTEM_TIMERS,
        async connect() {
          const connection = await Deno.connect({ hostname: "127.0.0.1", port });
          connection.setNoDelay();
          return connection;
        },
        onWarning: (text) => warnings.push(text),
      }),
  );
  try {
    const others = followers.map((follower) => follower.meet(0));
    await host.meet(0);
    const tookSeconds = (performance.now() - startMs) / 1e3;
    const errors = (await Promise.all(others)).map(({ clock }) => clock?.errorMs ?? Infinity);
    if (warnings.length > 0) throw new Error(warnings[0]);
    return { tookSeconds, errorMs: Math.max(...errors) };
  } finally {
    for (const follower of followers) await follower.close();
    await host.close();
  }
}

function introduction(index: number): ShardIntroduction {
  return {
    shard: { index, count: SHARDS },
    host: `node${index}`,
    planHash: "0".repeat(64),
    version: "bench",
  };
}
