/**
 * A run at a moment as the lines of a full screen: on 80 columns one block below the other, on a wide
 * screen side by side; on a high one with higher curves and longer lists. What finds no room is left
 * out from the end of its block, never the keys.
 */

import { displayWidth, padded } from "../console/display_width.ts";
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
  const room = Math.max(1, screen.height - 2);
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
  const lines = [titleLine(model, width), ...body.slice(0, room), keyLine(model, screen, width)];
  return lines.slice(0, screen.height).map(({ text, style }) => {
    const line = cut(text, width);
    return style === undefined || !screen.color ? line : styledText(style, line);
  });
}

function titleLine(model: LiveModel, width: number): Line {
  const { phase, share, elapsedSeconds, leftSeconds, stage, load } = model;
  const state = stage !== "" ? stage : [
    phase === "warmup" ? "warm-up" : "profiling",
    Number.isNaN(share) ? "" : `${Math.floor(share * 100)} %`,
    load.isPaused ? "PAUSED" : "",
    `${clockText(elapsedSeconds)}${
      Number.isNaN(leftSeconds) ? "" : ` of ~${clockText(elapsedSeconds + leftSeconds)}`
    }`,
  ].filter((text) => text !== "").join("  ");
  const [target = "", ...others] = model.targets.map(hostOf);
  const what = `inferometer  ${target}${others.length > 0 ? ` +${others.length}` : ""}  ${
    printableText(model.model, 60)
  }`;
  const left = cut(what, Math.max(0, width - displayWidth(state) - 2));
  return {
    text: `${padded(left, width - displayWidth(state))}${state}`,
    style: load.isPaused ? "yellow" : "bold",
  };
}

/** 00:12, 1:02:03. */
function clockText(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (value: number): string => String(value).padStart(2, "0");
  const minutes = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return whole < 3600 ? minutes : `${Math.floor(whole / 3600)}:${minutes}`;
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
