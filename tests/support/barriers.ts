/** Shards that meet within a test: real connections, timers that the test lets run out. */

import { SYSTEM_TIMERS, type Timers } from "../../src/core/thread/timers.ts";
import type { ByteConnection } from "../../src/load/rendezvous/channel.ts";
import type { ShardIntroduction } from "../../src/load/rendezvous/messages.ts";
import { RendezvousFollower } from "../../src/load/rendezvous/rendezvous_follower.ts";
import { RendezvousLeader } from "../../src/load/rendezvous/rendezvous_leader.ts";

export const TOKEN = "a-token-of-the-tests-0123456789";
/** Long timers are the test's to let run out. */
const LONG_MS = 2000;

/** A shard of one plan and version. */
export function introduction(
  index: number,
  count: number,
  fields: Partial<ShardIntroduction> = {},
): ShardIntroduction {
  return {
    shard: { index, count },
    host: `node${index}`,
    planHash: "ab".repeat(32),
    version: "inferometer/1",
    ...fields,
  };
}

/** Timers of which the long ones run out when the test says so. */
export class PatientTimers implements Timers {
  readonly #long = new Map<() => void, number>();

  once(delayMs: number, call: () => void): () => void {
    if (delayMs < LONG_MS) return SYSTEM_TIMERS.once(Math.min(delayMs, 20), call);
    this.#long.set(call, delayMs);
    return () => void this.#long.delete(call);
  }

  every(intervalMs: number, call: () => void): () => void {
    return SYSTEM_TIMERS.every(intervalMs, call);
  }

  /** Lets the timers of this length run out. */
  expire(delayMs: number): void {
    for (const [call, of] of [...this.#long]) {
      if (of !== delayMs) continue;
      this.#long.delete(call);
      call();
    }
  }
}

/** What is equal for all shards of a test. */
export interface BarrierSettings {
  readonly token?: string;
  readonly timeoutMs?: number;
  /** How far a follower's clock is ahead. */
  readonly aheadMs?: number;
  readonly timers?: Timers;
  /** What a follower makes of a connection to shard 0, which it may hold up. */
  readonly held?: (connection: ByteConnection) => ByteConnection;
  /** Where shard 0 gets the files of the others. */
  readonly collectsInto?: string;
}

/** Shard 0 at a free port, and those that come to it; ends them all. */
export class TestBarrier implements AsyncDisposable {
  readonly host: RendezvousLeader;
  readonly port: number;
  readonly warnings: string[] = [];
  /** What is told to the users of the others. */
  readonly guestWarnings: string[] = [];
  readonly timers = new PatientTimers();
  readonly #followers: RendezvousFollower[] = [];
  readonly #guestWarned = Promise.withResolvers<void>();

  constructor(
    self: ShardIntroduction,
    { token = TOKEN, timeoutMs = 60_000, collectsInto }: BarrierSettings = {},
  ) {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.port = (listener.addr as Deno.NetAddr).port;
    this.host = new RendezvousLeader(listener, { self, token, timeoutMs, collectsInto }, {
      nowMs: wallMs,
      timers: this.timers,
      onWarning: (text) => this.warnings.push(text),
    });
  }

  /** Resolves when the user of another shard is told something. */
  get guestWarned(): Promise<void> {
    return this.#guestWarned.promise;
  }

  follower(self: ShardIntroduction, settings: BarrierSettings = {}): RendezvousFollower {
    const { token = TOKEN, timeoutMs = 60_000, aheadMs = 0, timers = this.timers } = settings;
    const { held = (connection) => connection } = settings;
    const { port } = this;
    const follower = new RendezvousFollower({ self, token, timeoutMs, place: "node0:1" }, {
      nowMs: () => wallMs() + aheadMs,
      timers,
      connect: async () => held(await Deno.connect({ hostname: "127.0.0.1", port })),
      onWarning: (text) => {
        this.guestWarnings.push(text);
        this.#guestWarned.resolve();
      },
    });
    this.#followers.push(follower);
    return follower;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const follower of this.#followers) await follower.close();
    await this.host.close();
  }
}

export function wallMs(): number {
  return performance.timeOrigin + performance.now();
}
