/** Messages between main and the canary thread. */

/** Messages from main to the canary thread. */
export type ToCanaryThread =
  | {
    readonly type: "init";
    readonly port: number;
    readonly isTls: boolean;
    /** See {@linkcode CanaryServer}. */
    readonly token: string;
    readonly workers: number;
    /** Whether they ask for canaries one by one, besides those that they read on streams. */
    readonly isAsked: boolean;
    /** Memory of the {@linkcode CanaryCells}. */
    readonly cells: SharedArrayBuffer;
    /** Where the clocks are compared. */
    readonly clock: SharedArrayBuffer;
  }
  /** A phase begins: canaries are written until its end, which the {@linkcode CanaryCells} tell. */
  | {
    readonly type: "begin";
    readonly phase: number;
    /** On the run's clock. */
    readonly startNs: number;
    readonly clockOffsetMs: number;
  }
  /** The run is over: the thread gives its port back, and waits for other orders. */
  | { readonly type: "rest" };

/** Messages from the canary thread to main. */
export type FromCanaryThread =
  | { readonly type: "ready" }
  /**
   * Reply to a listen order; `failure` is the reason why the thread does not listen, undefined if
   * it does.
   */
  | { readonly type: "listening"; readonly failure: string | undefined }
  /** The load workers have connected to it: what is written reaches them at once. */
  | { readonly type: "connected" }
  /** Reply when the thread has released its port and is idle. */
  | { readonly type: "resting" };
