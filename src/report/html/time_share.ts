import type { ColorName } from "../../core/chart/chart.ts";

/** A part of a request's time. */
export interface TimeShare {
  readonly label: string;
  readonly ms: number;
  readonly color: ColorName;
  readonly explanation: string;
}

/** Parts of a request's time that one side reports. */
export interface TimeShares {
  readonly side: "client" | "server" | "ttft";
  readonly title: string;
  /** Requests that the means are of, and their origin. */
  readonly basis: string;
  readonly parts: readonly TimeShare[];
}
