/** Plots of the sessions of a run. */

import { finiteOrNull } from "../../core/files/finite_or_null.ts";
import type { BarPart, BarPlot, BarRow } from "../../core/chart/bar_plot.ts";
import type { ColorName } from "../../core/chart/chart.ts";
import { countText, figureText, millisecondsText } from "../../core/chart/figure_text.ts";
import type { Lane, LaneCall, LanePlot } from "../../core/chart/lane_plot.ts";
import { shortText } from "../../core/chart/short_text.ts";
import { percentText } from "../diagnosis/evidence_text.ts";
import {
  durationNs,
  type PathParts,
  type SessionTrace,
  type ShownSession,
  type TracedCall,
} from "../model/session_traces.ts";

/** Calls whose tokens are shown as bars. */
const MAX_TOKEN_BARS = 40;
/** Agents that have a lane. */
const MAX_LANES = 40;
/** Characters of a name in front of a bar. */
const MAX_NAME = 24;

/** Parts of a critical path in the order in which they are drawn, with their names and colours. */
export const PATH_PARTS:
  readonly (readonly [part: keyof PathParts, name: string, color: ColorName])[] = [
    ["waiting", "waiting to be sent", "queue"],
    ["queued", "queued on the server", "vermilion"],
    ["prefill", "until the first token", "prefill"],
    ["decode", "decode", "decode"],
    ["model", "model", "client"],
    ["tool", "tools", "network"],
    ["agent", "agents", "grey"],
    ["user", "user", "purple"],
  ];

/** A part of a critical path that takes time. */
interface NamedPart {
  readonly part: keyof PathParts;
  readonly name: string;
  readonly color: ColorName;
  readonly value: number;
}

/** Returns the parts of a critical path that take time, in the order in which they are drawn. */
export function namedParts(parts: PathParts): NamedPart[] {
  return PATH_PARTS.map(([part, name, color]) => ({ part, name, color, value: parts[part] }))
    .filter(({ value }) => value > 0);
}

/** A time of a session: milliseconds below 1 s. */
export function nsText(ns: number): string {
  return ns < 1e9 ? millisecondsText(ns / 1e6) : `${figureText(ns / 1e9)} s`;
}

/** Returns the lanes of a session; the agents that began last are left out where they are too many. */
export function lanePlot({ agents, calls, session }: SessionTrace, id: string): LanePlot {
  const { times } = session;
  const lanes = agents.slice(0, MAX_LANES).map(({ depth, name }, agent): Lane => ({
    label: name,
    depth,
    calls: calls.filter((call) => call.agent === agent).map(laneCall),
  }));
  const links = calls.flatMap(({ agent, waitedFor }) =>
    waitedFor === undefined || waitedFor.agent === agent || agent >= MAX_LANES ||
      waitedFor.agent >= MAX_LANES
      ? []
      : [{ from: waitedFor.agent, to: agent, at: waitedFor.atNs / 1e9 }]
  );
  return {
    kind: "lanes",
    id,
    name: `Calls of ${session.name} over ${nsText(durationNs(times))}, a lane for each agent`,
    duration: (times.treeEndNs - times.treeStartNs) / 1e9,
    lanes,
    links,
  };
}

function laneCall(call: TracedCall): LaneCall {
  const { criticalUntilNs, firstTokenNs, gapClass, hasFailed, isReset, waitedFor } = call;
  return {
    ...(waitedFor === undefined ? {} : { from: waitedFor.atNs / 1e9 }),
    due: call.dueNs / 1e9,
    start: call.startNs / 1e9,
    ...(Number.isNaN(firstTokenNs) ? {} : { first: firstTokenNs / 1e9 }),
    end: call.endNs / 1e9,
    ...(gapClass === undefined ? {} : { gap: gapClass }),
    ...(criticalUntilNs === undefined ? {} : { criticalUntil: criticalUntilNs / 1e9 }),
    ...(hasFailed ? { hasFailed } : {}),
    ...(isReset ? { isReset } : {}),
    tokens: [
      finiteOrNull(call.inputTokens),
      finiteOrNull(call.cachedTokens),
      finiteOrNull(call.outputTokens),
    ],
  };
}

/** Calls of a session that are shown with their tokens, and every which of them that is. */
export function tokenCalls({ calls }: SessionTrace): {
  readonly shown: readonly TracedCall[];
  readonly step: number;
} {
  const counted = calls.filter(({ inputTokens }) => inputTokens > 0);
  const step = Math.max(1, Math.ceil(counted.length / MAX_TOKEN_BARS));
  return {
    shown: counted.filter(({ isReset }, place) => place % step === 0 || isReset)
      .slice(0, 2 * MAX_TOKEN_BARS),
    step,
  };
}

/** Returns the prompt tokens of the calls of a session; undefined if none is counted. */
export function tokenPlot(trace: SessionTrace, id: string): BarPlot | undefined {
  const { shown } = tokenCalls(trace);
  if (shown.length === 0) return undefined;
  return {
    kind: "bars",
    id,
    isDense: true,
    name: `Prompt tokens of ${shown.length} calls of ${trace.session.name}`,
    rows: shown.map((call): BarRow => {
      const { cachedTokens, inputTokens, isReset, turn } = call;
      const label = `${shortName(trace.agents[call.agent]?.name ?? "")} ${turn}`;
      const isKnown = !Number.isNaN(cachedTokens);
      const cached = isKnown ? Math.min(cachedTokens, inputTokens) : 0;
      const fresh = inputTokens - cached;
      const reading = {
        place: label,
        rows: [
          ["prompt", `${countText(inputTokens)} tokens`],
          ...(isKnown ? [["cached", countText(cached)], ["new", countText(fresh)]] : []),
          ...(isReset ? [["history", "reset"]] : []),
        ] as [string, string][],
      };
      const total = isKnown
        ? `${countText(fresh)} new of ${countText(inputTokens)}`
        : countText(inputTokens);
      return {
        label,
        total: isReset ? `${total}, reset` : total,
        parts: [
          ...(cached > 0 ? [{ color: "cached" as const, value: cached, reading }] : []),
          { color: isKnown ? "prefill" : "client", value: fresh, reading },
        ],
      };
    }),
  };
}

/** Returns the critical paths of sessions. */
export function durationPlot(sessions: readonly ShownSession[], id: string): BarPlot {
  return {
    kind: "bars",
    id,
    name: `Critical paths of ${sessions.length} sessions, the slowest first`,
    rows: sessions.map((session): BarRow => ({
      label: shortName(session.name),
      total: nsText(durationNs(session.times)),
      parts: pathParts(session),
    })),
  };
}

function pathParts({ name, parts, times }: ShownSession): BarPart[] {
  const whole = durationNs(times);
  return namedParts(parts).map(({ color, name: part, value }) => ({
    ...{ color, value: value / 1e9 },
    reading: {
      place: shortName(name),
      rows: [[part, `${nsText(value)}, ${percentText(value / whole)}`]],
    },
  }));
}

/** A name with room in front of a bar. */
export function shortName(name: string): string {
  return shortText(name, MAX_NAME);
}
