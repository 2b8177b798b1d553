import { upperBound } from "../../../core/statistics/search_sorted.ts";
import { orderOf } from "../model/call_draft.ts";
import { isoSeconds } from "./iso_seconds.ts";

/** A shorter call of an agent tool starts no session of its own. */
const LEAST_AGENT_MS = 10_000;

/** A time as TraceLab writes it: ISO 8601, or seconds of the epoch. */
export type Moment = string | number;

/** Fields of a row that show which sessions its session started. */
export interface LinkedRow {
  readonly "session_id": string;
  readonly provider?: string | undefined;
  readonly user?: unknown;
  readonly project?: unknown;
  readonly "timing_events": readonly { readonly timestamp: Moment }[];
  readonly tools?:
    | readonly {
      readonly tool_name: string;
      readonly emitted_at?: Moment | undefined;
      readonly result_at?: Moment | undefined;
      readonly tool_wall_latency_ms?: number | undefined;
    }[]
    | undefined;
}

/** A time in which a session can have started other sessions, in milliseconds of the epoch. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  readonly session: string;
}

interface SessionTimes {
  readonly session: string;
  readonly owner: string;
  readonly isCodex: boolean;
  fromMs: number;
  toMs: number;
  /** Calls of agent tools; of codex, the first spawn and the last wait. */
  readonly calls: Window[];
  spawnMs: number;
  waitMs: number;
}

/** Finds the sessions of subagents: they lie within a time in which another session waits for agents. */
export class TracelabLinks {
  readonly #sessions = new Map<string, SessionTimes>();

  /** Adds a row of a session. */
  add(
    { session_id: session, provider, user, project, timing_events: events, tools = [] }: LinkedRow,
  ): void {
    let times = this.#sessions.get(session);
    if (times === undefined) {
      times = {
        // A copy: the text may be a part of a larger one, which would stay in memory for it.
        session: JSON.parse(JSON.stringify(session)),
        owner: JSON.stringify([user ?? null, project ?? null]),
        isCodex: provider === "codex",
        ...{ fromMs: Infinity, toMs: -Infinity, calls: [], spawnMs: Infinity, waitMs: -Infinity },
      };
      this.#sessions.set(times.session, times);
    }
    for (const { timestamp } of events) widened(times, timestamp);
    for (const tool of tools) {
      const fromMs = widened(times, tool.emitted_at);
      const toMs = widened(times, tool.result_at);
      const { tool_name: name, tool_wall_latency_ms: latencyMs = 0 } = tool;
      if (times.isCodex) {
        if (name === "spawn_agent") times.spawnMs = Math.min(times.spawnMs, fromMs ?? Infinity);
        if (name === "wait_agent") times.waitMs = Math.max(times.waitMs, toMs ?? -Infinity);
      } else if (
        ["Agent", "Task"].includes(name) && latencyMs >= LEAST_AGENT_MS &&
        fromMs !== undefined && toMs !== undefined
      ) times.calls.push({ fromMs, toMs, session: times.session });
    }
  }

  /** Returns the window of each subagent's session: the tightest of the same user and project. */
  links(): Map<string, Window> {
    const windows = new Map<string, Window[]>();
    for (const [session, { owner, isCodex, calls, spawnMs, waitMs }] of this.#sessions) {
      const isOne = isCodex && Number.isFinite(spawnMs) && waitMs > spawnMs;
      const own = isOne ? [{ fromMs: spawnMs, toMs: waitMs, session }] : calls;
      if (own.length === 0) continue;
      const all = windows.get(owner) ?? [];
      windows.set(owner, all);
      all.push(...own);
    }
    const byOwner = new Map([...windows].map(([owner, all]) => [owner, new OwnerWindows(all)]));
    const links = new Map<string, Window>();
    for (const [session, { owner, fromMs, toMs }] of this.#sessions) {
      const found = byOwner.get(owner)?.around(session, fromMs, toMs);
      if (found !== undefined) links.set(session, found);
    }
    return links;
  }
}

/** Lets the times of a session include a time, and returns that; undefined for a text that is no time. */
function widened(times: SessionTimes, moment: Moment | undefined): number | undefined {
  const ms = momentMs(moment);
  if (ms === undefined) return undefined;
  times.fromMs = Math.min(times.fromMs, ms);
  times.toMs = Math.max(times.toMs, ms);
  return ms;
}

/** Returns milliseconds of the epoch; undefined for a text that is no time. */
export function momentMs(moment: Moment | undefined): number | undefined {
  const seconds = momentSeconds(moment);
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Returns seconds of the epoch; undefined for a text that is no time. */
export function momentSeconds(moment: Moment | undefined): number | undefined {
  return typeof moment === "string" ? isoSeconds(moment) : moment;
}

/** Windows of one user and project by their beginnings. */
class OwnerWindows {
  readonly #windows: readonly Window[];
  readonly #fromMs: Float64Array;
  readonly #longestMs: number;

  constructor(windows: readonly Window[]) {
    const sorted = [...windows].sort((a, b) =>
      orderOf([a.fromMs, a.toMs, a.session], [b.fromMs, b.toMs, b.session])
    );
    const isEqual = (a: Window, b: Window | undefined): boolean =>
      a.fromMs === b?.fromMs && a.toMs === b.toMs;
    const distinct = sorted.filter((window, place) => {
      const before = sorted[place - 1];
      return window.session !== before?.session || !isEqual(window, before);
    });
    // Of equal windows the first one is taken; the session that has that takes the second one.
    this.#windows = distinct.filter((window, place) => !isEqual(window, distinct[place - 2]));
    this.#fromMs = Float64Array.from(this.#windows, ({ fromMs }) => fromMs);
    this.#longestMs = windows.reduce((most, { fromMs, toMs }) => Math.max(most, toMs - fromMs), 0);
  }

  /** The tightest window of another session around a time. */
  around(session: string, fromMs: number, toMs: number): Window | undefined {
    let best: Window | undefined;
    for (let at = upperBound(this.#fromMs, fromMs) - 1; at >= 0; at--) {
      const window = this.#windows[at] as Window;
      const mostMs = best === undefined ? this.#longestMs : best.toMs - best.fromMs;
      if (toMs - window.fromMs > mostMs) break;
      if (window.session === session || window.toMs < toMs) continue;
      if (best === undefined || orderOf(keyOf(window), keyOf(best)) < 0) best = window;
    }
    return best;
  }
}

function keyOf({ fromMs, toMs, session }: Window): (number | string)[] {
  return [toMs - fromMs, fromMs, session];
}
