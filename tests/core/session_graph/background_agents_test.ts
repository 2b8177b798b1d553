import assert from "node:assert/strict";
import {
  type AgentOfCall,
  backgroundAgents,
} from "../../../src/core/session_graph/background_agents.ts";
import type { CallEdge } from "../../../src/core/session_graph/session_graph.ts";

function call(agent: string, depth: number, ...edges: Partial<CallEdge>[]): AgentOfCall {
  return {
    agent,
    depth,
    edges: edges.map((edge) => ({ from: 0, on: "end", kind: "sequence", gapMs: 0, ...edge })),
  };
}

/** A user's agent that starts another one with its first call. */
function withChild(kind: "spawn" | "fork", join: readonly Partial<CallEdge>[]): AgentOfCall[] {
  return [
    call("main", 0),
    call("child", 1, { from: 0, kind }),
    call("main", 0, { from: 0 }, ...join),
  ];
}

Deno.test("backgroundAgents leaves out agents whose end a foreground agent waits for", () => {
  const background = (calls: readonly AgentOfCall[]) => [...backgroundAgents(calls)];
  assert.deepEqual(background(withChild("spawn", [])), ["child"]);
  assert.deepEqual(background(withChild("spawn", [{ from: 1, kind: "join" }])), []);
  assert.deepEqual(background(withChild("spawn", [{ from: 1, kind: "join", on: "start" }])), [
    "child",
  ]);
  assert.deepEqual(background(withChild("spawn", [{ from: 1, kind: "order" }])), ["child"]);
});

Deno.test("backgroundAgents leaves out an agent to which the last call of another hands over", () => {
  assert.deepEqual([...backgroundAgents(withChild("fork", []))], ["child"]);
  const handover = withChild("fork", []).slice(0, 2);
  assert.deepEqual([...backgroundAgents(handover)], []);
  assert.deepEqual([...backgroundAgents(withChild("spawn", []).slice(0, 2))], ["child"]);
});
