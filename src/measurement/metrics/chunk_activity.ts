/** When content arrived, of all requests together: how many tokens, and when there was none. */

import type { RecordRows } from "../../client/record/record_rows.ts";
import { RECORD_FIELD } from "../../client/record/request_fields.ts";
import { outputSequenceLength, type RequestRecord } from "./request_record.ts";

/** Width of a bin as long as the run is short, in ns. */
const FIRST_BIN_NS = 5e6;
/** More bins than this are merged in pairs. */
const MAX_BINS = 1 << 18;
/** Number of tokens per part of a sum, so that sums do not depend on their order. */
const PARTS = 4096;

/**
 * Counts the output tokens of all requests by the time at which they arrived, those of failed and cut-off
 * replies included. A reply's tokens are shared out evenly among its content chunks. Where a reply's
 * tokens are not known, as of one that was cut off before its usage, each of its chunks has as many tokens
 * as the chunks of other replies.
 */
export class ChunkActivity {
  #binNs = FIRST_BIN_NS;
  /** Tokens of replies whose tokens are known, in parts, and chunks of the others. */
  #tokens = new Float64Array(1024);
  #uncounted = new Float64Array(1024);
  /** Chunks of both. */
  #chunks = new Float64Array(1024);
  #countedTokens = 0;
  #countedChunks = 0;

  /** Adds a request. */
  add(record: RequestRecord): void {
    const { chunkNs } = record;
    this.#addChunks(chunkNs, 0, chunkNs.length, outputSequenceLength(record));
  }

  /** Adds the requests of some rows from one up to another. */
  addRows({ columns, stampNs, stampStarts }: RecordRows, start: number, end: number): void {
    const outputs = columns[RECORD_FIELD.outputTokens] as Float64Array;
    const thoughts = columns[RECORD_FIELD.thoughtTokens] as Float64Array;
    for (let at = start; at < end; at++) {
      const [output, thought] = [outputs[at] as number, thoughts[at] as number];
      const tokens = Number.isNaN(output) && Number.isNaN(thought)
        ? NaN
        : (output || 0) + (thought || 0);
      const [first, last] = [stampStarts[at] as number, stampStarts[at + 1] as number];
      this.#addChunks(stampNs, first, last, tokens);
    }
  }

  /** Start of the bin in which content arrived first; 0 if none did. */
  get firstNs(): number {
    return Math.max(0, this.#chunks.findIndex((count) => count > 0)) * this.#binNs;
  }

  /** Output tokens that arrived in a window of time. */
  tokensWithin(startNs: number, endNs: number): number {
    const perChunk = this.#countedChunks > 0 ? this.#countedTokens / this.#countedChunks : 1;
    let [parts, uncounted] = [0, 0];
    for (let bin = Math.floor(startNs / this.#binNs); bin * this.#binNs < endNs; bin++) {
      // Of a bin that the window cuts, the share that is inside.
      const from = Math.max(startNs, bin * this.#binNs);
      const to = Math.min(endNs, (bin + 1) * this.#binNs);
      const share = (to - from) / this.#binNs;
      parts += share * (this.#tokens[bin] ?? 0);
      uncounted += share * (this.#uncounted[bin] ?? 0);
    }
    return parts / PARTS + uncounted * perChunk;
  }

  /**
   * Returns the longest time within a window in which no content arrived although requests were in
   * flight all the time; its length is 0 if there was no such time. Exact to the width of a bin,
   * which is 5 ms in runs up to 21 minutes.
   * @param startsNs starts of all requests, and `endsNs` their ends
   */
  longestSilence(
    window: { readonly startNs: number; readonly endNs: number },
    startsNs: Float64Array,
    endsNs: Float64Array,
  ): { readonly startNs: number; readonly endNs: number } {
    const first = Math.ceil(window.startNs / this.#binNs);
    const bins = Math.max(0, Math.floor(window.endNs / this.#binNs) - first);
    const changes = new Int32Array(bins + 1);
    startsNs.forEach((startNs, row) => {
      // Bins that a request is in flight throughout.
      const from = Math.max(0, Math.ceil(startNs / this.#binNs) - first);
      const to = Math.min(bins, Math.floor((endsNs[row] as number) / this.#binNs) - first);
      if (!(from < to)) return;
      (changes[from] as number)++;
      (changes[to] as number)--;
    });
    let [inFlight, length, longest, longestEnd] = [0, 0, 0, 0];
    for (let bin = 0; bin < bins; bin++) {
      inFlight += changes[bin] as number;
      length = inFlight > 0 && (this.#chunks[first + bin] ?? 0) === 0 ? length + 1 : 0;
      if (length > longest) [longest, longestEnd] = [length, bin + 1];
    }
    const endNs = (first + longestEnd) * this.#binNs;
    return { startNs: endNs - longest * this.#binNs, endNs };
  }

  #addChunks(stampNs: Float64Array, first: number, last: number, tokens: number): void {
    const count = last - first;
    if (count <= 0) return;
    const latestNs = stampNs[last - 1] as number;
    while (latestNs >= this.#binNs * this.#chunks.length) this.#grow();
    const isKnown = tokens >= 0;
    const target = isKnown ? this.#tokens : this.#uncounted;
    const share = isKnown ? Math.round(tokens / count * PARTS) : 1;
    if (isKnown) {
      this.#countedTokens += tokens;
      this.#countedChunks += count;
    }
    const scale = 1 / this.#binNs;
    for (let at = first; at < last; at++) {
      const bin = Math.max(0, Math.floor((stampNs[at] as number) * scale));
      target[bin] = (target[bin] as number) + share;
      this.#chunks[bin] = (this.#chunks[bin] as number) + 1;
    }
  }

  #grow(): void {
    const { length } = this.#chunks;
    const arrays = [this.#tokens, this.#uncounted, this.#chunks];
    if (length < MAX_BINS) {
      const [tokens, uncounted, chunks] = arrays.map((bins) => {
        const longer = new Float64Array(2 * length);
        longer.set(bins);
        return longer;
      }) as [Float64Array<ArrayBuffer>, Float64Array<ArrayBuffer>, Float64Array<ArrayBuffer>];
      [this.#tokens, this.#uncounted, this.#chunks] = [tokens, uncounted, chunks];
      return;
    }
    this.#binNs *= 2;
    for (const bins of arrays) {
      for (let bin = 0; bin < length / 2; bin++) {
        bins[bin] = (bins[2 * bin] as number) + (bins[2 * bin + 1] as number);
      }
      bins.fill(0, length / 2);
    }
  }
}
