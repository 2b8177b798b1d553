/**
 * The calls of one agent session as a partial order. A list of turns is the special case in which
 * each call has one edge to the call before it.
 */

/** Reason for which a call waits for another call. */
export type EdgeKind = "sequence" | "spawn" | "fork" | "join" | "order";

/** Who works between two calls: a user, a tool, or the program that starts agents. */
export const GAP_CLASSES = ["user", "tool", "agent"] as const;

/** See {@linkcode GAP_CLASSES}. */
export type GapClass = typeof GAP_CLASSES[number];

/** A call that has to start or end before another call may start. */
export interface CallEdge {
  /** Number of the call that is waited for. */
  readonly from: number;
  /** Event of that call from which the gap counts. */
  readonly on: "start" | "end";
  readonly kind: EdgeKind;
  /** Milliseconds from the event to the earliest start. */
  readonly gapMs: number;
}

/** Properties of a call that determine when it starts. */
export interface GraphCall {
  readonly edges: readonly CallEdge[];
  /** Milliseconds from the start of the session; only for calls without edges. */
  readonly offsetMs: number;
  /** Milliseconds from the start of the session before which it does not start; absent for none. */
  readonly notBeforeMs?: number | undefined;
  /** Whether the call sends nothing and takes no time: it only orders other calls. */
  readonly isVirtual: boolean;
  /** Class of the gap before the call; undefined for a call without edges. */
  readonly gapClass: GapClass | undefined;
  /** Tokens of the reply; NaN while those of its recorded text are not counted. */
  readonly outputTokens: number;
}

/** Changes of gaps: the recorded ones, none, a factor, or an upper limit in milliseconds. */
export type GapRule =
  | { readonly kind: "recorded" | "none" }
  | { readonly kind: "scale"; readonly factor: number }
  | { readonly kind: "cap"; readonly maxMs: number };

/** Returns the milliseconds of a gap under a rule. */
export function ruledGapMs(gapMs: number, rule: GapRule): number {
  switch (rule.kind) {
    case "recorded":
      return gapMs;
    case "none":
      return 0;
    case "scale":
      return gapMs * rule.factor;
    case "cap":
      return Math.min(gapMs, rule.maxMs);
  }
}

/**
 * Returns the numbers of calls that wait for each other in a circle, in the order of waiting;
 * undefined if there is no circle.
 */
export function circleOf(calls: readonly Pick<GraphCall, "edges">[]): number[] | undefined {
  const open = calls.map(({ edges }) => edges.length);
  const followers = followersOf(calls);
  const ready = open.flatMap((count, call) => count === 0 ? [call] : []);
  for (let call = ready.pop(); call !== undefined; call = ready.pop()) {
    for (const next of followers[call] as number[]) {
      open[next] = (open[next] as number) - 1;
      if (open[next] === 0) ready.push(next);
    }
  }
  let call = open.findIndex((count) => count > 0);
  if (call < 0) return undefined;
  const seen: number[] = [];
  while (!seen.includes(call)) {
    seen.push(call);
    call = (calls[call]?.edges.find(({ from }) => (open[from] as number) > 0)?.from) as number;
  }
  return seen.slice(seen.indexOf(call)).reverse();
}

/** Returns for each call the calls with an edge to it, one entry for each edge. */
export function followersOf(calls: readonly Pick<GraphCall, "edges">[]): number[][] {
  const followers: number[][] = calls.map(() => []);
  calls.forEach(({ edges }, call) => edges.forEach(({ from }) => followers[from]?.push(call)));
  return followers;
}
