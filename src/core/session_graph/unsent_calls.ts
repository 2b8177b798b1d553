import type { CallTimes } from "./planned_calls.ts";
import type { GraphCall } from "./session_graph.ts";

/** Which calls are not sent after a failed call: `--on-failed-call`. */
export type FailurePolicy = "branch" | "session" | "continue";

/**
 * Returns the calls that are not sent because a call failed.
 *
 * `branch`: calls that depend on it over any edge but `order`; an edge on its start is met.
 * `session`: calls that have not started when it ends. `continue`: none.
 */
export function unsentCalls(
  calls: readonly GraphCall[],
  failed: number,
  policy: FailurePolicy,
  times: readonly Pick<CallTimes, "startMs" | "endMs">[],
): number[] {
  const real = calls.flatMap(({ isVirtual }, call) => isVirtual ? [] : [call]);
  if (policy === "continue") return [];
  if (policy === "session") {
    const atMs = times[failed]?.endMs ?? Infinity;
    return real.filter((call) => (times[call]?.startMs ?? Infinity) >= atMs);
  }
  const gone = new Set([failed]);
  for (let found = true; found;) {
    found = false;
    calls.forEach(({ edges }, call) => {
      const depends = edges.some(({ from, on, kind }) =>
        kind !== "order" && gone.has(from) && !(from === failed && on === "start")
      );
      if (!depends || gone.has(call)) return;
      gone.add(call);
      found = true;
    });
  }
  return real.filter((call) => call !== failed && gone.has(call));
}
