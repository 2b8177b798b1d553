import { joinBytes } from "../../../src/client/http/join_bytes.ts";
import { upperBound } from "../../../src/core/statistics/search_sorted.ts";
import type { TcpSegment } from "./tcp_segments.ts";

const NUMBERS = 2 ** 32;

/** What one side of a connection sent, in its order. */
export class SentBytes {
  readonly bytes: Uint8Array;
  /** Where each packet's bytes end, and when it was sent. */
  readonly #ends: Float64Array;
  readonly #timesNs: readonly bigint[];

  /** @param segments of one direction, in the order of their times, which need not be that of the bytes */
  constructor(segments: readonly TcpSegment[]) {
    const parts: Uint8Array[] = [];
    const ends: number[] = [];
    const timesNs: bigint[] = [];
    let next: number | undefined;
    let length = 0;
    const early: TcpSegment[] = [];
    const take = ({ sequence, bytes, timeNs }: TcpSegment): void => {
      const fresh = bytes.subarray(distance(sequence, next ??= sequence));
      parts.push(fresh);
      length += fresh.length;
      ends.push(length);
      timesNs.push(timeNs);
      next = (next + fresh.length) % NUMBERS;
    };
    for (const segment of segments) {
      if (segment.isSyn) next = (segment.sequence + 1) % NUMBERS;
      if (segment.bytes.length === 0) continue;
      early.push(segment);
      let at: number;
      while ((at = early.findIndex(({ sequence }) => isKnown(sequence, next))) >= 0) {
        take(early.splice(at, 1)[0] as TcpSegment);
      }
    }
    this.bytes = joinBytes(parts);
    this.#ends = Float64Array.from(ends);
    this.#timesNs = timesNs;
  }

  /** When everything before a place had been sent. */
  sentNs(end: number): bigint {
    return this.#timesNs[upperBound(this.#ends, end - 1)] as bigint;
  }
}

/** How far a number is before another one; negative if it comes after. */
function distance(sequence: number, next: number): number {
  const behind = (next - sequence + NUMBERS) % NUMBERS;
  return behind < NUMBERS / 2 ? behind : behind - NUMBERS;
}

/** Whether what begins there follows what is known, or repeats some of it. */
function isKnown(sequence: number, next: number | undefined): boolean {
  return next === undefined || distance(sequence, next) >= 0;
}
