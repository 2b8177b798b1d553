/** Messages between the main thread and its rendezvous thread. */

import type { Shard } from "../../config/shard/shard.ts";

/** The first phase, or the one after it; at the end nothing begins. */
export type Stage = 0 | 1;

/** How far this machine's clock is ahead of shard 0's. */
export interface ClockOffset {
  readonly offsetMs: number;
  /** The true offset lies at most so far from that. */
  readonly errorMs: number;
}

/** The time at which a stage begins. */
export interface Agreement {
  /** Milliseconds since 1970, by this machine's clock. */
  readonly atMs: number;
  /** Offset of the clock; undefined if it was not measured. */
  readonly clock: ClockOffset | undefined;
  /**
   * Warning for the user: which shards are missing, or that no other shard is left; undefined for
   * none.
   */
  readonly warning: string | undefined;
}

/** Start on which the shards do not agree: no shard sends requests. */
export class RendezvousError extends Error {
  override readonly name = "RendezvousError";
}

/** How shards agree on a start. */
export interface CommonStart {
  /**
   * Waits until all are ready for a stage.
   * @throws {RendezvousError} if the first stage cannot begin
   */
  meet(stage: Stage): Promise<Agreement>;
  /**
   * This shard has sent everything. Shard 0 waits for the others, as long as it would for a start.
   * @returns what the user must know
   */
  over(): Promise<string | undefined>;
  /**
   * Sends the files of this shard to shard 0, which waits for the files of all shards.
   * @param folder of this shard
   * @returns a warning about files that were not sent, or shards that sent none
   */
  collect(folder: string): Promise<string | undefined>;
  /** Leaves the others. */
  close(): Promise<void>;
}

/** Properties by which a shard introduces itself. */
export interface ShardIntroduction {
  readonly shard: Shard;
  readonly host: string;
  readonly planHash: string;
  readonly version: string;
}

/** Task of a rendezvous thread. */
export type BarrierOrders =
  & { readonly self: ShardIntroduction; readonly timeoutMs: number }
  & (
    | {
      readonly by: "rendezvous";
      readonly hostname: string;
      readonly port: number;
      readonly token: string;
      /** The folder of all shards, where shard 0 gets their files; undefined if it does not. */
      readonly collectsInto: string | undefined;
    }
    | { readonly by: "barrier"; readonly directory: string }
  );

/** Messages from main to the rendezvous thread. */
export type ToRendezvousThread =
  | {
    readonly type: "init";
    readonly orders: BarrierOrders;
    /** Where the clocks are compared. */
    readonly clock: SharedArrayBuffer;
  }
  /** Offset that this thread adds to its reading for the run's clock, and the clock's origin. */
  | { readonly type: "clock"; readonly clockOffsetMs: number; readonly baseEpochMs: number }
  | { readonly type: "meet"; readonly stage: Stage }
  | { readonly type: "over" }
  | { readonly type: "collect"; readonly folder: string }
  | { readonly type: "close" };

/** Messages from the rendezvous thread to main. */
export type FromRendezvousThread =
  | { readonly type: "ready" }
  | { readonly type: "began"; readonly failure: string | undefined }
  | { readonly type: "agreed"; readonly agreement: Agreement | undefined; readonly failure: string }
  | { readonly type: "collected"; readonly warning: string | undefined }
  | { readonly type: "allOver"; readonly warning: string | undefined }
  | { readonly type: "warning"; readonly text: string }
  | { readonly type: "closed" };
