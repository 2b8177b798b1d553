import type { StreamWriter } from "../client/endpoint/protocol/reply_writer.ts";
import { chunkText, LAST_CHUNK } from "../client/http/reply_text.ts";
import type { AlarmClock } from "./alarm_clock.ts";
import type { MockConnection } from "./mock_connection.ts";
import type { FaultKind } from "./mock_options.ts";
import type { ReplyFrames } from "./reply_frames.ts";

const encoder = new TextEncoder();
/** Number of bytes written at once where there are no delays. */
const BURST_BYTES = 64 * 1024;

/** The times at which a stream is sent, and how. */
export interface StreamedReplyOptions {
  readonly clock: Pick<AlarmClock, "at">;
  /** When the first delay begins, on `performance.now()`. */
  readonly startMs: number;
  /** Delay before each content chunk. */
  readonly delaysMs: readonly number[];
  /** Fault in the middle of the stream; undefined for none. */
  readonly fault: FaultKind | undefined;
  /** Writes what is wrong. */
  readonly writer: StreamWriter;
  /** A content chunk was written, with a write that began so late; 0 where it had no time. */
  onChunk(index: number, sentMs: number, lateMs: number): void;
}

/** Writes the frames of one reply on their schedule. */
export class StreamedReply {
  readonly #connection: MockConnection;
  readonly #frames: ReplyFrames;
  readonly #options: StreamedReplyOptions;
  /** The chunk before which the fault happens. */
  readonly #faultAt: number;
  /** When the write began that ended each content chunk, on `performance.now()`. */
  readonly sentMs: number[] = [];
  /** Bytes of the frames that were written. */
  #written = 0;
  /** When each content chunk was to be written; empty without delays. */
  readonly #dueMs: number[] = [];

  constructor(connection: MockConnection, frames: ReplyFrames, options: StreamedReplyOptions) {
    this.#connection = connection;
    this.#frames = frames;
    this.#options = options;
    // In the middle; after the only chunk, unless that is the end as well.
    const least = frames.endsWithContent ? 0 : 1;
    this.#faultAt = options.fault === undefined
      ? Infinity
      : Math.max(least, Math.floor(frames.chunkEnds.length / 2));
  }

  /**
   * Sends the reply.
   * @returns whether its bytes came to their proper end; if not, the connection is to be closed
   */
  async send(): Promise<boolean> {
    const { bytes, chunkEnds } = this.#frames;
    const chunks = Math.min(chunkEnds.length, this.#faultAt);
    const paced = this.#options.delaysMs.some((delay) => delay > 0);
    if (paced) await this.#sendPaced(chunks);
    else await this.#sendBurst(chunks);
    if (this.#options.fault !== undefined) {
      const { openingEnd } = this.#frames;
      if (chunks === 0) await this.#write(this.#written, openingEnd);
      return await this.#fail(chunkEnds[chunks - 1] ?? openingEnd, this.#options.fault);
    }
    await this.#write(this.#written, bytes.length);
    return true;
  }

  async #sendBurst(chunks: number): Promise<void> {
    const { bytes, chunkEnds } = this.#frames;
    for (let chunk = 0; chunk < chunks;) {
      const start = this.#written;
      let end = start;
      while (
        chunk < chunks && (end === start || (chunkEnds[chunk] as number) - start <= BURST_BYTES)
      ) {
        end = chunkEnds[chunk++] as number;
      }
      // What follows the content goes with it: a small write of its own may wait for the client.
      const isWhole = chunk === chunkEnds.length && this.#options.fault === undefined;
      await this.#writeUpTo(isWhole ? bytes.length : end);
    }
  }

  #sendPaced(chunks: number): Promise<void> {
    const { chunkEnds } = this.#frames;
    const { clock, delaysMs, startMs } = this.#options;
    return new Promise((resolve, reject) => {
      let dueBytes = 0;
      let writing = false;
      let broken = false;
      let chunk = 0;
      let dueMs = startMs + (delaysMs[0] ?? 0);
      /**
       * Writes the pieces that are due; pieces that become due during the write are part of the
       * next one.
       */
      const pump = async () => {
        writing = true;
        try {
          while (this.#written < dueBytes) await this.#writeUpTo(dueBytes);
        } catch (error) {
          broken = true;
          reject(error);
          return;
        }
        writing = false;
        if (chunk === chunks) resolve();
      };
      const ring = () => {
        if (broken) return;
        this.#dueMs.push(dueMs);
        dueBytes = chunkEnds[chunk] as number;
        chunk++;
        if (chunk < chunks) {
          dueMs += delaysMs[chunk] as number;
          clock.at(dueMs, ring);
        }
        if (!writing) pump();
      };
      if (chunks === 0) resolve();
      else clock.at(dueMs, ring);
    });
  }

  async #fail(sentBytes: number, fault: FaultKind): Promise<boolean> {
    switch (fault) {
      case "malformed":
        await this.#writeText(chunkText(this.#options.writer.malformed));
        await this.#write(this.#frames.chunkEnds.at(-1) ?? 0, this.#frames.bytes.length);
        return true;
      case "in-band":
        for (const frame of this.#options.writer.failure("Injected fault in-band")) {
          await this.#writeText(chunkText(frame));
        }
        await this.#writeText(LAST_CHUNK);
        return true;
      case "close":
        // An orderly end of the body, but not of the stream: no finish reason, no [DONE].
        await this.#writeText(LAST_CHUNK);
        return false;
      case "stall":
        await this.#connection.read(new Uint8Array(1)).catch(() => null);
        return false;
      default:
        // The connection breaks in the middle of an event.
        await this.#write(sentBytes, sentBytes + 20);
        return false;
    }
  }

  /** Writes up to there, and notes each chunk with the write that took its last byte. */
  async #writeUpTo(end: number): Promise<void> {
    const { bytes, chunkEnds } = this.#frames;
    while (this.#written < end) {
      const sentMs = performance.now();
      this.#written += await this.#connection.write(bytes.subarray(this.#written, end));
      for (
        let chunk = this.sentMs.length;
        (chunkEnds[chunk] ?? Infinity) <= this.#written;
        chunk++
      ) {
        this.sentMs.push(sentMs);
        this.#options.onChunk(chunk, sentMs, sentMs - (this.#dueMs[chunk] ?? sentMs));
      }
    }
  }

  async #writeText(text: string): Promise<void> {
    await this.#writeRaw(encoder.encode(text));
  }

  async #write(start: number, end: number): Promise<void> {
    await this.#writeRaw(this.#frames.bytes.subarray(start, end));
  }

  async #writeRaw(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length;) {
      written += await this.#connection.write(bytes.subarray(written));
    }
  }
}
