import type { MadeRequest } from "./run_views.ts";

/**
 * Sessions of turns that follow each other: each turn has a prompt of 300 tokens more than the one
 * before, which is cached, and every other gap is one of tools.
 */
export function* madeSessions(sessions: number, turns: number): Generator<MadeRequest> {
  for (let session = 0; session < sessions; session++) {
    let nowNs = 1e9 + session * 3e6;
    for (let turn = 0; turn < turns; turn++) {
      const gapNs = turn === 0 ? 0 : 5e7 + (session * 79 + turn * 104) % 1000 * 1e6;
      const intendedNs = nowNs + gapNs;
      const startNs = intendedNs + (session + turn) % 5 * 1e6;
      const endNs = startNs + 3e8 + (session * 31 + turn) % 1000 * 1e6;
      const inputTokens = 1000 + turn * 300;
      yield {
        ...{ session, turn, turns, intendedNs, claimedNs: intendedNs, startNs, endNs },
        gapClass: turn === 0 ? NaN : turn % 2,
        chunkNs: Float64Array.of(startNs + 1e8, startNs + 2e8, endNs - 1e6),
        ...{ inputTokens, promptTokens: inputTokens },
        cachedTokens: turn === 0 ? 0 : inputTokens - 300,
      };
      nowNs = endNs;
    }
  }
}
