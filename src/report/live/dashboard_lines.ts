/**
 * A run at a moment as the lines of a full screen: on 80 columns one block below the other, on a wide
 * screen side by side; on a high one with higher curves and longer lists. What finds no room is left
 * out from the end of its block, never the keys.
 */

import { displayWidth, padded } from "../console/display_width.ts";
import { countedText, elapsedText, wholeNumber } from "../console/number_text.ts";
import { printableText } from "../console/printable_text.ts";
import { styledText } from "../console/styled_text.ts";
import {
  clientBlock,
  errorBlock,
  hostOf,
  loadBlock,
  messageBlock,
  serverBlocks,
  workerBlock,
} from "./dashboard_blocks.ts";
import { type Block, cut, fitted, GAP, type Line, sideBySide } from "./dashboard_layout.ts";
import type { LiveModel } from "./live_model.ts";

/** A screen. */
export interface DashboardScreen {
  readonly width: number;
  readonly height: number;
  readonly color: boolean;
  /** Whether the terminal accepts keys. */
  readonly hasKeys: boolean;
  /** Lines above the messages. */
  readonly remarks?: readonly string[];
  /** Line that replaces the keys. */
  readonly notice?: string | undefined;
}

/** Minimum width at which blocks are side by side. */
const WIDE = 150;
/** Curves that take several rows where there is room, and the rows of everything else. */
const CURVES = 6;
const OTHER_ROWS = 14;
const OTHER_NARROW_ROWS = 26;
const MAX_CURVE_ROWS = 6;
const MIN_WIDTH = 20;

/** The lines of the screen, as many as it has rows, none wider than it is. */
export function dashboardLines(model: LiveModel, screen: DashboardScreen): string[] {
  const width = Math.max(MIN_WIDTH, screen.width);
  const isWide = width >= WIDE;
  const head = headLines(model, width).slice(0, Math.max(1, screen.height - 2));
  const room = Math.max(1, screen.height - head.length - 1);
  const column = isWide ? Math.floor((width - GAP.length) / 2) : width;
  const spare = room - (isWide ? OTHER_ROWS : OTHER_NARROW_ROWS);
  const curveRows = Math.min(MAX_CURVE_ROWS, Math.max(0, Math.floor(spare / CURVES)));
  const left = [loadBlock(model, column, curveRows), clientBlock(model, column)];
  const right = [
    ...serverBlocks(model, column),
    workerBlock(model, column),
    errorBlock(model),
    messageBlock(model, screen.remarks ?? []),
  ];
  const body = isWide
    ? sideBySide(fitted(left, room, column), fitted(right, room, column), column)
    : fitted(
      [left[0] as Block, ...right.slice(0, -1), left[1] as Block, ...right.slice(-1)],
      room,
      width,
    );
  while (body.length < room) body.push({ text: "" });
  const lines = [...head, ...body.slice(0, room), keyLine(model, screen, width)];
  return lines.slice(0, screen.height).map(({ text, style }) => {
    const line = cut(text, width);
    return style === undefined || !screen.color ? line : styledText(style, line);
  });
}

/** The first lines: what is measured and how far it is, then the load and the diagnosis so far. */
function headLines(model: LiveModel, width: number): Line[] {
  const { load, phase, soFar, stage } = model;
  const state = stage !== "" ? stage : [
    phase === "warmup" ? "warm-up" : "",
    load.isPaused ? "PAUSED" : "",
    progressText(model),
  ].filter((text) => text !== "").join("  ");
  const [target = "", ...others] = model.targets.map(hostOf);
  const what = `inferometer  ${target}${others.length > 0 ? ` +${others.length}` : ""}  ${
    printableText(model.model, 60)
  }`;
  const style = load.isPaused ? "yellow" : "bold";
  return [
    { text: spread(what, state, width), style },
    { text: spread(loadText(model), printableText(soFar), width), style },
  ];
}

/** Two texts at the two ends of a line; the left one gives way. */
function spread(left: string, right: string, width: number): string {
  const room = width - displayWidth(right);
  return `${padded(cut(left, Math.max(0, room - 2)), room)}${right}`;
}

/** The load: `closed loop, 32 in flight`; the cap of an open loop is with what is in progress. */
function loadText({ load, sessions }: LiveModel): string {
  const { concurrency, loop, ratePerSecond } = load;
  if (loop === "closed") {
    const held = sessions === undefined
      ? `${wholeNumber(concurrency)} in flight`
      : `${countedText(concurrency, "session")} in progress`;
    return `closed loop${concurrency === Infinity ? "" : `, ${held}`}`;
  }
  const rate = Number.isFinite(ratePerSecond)
    ? [
      `${Number(ratePerSecond.toPrecision(4))} ${
        sessions?.isRateOfSessions === true ? "sessions" : "requests"
      }/s`,
    ]
    : [];
  return ["open loop", ...rate].join(", ");
}

/** Elapsed of planned: `12 of 45 s`, or requests or sessions where they end the phase. */
function progressText(model: LiveModel): string {
  const { cancelled, elapsedSeconds, failed, plannedSeconds, requestCount, succeeded } = model;
  const { begun = 0, planned = Infinity } = model.sessions ?? {};
  const done = succeeded + failed + cancelled;
  return [
    ...(requestCount < Infinity
      ? [`${wholeNumber(done)} of ${wholeNumber(requestCount)} requests`]
      : []),
    ...(planned < Infinity ? [`${wholeNumber(begun)} of ${countedText(planned, "session")}`] : []),
    elapsedText(elapsedSeconds, plannedSeconds),
  ].join("  ");
}

function keyLine({ load, stage }: LiveModel, screen: DashboardScreen, width: number): Line {
  const { hasKeys, notice } = screen;
  if (notice !== undefined) return { text: cut(notice, width), style: "bold" };
  if (!hasKeys) return { text: cut("Ctrl-C stops and reports", width) };
  if (stage !== "") return { text: "" };
  const what = load.loop === "closed" ? "concurrency" : "rate";
  const keys = [
    ...(load.ratePerSecond === Infinity ? [] : [`[+/-] ${what}`]),
    `[p] ${load.isPaused ? "go on" : "pause"}`,
    "[m] mark",
    "[q] stop and report",
  ];
  return { text: cut(keys.join("  "), width), style: "bold" };
}
