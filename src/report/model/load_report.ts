import type { LoadFacts } from "../../measurement/steady/steady_window.ts";

/** Load of a run, and the longest time in which its servers sent nothing. */
export interface LoadReport extends LoadFacts {
  /** How the load is offered; `varying` for ramps, series, schedules and traces. */
  readonly loop: "closed" | "open" | "varying";
  /**
   * Longest time after the first content in which none arrived while requests were in flight;
   * undefined if there is none. The time must exceed 5 % of the window and three times the usual
   * wait of requests for their first content.
   */
  readonly stall: {
    /** From the first start of the profiling phase. */
    readonly startSeconds: number;
    readonly seconds: number;
    /** Whether the window that is shown contains it. */
    readonly isInWindow: boolean;
  } | undefined;
  /** Share of the time that load threads asked for and did not get; NaN if it was not measured. */
  readonly starvedShare: number;
}
