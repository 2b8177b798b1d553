/** Which calls of a session wait for which others: columns in addition to those of the conversations. */

import type {
  CallEdge,
  EdgeKind,
  GapClass,
  GraphCall,
} from "../../../core/session_graph/session_graph.ts";
import { float64, int32, uint8 } from "./shared_columns.ts";

const KINDS: readonly EdgeKind[] = ["sequence", "spawn", "fork", "join", "order"];
const CLASSES: readonly (GapClass | undefined)[] = [undefined, "tool", "user", "agent"];

/** A recorded reply in the arena of a table. */
export interface RecordedReply {
  readonly offset: number;
  readonly length: number;
  /** -1 if they are not counted. */
  readonly tokens: number;
}

/** Properties of a call of a recorded session, apart from its body. */
export interface CallFacts extends GraphCall {
  readonly id: string;
  readonly agent: string;
  readonly depth: number;
  /** Kind of the agent, such as `main` or the type of a subagent. */
  readonly agentKind: string;
  /** Whether the session is over for its user before the call has to be. */
  readonly isBackground: boolean;
  /** The call whose whole prompt it begins with; undefined for none. */
  readonly continues: number | undefined;
  /** Fraction of its prompt that earlier calls have; NaN where it continues another call. */
  readonly sharedShare: number;
  /** Whether it does not continue the prompt of the call before it of the same agent. */
  readonly isReset: boolean;
  /** The call whose messages come before its own; undefined for a whole body. */
  readonly base: number | undefined;
  /** Whether the reply to that call comes between them. */
  readonly putsReply: boolean;
  /** Whether another call carries its messages, with or without its reply. */
  readonly isContinued: boolean;
  /** Milliseconds from the start of the session at which it started in the recording. */
  readonly recordedMs: number;
  /** Recorded reply to the call that it continues; absent if it is unknown, or in the body. */
  readonly recordedReply?: RecordedReply | undefined;
}

/** See the module's comment: one row for each entry, plain data that can be posted. */
export interface GraphColumns {
  /** First edge of each entry, and the end of the last. */
  readonly edgeStart: Int32Array<SharedArrayBuffer>;
  /** Number of the call within its session that each edge comes from. */
  readonly edgeFrom: Int32Array<SharedArrayBuffer>;
  /** 1 for an edge from a start, 0 from an end. */
  readonly edgeOnStart: Uint8Array<SharedArrayBuffer>;
  readonly edgeKind: Uint8Array<SharedArrayBuffer>;
  readonly edgeGapMs: Float64Array<SharedArrayBuffer>;
  readonly offsetMs: Float64Array<SharedArrayBuffer>;
  /** NaN for none. */
  readonly notBeforeMs: Float64Array<SharedArrayBuffer>;
  readonly gapClass: Uint8Array<SharedArrayBuffer>;
  /** 1 for calls that send nothing. */
  readonly isVirtual: Uint8Array<SharedArrayBuffer>;
  /** Call whose messages come before its own; -1 for none. */
  readonly base: Int32Array<SharedArrayBuffer>;
  readonly putsReply: Uint8Array<SharedArrayBuffer>;
  /** 1 for calls whose messages and reply others carry. */
  readonly isContinued: Uint8Array<SharedArrayBuffer>;
  readonly depth: Uint8Array<SharedArrayBuffer>;
  /** Call whose whole prompt it begins with; -1 for none. */
  readonly continues: Int32Array<SharedArrayBuffer>;
  /** 1 for calls that the session's user does not wait for. */
  readonly isBackground: Uint8Array<SharedArrayBuffer>;
  /** Fraction of each prompt that earlier calls have; NaN for calls that continue another one. */
  readonly sharedShare: Float64Array<SharedArrayBuffer>;
  readonly isReset: Uint8Array<SharedArrayBuffer>;
  readonly recordedMs: Float64Array<SharedArrayBuffer>;
  /** Place of the recorded reply to the call that it continues in the arena; a length of 0 for none. */
  readonly replyOffset: Float64Array<SharedArrayBuffer>;
  readonly replyLength: Int32Array<SharedArrayBuffer>;
  readonly replyTokens: Int32Array<SharedArrayBuffer>;
  /** Tokens of each recorded reply; NaN if they are not known. */
  readonly outputTokens: Float64Array<SharedArrayBuffer>;
  readonly ids: readonly string[];
  readonly agents: readonly string[];
  readonly agentKinds: readonly string[];
}

/** A call as a load worker replays it. */
export interface PlayedCall extends GraphCall {
  readonly agent: string;
  readonly base: number | undefined;
  readonly putsReply: boolean;
  readonly recordedMs: number;
}

/** Returns the columns of calls. */
export function graphColumns(calls: readonly CallFacts[]): GraphColumns {
  const edges = calls.flatMap((call) => call.edges);
  let count = 0;
  const starts = [0, ...calls.map((call) => count += call.edges.length)];
  return {
    edgeStart: int32(starts, (start) => start),
    edgeFrom: int32(edges, ({ from }) => from),
    edgeOnStart: uint8(edges, ({ on }) => on === "start" ? 1 : 0),
    edgeKind: uint8(edges, ({ kind }) => KINDS.indexOf(kind)),
    edgeGapMs: float64(edges, ({ gapMs }) => gapMs),
    offsetMs: float64(calls, ({ offsetMs }) => offsetMs),
    notBeforeMs: float64(calls, ({ notBeforeMs }) => notBeforeMs ?? NaN),
    gapClass: uint8(calls, ({ gapClass }) => CLASSES.indexOf(gapClass)),
    isVirtual: uint8(calls, ({ isVirtual }) => isVirtual ? 1 : 0),
    base: int32(calls, ({ base }) => base ?? -1),
    putsReply: uint8(calls, ({ putsReply }) => putsReply ? 1 : 0),
    isContinued: uint8(calls, ({ isContinued }) => isContinued ? 1 : 0),
    depth: uint8(calls, ({ depth }) => Math.min(255, depth)),
    isBackground: uint8(calls, ({ isBackground }) => isBackground ? 1 : 0),
    continues: int32(calls, ({ continues }) => continues ?? -1),
    sharedShare: float64(calls, ({ sharedShare }) => sharedShare),
    isReset: uint8(calls, ({ isReset }) => isReset ? 1 : 0),
    recordedMs: float64(calls, ({ recordedMs }) => recordedMs),
    replyOffset: float64(calls, ({ recordedReply }) => recordedReply?.offset ?? 0),
    replyLength: int32(calls, ({ recordedReply }) => recordedReply?.length ?? 0),
    replyTokens: int32(calls, ({ recordedReply }) => recordedReply?.tokens ?? -1),
    outputTokens: float64(calls, ({ outputTokens }) => outputTokens),
    ids: calls.map(({ id }) => id),
    agents: calls.map(({ agent }) => agent),
    agentKinds: calls.map(({ agentKind }) => agentKind),
  };
}

/** Returns the calls of a session, whose entries follow each other. */
export function playedCalls(columns: GraphColumns, start: number, end: number): PlayedCall[] {
  return Array.from({ length: end - start }, (_, place): PlayedCall => {
    const entry = start + place;
    const base = columns.base[entry] as number;
    const notBeforeMs = columns.notBeforeMs[entry] as number;
    return {
      edges: edgesOf(columns, entry),
      offsetMs: columns.offsetMs[entry] as number,
      notBeforeMs: Number.isNaN(notBeforeMs) ? undefined : notBeforeMs,
      gapClass: CLASSES[columns.gapClass[entry] as number],
      isVirtual: columns.isVirtual[entry] === 1,
      outputTokens: columns.outputTokens[entry] as number,
      agent: columns.agents[entry] as string,
      base: base < 0 ? undefined : base,
      putsReply: columns.putsReply[entry] === 1,
      recordedMs: columns.recordedMs[entry] as number,
    };
  });
}

function edgesOf(columns: GraphColumns, entry: number): CallEdge[] {
  const first = columns.edgeStart[entry] as number;
  const count = (columns.edgeStart[entry + 1] as number) - first;
  return Array.from({ length: count }, (_, i): CallEdge => ({
    from: columns.edgeFrom[first + i] as number,
    on: columns.edgeOnStart[first + i] === 1 ? "start" : "end",
    kind: KINDS[columns.edgeKind[first + i] as number] as EdgeKind,
    gapMs: columns.edgeGapMs[first + i] as number,
  }));
}
