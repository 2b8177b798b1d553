/** Messages between main and the thread that probes the network. */

import type { NetworkSample, NetworkTarget } from "./network_sample.ts";

/** Messages from main. */
export type ToNetworkThread =
  | {
    readonly type: "init";
    readonly targets: readonly NetworkTarget[];
    readonly intervalMs: number;
    /** Cells in which the clocks are compared. */
    readonly clock: SharedArrayBuffer;
  }
  | { readonly type: "start"; readonly clockOffsetMs: number }
  /** The load is over; answered by `stopped`, at once if nothing is to be added. */
  | {
    readonly type: "stop";
    readonly topUp: boolean;
    /** From which on probes count, nanoseconds of the run's clock. */
    readonly sinceNs: number;
  };

/** Messages to main. */
export type FromNetworkThread =
  | { readonly type: "ready" }
  | { readonly type: "stopped"; readonly samples: readonly NetworkSample[] };
