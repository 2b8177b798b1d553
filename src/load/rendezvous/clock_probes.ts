import type { ClockOffset } from "./messages.ts";

/** Probes of one comparison of clocks. */
export const PROBES = 24;

/** Four readings of one exchange, in milliseconds: each by the clock of where it was read. */
export interface Probe {
  /** The follower sends. */
  readonly sentMs: number;
  /** The host has it, and sends it back. */
  readonly hostReceivedMs: number;
  readonly hostSentMs: number;
  /** The follower has it again. */
  readonly receivedMs: number;
}

/**
 * Returns how far the follower's clock is ahead, from the probe with the shortest round trip, as
 * NTP does (RFC 5905, section 8). Both directions are assumed to take equally long, so half of the
 * time that was not spent at the host bounds the error.
 */
export function clockOffset(probes: readonly Probe[]): ClockOffset | undefined {
  let best: ClockOffset | undefined;
  for (const { sentMs, hostReceivedMs, hostSentMs, receivedMs } of probes) {
    const roundTripMs = Math.max(0, receivedMs - sentMs - (hostSentMs - hostReceivedMs));
    const errorMs = roundTripMs / 2;
    if (best !== undefined && best.errorMs <= errorMs) continue;
    const hostAheadMs = ((hostReceivedMs - sentMs) + (hostSentMs - receivedMs)) / 2;
    best = { offsetMs: 0 - hostAheadMs, errorMs };
  }
  return best;
}
