import type { Session } from "../workload/workload.ts";
import type { PlayedCall } from "../dataset/payloads/graph_columns.ts";
import { CallProgress } from "./call_progress.ts";
import type { GraphHistory } from "./graph_history.ts";
import type { SessionPlay } from "./session_player.ts";

/** A recorded session in progress. */
export interface SessionTree {
  readonly session: Session;
  readonly calls: readonly PlayedCall[];
  readonly progress: CallProgress;
  readonly history: GraphHistory;
  correlationId: string;
  inFlight: number;
  /** When a call last made room for another one, and when it would have, had none been late. */
  roomNs: number;
  punctualRoomNs: number;
  /** Calls that wait at the gate. */
  readonly atGate: Set<number>;
  /** By how much idle caps have moved its pending calls, in nanoseconds. */
  idleCutNs: number;
  /** Cancels the timer for the earliest call. */
  callOff: (() => void) | undefined;
  /** Whether its priming calls have ended, if it has any. */
  isEntered: boolean;
  isOver: boolean;
}

/** Returns a session that has not begun. */
export function newTree(session: Session, history: GraphHistory): SessionTree {
  const { calls = [] } = session;
  return {
    session,
    calls,
    progress: new CallProgress(calls),
    history,
    correlationId: "",
    inFlight: 0,
    roomNs: -Infinity,
    punctualRoomNs: -Infinity,
    atGate: new Set(),
    idleCutNs: 0,
    callOff: undefined,
    isEntered: false,
    isOver: false,
  };
}

/** Returns the request of a call of a session. */
export function playOf(tree: SessionTree, call: number, dueNs: number): SessionPlay {
  return {
    session: tree.session,
    turn: call,
    correlationId: tree.correlationId,
    history: tree.history,
    idleCutNs: tree.idleCutNs,
    dueNs,
    punctualNs: dueNs,
    callOff: undefined,
  };
}

/** Returns a session whose calls are due as soon as those that they wait for have ended or started. */
export function withoutGaps(session: Session): Session {
  const calls = session.calls?.map((call): PlayedCall => ({
    ...call,
    offsetMs: 0,
    notBeforeMs: undefined,
    edges: call.edges.map((edge) => ({ ...edge, gapMs: 0 })),
  }));
  return calls === undefined ? session : { ...session, calls };
}
