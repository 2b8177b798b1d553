import type { GraphCall } from "./session_graph.ts";

/** Properties of a call that determine whether its session waits for it. */
export interface AgentOfCall extends Pick<GraphCall, "edges"> {
  readonly agent: string;
  /** 0 for the agent that the user talks to. */
  readonly depth: number;
}

/**
 * Returns the agents that work in the background: the session is over for its user while they may
 * still run. An agent is in the foreground if the user talks to it, if a foreground agent waits for
 * it, or if a foreground agent ends by handing over to it (a fork after which it sends nothing).
 */
export function backgroundAgents(calls: readonly AgentOfCall[]): ReadonlySet<string> {
  const foreground = new Set(
    calls.filter(({ depth }) => depth === 0).map(({ agent }) => agent),
  );
  const lastOf = new Map(calls.map(({ agent }, call) => [agent, call]));
  for (let before = -1; before < foreground.size;) {
    before = foreground.size;
    for (const { agent, edges } of calls) {
      for (const { from, kind, on } of edges) {
        const other = calls[from]?.agent as string;
        if (kind === "join" && on === "end" && foreground.has(agent)) foreground.add(other);
        const isHandover = kind === "fork" && lastOf.get(other) === from;
        if (isHandover && foreground.has(other)) foreground.add(agent);
      }
    }
  }
  return new Set(calls.map(({ agent }) => agent).filter((agent) => !foreground.has(agent)));
}
