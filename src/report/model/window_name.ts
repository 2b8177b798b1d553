/** Window of a run whose results are shown and evaluated. */
export type WindowName = "steady" | "run";
