import type { GraphCall } from "./session_graph.ts";

/** Position at which a session that does not run from its beginning is entered. */
export interface StartPosition {
  /** Milliseconds from the first start at which the session is entered. */
  readonly atMs: number;
  /** The last call before it of each agent that continues: sent ahead with one token of output. */
  readonly primed: readonly number[];
  readonly skipped: readonly number[];
  /** The next call of each agent, and the milliseconds to its start. */
  readonly first: readonly { readonly call: number; readonly offsetMs: number }[];
  readonly played: readonly number[];
}

/**
 * Returns how a session is entered at a ratio of the time from its first to its last start, by the
 * rule of AIPerf: each agent continues with its first call that starts at that time or later.
 * @param startsMs of all calls
 */
export function startPosition(
  calls: readonly (Pick<GraphCall, "isVirtual"> & { readonly agent: string })[],
  ratio: number,
  startsMs: readonly number[],
): StartPosition {
  const lowMs = startsMs.reduce((least, ms) => Math.min(least, ms), Infinity);
  const highMs = startsMs.reduce((most, ms) => Math.max(most, ms), -Infinity);
  const atMs = lowMs + ratio * (highMs - lowMs);
  const startMs = (call: number): number => startsMs[call] as number;
  const real = calls.flatMap(({ isVirtual }, call) => isVirtual ? [] : [call]);
  const sorted = real.toSorted((a, b) => startMs(a) - startMs(b));
  const agents = Map.groupBy(sorted, (call) => calls[call]?.agent ?? "");
  const primed: number[] = [];
  const skipped: number[] = [];
  const first: { call: number; offsetMs: number }[] = [];
  for (const own of agents.values()) {
    const old = own.filter((call) => startMs(call) < atMs);
    const next = own.find((call) => startMs(call) >= atMs);
    if (next !== undefined && old.length > 0) primed.push(old.at(-1) as number);
    skipped.push(...old);
    if (next !== undefined) first.push({ call: next, offsetMs: startMs(next) - atMs });
  }
  return { atMs, primed, skipped, first, played: real.filter((call) => startMs(call) >= atMs) };
}
