import type { GapClass } from "../../core/session_graph/session_graph.ts";
import { GAP_CLASSES } from "../../core/session_graph/session_graph.ts";
import type { RecordTable } from "./record_table.ts";
import { hasFailed } from "./request_record.ts";

/** How a session ended: its last turn succeeded, a turn failed, or the run ended before it did. */
export type SessionStatus = "completed" | "failed" | "cut_off";

/** A call of the critical path of a session. */
export interface PathCall {
  /** Row of the call in its table. */
  readonly row: number;
  /** Until when its time belongs to the path: its end, unless only its start was waited for. */
  readonly untilNs: number;
}

/** Tokens of all requests of a session; NaN where nothing counts them. */
export interface SessionTokens {
  readonly input: number;
  readonly output: number;
  /** Whole blocks of prompts that earlier requests of the session had from their beginning. */
  readonly cachedIdeal: number;
  /** Prompt tokens by the usage in replies, and those that the server took from its cache. */
  readonly prompted: number;
  readonly cachedServer: number;
  /** The ideal ones as the server counts tokens, and those of them that came from its cache. */
  readonly reusable: number;
  readonly reused: number;
}

/** Where the time of a session went. Model, gaps and wait add up to the duration. */
export interface SessionTimes {
  /** Number of the session within the phase. */
  readonly session: number;
  readonly status: SessionStatus;
  /** Requests that were sent, and turns that were planned. */
  readonly calls: number;
  readonly plannedCalls: number;
  readonly failedCalls: number;
  /** Requests that succeeded. */
  readonly goodCalls: number;
  /** Agents that sent requests, and levels of agents below the first. */
  readonly agents: number;
  readonly depth: number;
  /** Largest number of its requests in flight. */
  readonly peakParallel: number;
  /** Sum of the times of its requests by the time with at least one in flight. */
  readonly parallelism: number;
  /** First start and last end of requests that do not run in the background. */
  readonly startNs: number;
  readonly endNs: number;
  /** First start and last end of all its requests. */
  readonly treeStartNs: number;
  readonly treeEndNs: number;
  /** Calls of the critical path, the first one first. */
  readonly path: readonly PathCall[];
  /** Nanoseconds in requests. */
  readonly modelNs: number;
  /** Nanoseconds between requests in which a user, a tool or an agent worked. */
  readonly gapNs: Readonly<Record<GapClass, number>>;
  /** Nanoseconds from when requests were due until they were sent. */
  readonly waitNs: number;
  /** Nanoseconds from the start to the first token of the first call; NaN if there is none. */
  readonly firstTokenNs: number;
  /** Duration minus that of a client which sends every request punctually; NaN if not known. */
  readonly ownErrorNs: number;
  readonly tokens: SessionTokens;
  /** Requests that did not continue the prompt before them. */
  readonly resets: number;
  /** Calls that do not match the tool calls of the live reply before; NaN without live histories. */
  readonly diverged: number;
  /** Nanoseconds by which idle caps had moved its last request; NaN for lists. */
  readonly idleCutNs: number;
  /** Rows of its requests, in the order of their numbers. */
  readonly rows: readonly number[];
}

/**
 * Returns the sessions of a table that consist of several turns, in the order of their numbers. Calls
 * of recorded sessions may overlap: the times are those of the critical path, from the last end back
 * over the event after which each call became due.
 */
export function sessionTimes(table: RecordTable): readonly SessionTimes[] {
  if (!table.hasTurns) return [];
  const known = KNOWN.get(table);
  const state = `${table.length} ${table.cacheBlockTokens}`;
  if (known?.state === state) return known.times;
  const times = timesOf(table);
  KNOWN.set(table, { state, times });
  return times;
}

/** Times of tables: they are needed for metrics, files and reports. */
const KNOWN = new WeakMap<
  RecordTable,
  { readonly state: string; readonly times: readonly SessionTimes[] }
>();

function timesOf(table: RecordTable): SessionTimes[] {
  const sessions = table.sessions.values;
  const turns = table.turns.values;
  const rowsOf = new Map<number, number[]>();
  for (let row = 0; row < table.length; row++) {
    // A dead thread leaves open which turn a request was.
    if (Number.isNaN(turns[row])) continue;
    const session = sessions[row] as number;
    const rows = rowsOf.get(session);
    if (rows === undefined) rowsOf.set(session, [row]);
    else rows.push(row);
  }
  const timed = new SessionReader(table);
  return [...rowsOf].sort(([a], [b]) => a - b).map(([session, rows]) =>
    timed.timesOf(session, rows.sort((a, b) => (turns[a] as number) - (turns[b] as number)))
  );
}

/** Times of one session after another, from the columns of a table. */
class SessionReader {
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  readonly #kinds: Float64Array;
  readonly #lateNs: Float64Array;
  readonly #path: PathColumns;
  readonly #columns: Readonly<Record<"agents" | "depths" | "backgrounds" | "resets", Float64Array>>;
  readonly #diverged: Float64Array;
  readonly #idleCutNs: Float64Array;
  readonly #lengths: Float64Array;
  readonly #firstTokens: Float64Array | undefined;
  readonly #tokens: (rows: readonly number[]) => SessionTokens;

  constructor(table: RecordTable) {
    this.#starts = table.allStartNs.values;
    this.#ends = table.allEndNs.values;
    this.#kinds = table.errorKinds.values;
    this.#lateNs = table.lateNs.values;
    this.#diverged = table.diverged.values;
    this.#idleCutNs = table.idleCutNs.values;
    this.#lengths = table.sessionTurns.values;
    this.#firstTokens = table.column("time_to_first_token");
    this.#columns = {
      agents: table.agents.values,
      depths: table.depths.values,
      backgrounds: table.backgrounds.values,
      resets: table.resets.values,
    };
    this.#path = {
      starts: this.#starts,
      ends: this.#ends,
      turns: table.turns.values,
      intended: table.intendedNs.values,
      classes: table.gapClasses.values,
      waitedFor: table.waitedFor.values,
    };
    this.#tokens = tokensOf(table);
  }

  timesOf(session: number, rows: readonly number[]): SessionTimes {
    const [starts, ends, kinds] = [this.#starts, this.#ends, this.#kinds];
    const { agents, depths, backgrounds, resets } = this.#columns;
    const known = rows.filter((row) => backgrounds[row] !== 1);
    const awaited = known.length > 0 ? known : rows;
    const path = criticalRows(this.#path, rows, awaited);
    const failedCalls = rows.filter((row) => hasFailed({ errorKind: kinds[row] as number })).length;
    const goodCalls = rows.filter((row) => (kinds[row] as number) < 0).length;
    const plannedCalls = this.#lengths[rows[0] as number] as number;
    const isWhole = rows.length === plannedCalls && goodCalls === plannedCalls;
    const top = awaited.filter((row) => !((depths[row] as number) > 0));
    const first = earliest(starts, top.length > 0 ? top : awaited);
    const startNs = starts[earliest(starts, awaited)] as number;
    const endNs = mostOf(awaited, (row) => ends[row] as number);
    return {
      ...{ session, plannedCalls, failedCalls, goodCalls, ...path, rows, startNs, endNs },
      status: isWhole ? "completed" : failedCalls > 0 ? "failed" : "cut_off",
      calls: rows.length,
      agents: new Set(rows.map((row) => agents[row] || 0)).size,
      depth: mostOf(rows, (row) => depths[row] || 0),
      ...parallelOf(starts, ends, rows),
      treeStartNs: leastOf(rows, (row) => starts[row] as number),
      treeEndNs: mostOf(rows, (row) => ends[row] as number),
      firstTokenNs: (starts[first] as number) - startNs +
        (this.#firstTokens?.[first] ?? NaN) * 1e6,
      ownErrorNs: endNs - startNs - this.#punctualNs(awaited),
      tokens: this.#tokens(rows),
      resets: rows.filter((row) => resets[row] === 1).length,
      diverged: rows.reduce((sum, row) => sum + (this.#diverged[row] as number), 0),
      idleCutNs: mostOf(rows, (row) => this.#idleCutNs[row] as number),
    };
  }

  /** Duration of a session whose requests are all sent punctually, with the observed reply times. */
  #punctualNs(rows: readonly number[]): number {
    const late = (row: number): number => this.#lateNs[row] as number;
    const firstNs = leastOf(rows, (row) => (this.#starts[row] as number) - late(row));
    const lastNs = mostOf(rows, (row) => (this.#ends[row] as number) - late(row));
    return lastNs - firstNs;
  }
}

/** Columns that show which calls followed each other. */
export interface EventColumns {
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly turns: Float64Array;
  readonly waitedFor: Float64Array;
}

/** Start or end of a call. */
export interface CallEvent {
  /** Row of the call in its table. */
  readonly row: number;
  readonly atNs: number;
}

/**
 * Returns the event after which a call became due; undefined for a call that waited for none.
 * @param rowOf rows of the session by the numbers of their calls
 */
export function eventBefore(
  row: number,
  rowOf: ReadonlyMap<number, number>,
  { starts, ends, turns, waitedFor }: EventColumns,
): CallEvent | undefined {
  const waited = waitedFor[row] as number;
  // Turns that follow each other wait for the end of the one before.
  const event = Number.isNaN(waited) ? 2 * ((turns[row] as number) - 1) : waited;
  const before = event < 0 ? undefined : rowOf.get(event >> 1);
  if (before === undefined) return undefined;
  return { row: before, atNs: (event % 2 === 1 ? starts : ends)[before] as number };
}

interface PathColumns extends EventColumns {
  readonly intended: Float64Array;
  readonly classes: Float64Array;
}

/**
 * The critical path of a session.
 * @param rows of the session
 * @param awaited those that do not run in the background
 */
function criticalRows(
  columns: PathColumns,
  rows: readonly number[],
  awaited: readonly number[],
): Pick<SessionTimes, "path" | "modelNs" | "gapNs" | "waitNs"> {
  const { starts, ends, turns, intended, classes } = columns;
  const gapNs = { user: 0, tool: 0, agent: 0 };
  let [modelNs, waitNs] = [0, 0];
  const rowOf = new Map(rows.map((row) => [turns[row] as number, row]));
  const startOf = (row: number): number => starts[row] as number;
  const first = earliest(starts, awaited);
  const last = awaited.reduce((a, b) => (ends[b] as number) > (ends[a] as number) ? b : a);
  const path: PathCall[] = [];
  const seen = new Set<number>();
  for (let row = last, untilNs = ends[last] as number; !seen.has(row);) {
    seen.add(row);
    path.push({ row, untilNs });
    const startNs = startOf(row);
    modelNs += untilNs - startNs;
    const event = eventBefore(row, rowOf, columns);
    const fromNs = event?.atNs ?? startOf(first);
    const dueNs = Math.min(Math.max(intended[row] as number, fromNs), startNs);
    // Before the session's first request there is nothing.
    if (row !== first) {
      gapNs[GAP_CLASSES[classes[row] as number] ?? "user"] += dueNs - fromNs;
      waitNs += startNs - dueNs;
    }
    if (event === undefined || row === first) break;
    untilNs = fromNs;
    row = event.row;
  }
  return { path: path.reverse(), modelNs, gapNs, waitNs };
}

/** The row that started first. */
function earliest(starts: Float64Array, rows: readonly number[]): number {
  return rows.reduce((a, b) => (starts[b] as number) < (starts[a] as number) ? b : a);
}

function leastOf(rows: readonly number[], value: (row: number) => number): number {
  return rows.reduce((least, row) => Math.min(least, value(row)), Infinity);
}

function mostOf(rows: readonly number[], value: (row: number) => number): number {
  return rows.reduce((most, row) => Math.max(most, value(row)), -Infinity);
}

/** Requests of a session in flight at once. */
function parallelOf(
  starts: Float64Array,
  ends: Float64Array,
  rows: readonly number[],
): Pick<SessionTimes, "peakParallel" | "parallelism"> {
  const events = rows.flatMap((row): [number, number][] => [
    [starts[row] as number, 1],
    [ends[row] as number, -1],
  ]).sort(([a, up], [b, down]) => a - b || up - down);
  let [peakParallel, inFlight, sumNs, busyNs, atNs] = [0, 0, 0, 0, NaN];
  for (const [timeNs, change] of events) {
    if (inFlight > 0) {
      sumNs += inFlight * (timeNs - atNs);
      busyNs += timeNs - atNs;
    }
    inFlight += change;
    atNs = timeNs;
    peakParallel = Math.max(peakParallel, inFlight);
  }
  return { peakParallel, parallelism: sumNs / busyNs };
}

function tokensOf(table: RecordTable): (rows: readonly number[]) => SessionTokens {
  const [input, output, prompted, cached] = [
    table.column("input_sequence_length"),
    table.column("output_sequence_length"),
    table.column("usage_prompt_tokens"),
    table.column("usage_prompt_cache_read_tokens"),
  ];
  const shared = table.sharedTokens.values;
  const block = table.cacheBlockTokens;
  const at = (column: Float64Array | undefined, row: number): number => column?.[row] ?? NaN;
  const sumOf = (column: Float64Array | undefined, rows: readonly number[]): number =>
    sumOfKnown(rows.map((row) => at(column, row)));
  // Of failed requests it is not known what the server computed.
  const idealOf = (row: number): number =>
    Number.isNaN(at(input, row)) ? 0 : wholeBlocks(shared[row] as number, block);
  return (rows) => {
    let [cachedIdeal, reusable, reused, known] = [0, 0, 0, 0];
    for (const row of rows) {
      const ideal = idealOf(row);
      cachedIdeal += ideal;
      const promptTokens = at(prompted, row);
      if (Number.isNaN(promptTokens) || Number.isNaN(at(input, row))) continue;
      const ofServer = ideal * promptTokens / at(input, row);
      reusable += ofServer;
      const hit = at(cached, row);
      if (Number.isNaN(hit)) continue;
      known++;
      // Both are beginnings of the prompt. What goes beyond came from other sessions.
      reused += Math.min(hit, ofServer);
    }
    return {
      input: sumOf(input, rows),
      output: sumOf(output, rows),
      cachedIdeal,
      prompted: sumOf(prompted, rows),
      cachedServer: sumOf(cached, rows),
      reusable,
      reused: known === 0 ? NaN : reused,
    };
  };
}

/** Sum of the values that are not NaN; NaN if all are. */
export function sumOfKnown(values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length === 0 ? NaN : known.reduce((sum, value) => sum + value, 0);
}

/** Tokens of the whole blocks at the beginning of a prompt. */
export function wholeBlocks(tokens: number, blockTokens: number): number {
  return Math.floor(tokens / blockTokens + 1e-9) * blockTokens;
}
