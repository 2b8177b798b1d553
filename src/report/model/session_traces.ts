/** Sessions of a run that its pages show: some of all by their durations, and two call by call. */

import { GAP_CLASSES, type GapClass } from "../../core/session_graph/session_graph.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import type { SessionFacts } from "../../measurement/metrics/session_book.ts";
import { wholeSessions } from "../../measurement/metrics/session_results.ts";
import {
  eventBefore,
  type EventColumns,
  type SessionTimes,
  sessionTimes,
} from "../../measurement/metrics/session_times.ts";

/** Sessions that are shown with their durations. */
export const MAX_SHOWN_SESSIONS = 12;
/** Calls of a session that are shown one by one. */
const MAX_TRACED_CALLS = 250;

/** Nanoseconds of the critical path of a session; the sum is its duration. */
export interface PathParts {
  /** Due and not sent. */
  readonly waiting: number;
  /** Queued on the server, where its replies report that. */
  readonly queued: number;
  /** From the start to the first token, time in the server's queue excluded. */
  readonly prefill: number;
  readonly decode: number;
  /** In calls without a visible first token. */
  readonly model: number;
  readonly tool: number;
  readonly user: number;
  readonly agent: number;
}

/** A session, and where its time went. */
export interface ShownSession {
  readonly name: string;
  readonly times: SessionTimes;
  readonly parts: PathParts;
}

/** Kind of the agent that the user talks to, and its name in reports. */
const MAIN = "main";

/** A call of a session. Times are nanoseconds from the start of the session; NaN for unknown ones. */
export interface TracedCall {
  /** Place of its agent in {@linkcode SessionTrace.agents}. */
  readonly agent: number;
  /** Number among the calls of its agent, from 1. */
  readonly turn: number;
  /** The event after which it became due; undefined for a call that waited for none. */
  readonly waitedFor: { readonly agent: number; readonly atNs: number } | undefined;
  readonly dueNs: number;
  readonly startNs: number;
  readonly firstTokenNs: number;
  readonly endNs: number;
  readonly gapClass: GapClass | undefined;
  /** Until when it is part of the critical path; undefined for a call that is not part of it. */
  readonly criticalUntilNs: number | undefined;
  readonly hasFailed: boolean;
  readonly isReset: boolean;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

/** A session call by call. */
export interface SessionTrace {
  readonly session: ShownSession;
  readonly agents: readonly { readonly name: string; readonly depth: number }[];
  /** By their starts, at most {@linkcode MAX_TRACED_CALLS}. */
  readonly calls: readonly TracedCall[];
}

/** See the module's comment. */
export interface SessionTraces {
  /** Sessions that {@linkcode SessionTraces.shown} is taken from, and whether they were completed. */
  readonly count: number;
  readonly areCompleted: boolean;
  /** The slowest first. */
  readonly shown: readonly ShownSession[];
  readonly median: SessionTrace;
  /** undefined if it is the median. */
  readonly slowest: SessionTrace | undefined;
}

/** Returns the shown sessions of a table; undefined if it has none of several calls. */
export function sessionTraces(table: RecordTable): SessionTraces | undefined {
  const sessions = sessionTimes(table);
  // As in the durations of the console, those that were entered in their middle only if need be.
  const whole = wholeSessions(table);
  const completed = whole.length > 0
    ? whole
    : sessions.filter(({ status }) => status === "completed");
  const chosen = completed.length > 0 ? completed : sessions;
  const ranked = chosen.toSorted((a, b) => durationNs(b) - durationNs(a) || a.session - b.session);
  const reader = new TraceReader(table);
  const middle = ranked[Math.floor(ranked.length / 2)];
  const slowest = ranked[0];
  if (middle === undefined || slowest === undefined) return undefined;
  return {
    count: ranked.length,
    areCompleted: completed.length > 0,
    shown: shownRanks(ranked.length).map((rank) => reader.shown(ranked[rank] as SessionTimes)),
    median: reader.trace(middle),
    slowest: slowest === middle ? undefined : reader.trace(slowest),
  };
}

/** Nanoseconds from the start to the end of a session. */
export function durationNs({ endNs, startNs }: SessionTimes): number {
  return endNs - startNs;
}

/** Ranks of the sessions that are shown: all, or some from the slowest to the fastest. */
function shownRanks(count: number): number[] {
  const shown = Math.min(count, MAX_SHOWN_SESSIONS);
  return Array.from(
    { length: shown },
    (_, place) => shown < 2 ? 0 : Math.round(place * (count - 1) / (shown - 1)),
  );
}

/** Reads sessions out of the columns of a table. */
class TraceReader {
  readonly #table: RecordTable;
  readonly #events: EventColumns;
  readonly #intended: Float64Array;
  readonly #firstTokens: Float64Array | undefined;
  readonly #queued: Float64Array | undefined;

  constructor(table: RecordTable) {
    this.#table = table;
    this.#events = {
      starts: table.allStartNs.values,
      ends: table.allEndNs.values,
      turns: table.turns.values,
      waitedFor: table.waitedFor.values,
    };
    this.#intended = table.intendedNs.values;
    this.#firstTokens = table.column("time_to_first_token");
    this.#queued = table.column("reported_queue_time");
  }

  shown(times: SessionTimes): ShownSession {
    const { session } = times;
    const facts = this.#table.sessionBook.of(session);
    // Numbers distinguish sessions of one conversation, which is sent several times.
    const name = facts === undefined ? "session" : facts.sourceId;
    return { name: `${name} (${session})`, times, parts: this.#parts(times) };
  }

  trace(times: SessionTimes): SessionTrace {
    const { path, rows, session, treeStartNs: startNs } = times;
    const known = this.#table.sessionBook.of(session)?.agents;
    const { starts, ends, turns } = this.#events;
    const agents: { readonly name: string; readonly depth: number }[] = [];
    const places = new Map<number, number>();
    const placeOf = (row: number): number => {
      const number = at(this.#table.agents.values, row) || 0;
      const place = places.get(number) ?? agents.length;
      if (place === agents.length) {
        places.set(number, place);
        const depth = at(this.#table.depths.values, row) || 0;
        agents.push({ name: shownName(known, number), depth });
      }
      return place;
    };
    const rowOf = new Map(rows.map((row) => [at(turns, row), row]));
    const turnsOf = new Map<number, number>();
    const untilOf = new Map(path.map(({ row, untilNs }) => [row, untilNs - startNs]));
    const inOrder = rows.toSorted((a, b) => at(starts, a) - at(starts, b));
    const calls = inOrder.slice(0, MAX_TRACED_CALLS).map((row): TracedCall => {
      const agent = placeOf(row);
      const turn = (turnsOf.get(agent) ?? 0) + 1;
      turnsOf.set(agent, turn);
      const event = eventBefore(row, rowOf, this.#events);
      return {
        ...{ agent, turn },
        waitedFor: event && { agent: placeOf(event.row), atNs: event.atNs - startNs },
        dueNs: this.#dueNs(row, event?.atNs) - startNs,
        startNs: at(starts, row) - startNs,
        firstTokenNs: at(starts, row) + at(this.#firstTokens, row) * 1e6 - startNs,
        endNs: at(ends, row) - startNs,
        gapClass: GAP_CLASSES[at(this.#table.gapClasses.values, row)],
        criticalUntilNs: untilOf.get(row),
        hasFailed: at(this.#table.errorKinds.values, row) >= 0,
        isReset: at(this.#table.resets.values, row) === 1,
        inputTokens: at(this.#table.column("input_sequence_length"), row),
        cachedTokens: at(this.#table.column("usage_prompt_cache_read_tokens"), row),
        outputTokens: at(this.#table.column("output_sequence_length"), row),
      };
    });
    return { session: this.shown(times), agents, calls };
  }

  #parts({ gapNs, path, waitNs }: SessionTimes): PathParts {
    let [queued, prefill, decode, model] = [0, 0, 0, 0];
    for (const { row, untilNs } of path) {
      const startNs = at(this.#events.starts, row);
      const spentNs = untilNs - startNs;
      const firstNs = at(this.#firstTokens, row) * 1e6;
      if (Number.isNaN(firstNs)) {
        model += spentNs;
        continue;
      }
      const beforeNs = Math.min(firstNs, spentNs);
      const queuedNs = Math.min((at(this.#queued, row) || 0) * 1e6, beforeNs);
      queued += queuedNs;
      prefill += beforeNs - queuedNs;
      decode += spentNs - beforeNs;
    }
    return { waiting: waitNs, queued, prefill, decode, model, ...gapNs };
  }

  #dueNs(row: number, eventNs: number | undefined): number {
    const startNs = at(this.#events.starts, row);
    // A session begins with its first request: before it there is nothing.
    if (eventNs === undefined) return startNs;
    return Math.min(Math.max(at(this.#intended, row), eventNs), startNs);
  }
}

/**
 * The name of an agent without those above it: `root>find` is `find`. The one that the user talks to
 * is `main`, as in tables, whatever the file calls it.
 */
function shownName(agents: SessionFacts["agents"], number: number): string {
  const agent = agents?.[number];
  const isOnlyMain = agent?.kind === MAIN &&
    agents?.filter(({ kind }) => kind === MAIN).length === 1;
  if (isOnlyMain) return MAIN;
  const name = agent?.name ?? (number === 0 ? MAIN : `agent ${number}`);
  return name.slice(name.lastIndexOf(">") + 1) || name;
}

function at(column: Float64Array | undefined, row: number): number {
  return column?.[row] ?? NaN;
}
