/** Calls of the agents of a session over time, a lane for each agent, as plain data. */

import type { ColorName } from "./chart.ts";
import { countText, millisecondsText } from "./figure_text.ts";
import type { PlotReading } from "./point_plot.ts";

/** A call; times are seconds from the start of the session. */
export interface LaneCall {
  /** When the event happened after which it became due; absent for a call that waited for none. */
  readonly from?: number;
  readonly due: number;
  readonly start: number;
  /** First token; absent if there was none. */
  readonly first?: number;
  readonly end: number;
  /** Who worked from the event until it was due. */
  readonly gap?: "tool" | "user" | "agent";
  /** Until when it is part of the critical path; absent for a call that is not part of it. */
  readonly criticalUntil?: number;
  readonly hasFailed?: true;
  /** Whether its prompt does not begin with the prompt of the call before it. */
  readonly isReset?: true;
  /** Tokens of the prompt, of these cached, and of the reply; null where they are not known. */
  readonly tokens: readonly [
    input: number | null,
    cached: number | null,
    output: number | null,
  ];
}

/** The calls of an agent, by their starts. */
export interface Lane {
  readonly label: string;
  /** Agents above it, from 0. */
  readonly depth: number;
  readonly calls: readonly LaneCall[];
}

/** A line from a call of one lane to a call of another one that waited for it. */
export interface LaneLink {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** See the module's comment. */
export interface LanePlot {
  readonly kind: "lanes";
  readonly id: string;
  /** Description for readers who do not see the plot. */
  readonly name: string;
  /** Seconds from the first start to the last end. */
  readonly duration: number;
  readonly lanes: readonly Lane[];
  readonly links: readonly LaneLink[];
}

/** Parts of a call, and the colours of them. */
export const LANE_COLORS = {
  waiting: "queue",
  prefill: "prefill",
  decode: "decode",
  failed: "bad",
} as const satisfies Record<string, ColorName>;

/** Returns the values of a call under the cursor; undefined if the lane has no such call. */
export function laneReading({ calls, label }: Lane, place: number): PlotReading | undefined {
  const call = calls[place];
  if (call === undefined) return undefined;
  const { criticalUntil, due, end, first, from = due, gap, hasFailed, isReset, start } = call;
  const [input, cached, output] = call.tokens;
  const time = (seconds: number): string => millisecondsText(seconds * 1000);
  const rows: [string, string][] = [["start", time(start)]];
  if (gap !== undefined && due > from) rows.push([gap, time(due - from)]);
  if (start > due) rows.push(["waiting", time(start - due)]);
  if (first === undefined) rows.push(["latency", time(end - start)]);
  else rows.push(["TTFT", time(first - start)], ["decode", time(end - first)]);
  if (input !== null) rows.push(["prompt", `${countText(input)} tokens`]);
  if (cached !== null) rows.push(["cached", `${countText(cached)} tokens`]);
  if (output !== null) rows.push(["reply", `${countText(output)} tokens`]);
  if (isReset) rows.push(["history", "reset"]);
  const remark = hasFailed ? " (failed)" : criticalUntil === undefined ? "" : " (critical path)";
  return { place: `${label}, call ${place + 1}${remark}`, rows };
}
