import { EventScanner, type EventSink } from "./event_scanner.ts";

/** Something found in an event stream. */
export type StreamItem =
  | {
    readonly kind: "event";
    /** The event's type: its `event` field, or `message`. */
    readonly event: string;
    /** The `data` lines, joined with line feeds. */
    readonly data: string;
    /** The last `id` seen up to this event, empty before the first. */
    readonly lastEventId: string;
    /** Only at the end: the stream stopped before the blank line that dispatches the event. */
    readonly unfinished?: true;
  }
  | { readonly kind: "comment"; readonly text: string };

/**
 * Parses a `text/event-stream` fed in pieces of any size, by the rules of WHATWG HTML section 9.2:
 * UTF-8 with invalid bytes replaced, one leading byte order mark dropped, line ends CRLF, LF and CR.
 *
 * It gives an item for each event that a browser would dispatch and for each comment; at the end it
 * also offers the event that a browser would throw away because its blank line is missing.
 *
 * @example
 * ```ts
 * import { EventStreamParser } from "@inferometer/inferometer";
 * import assert from "node:assert/strict";
 * const parser = new EventStreamParser();
 * const bytes = new TextEncoder().encode("data: one\n\n: ping\n\ndata: two");
 * assert.deepEqual(parser.push(bytes).map((item) => item.kind), ["event", "comment"]);
 * assert.deepEqual(parser.end(), [
 *   { kind: "event", event: "message", data: "two", lastEventId: "", unfinished: true },
 * ]);
 * ```
 */
export class EventStreamParser {
  #items: StreamItem[] = [];
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #scanner: EventScanner;

  constructor() {
    const decode = (bytes: Uint8Array, start: number, end: number) =>
      this.#decoder.decode(bytes.subarray(start, end));
    const sink: EventSink = {
      onEvent: (name, bytes, start, end, unfinished) => {
        this.#items.push({
          kind: "event",
          event: name === "" ? "message" : name,
          data: decode(bytes, start, end),
          lastEventId: this.#scanner.lastEventId,
          ...(unfinished ? { unfinished } : {}),
        });
      },
      onComment: (bytes, start, end) => {
        this.#items.push({ kind: "comment", text: decode(bytes, start, end) });
      },
      onIgnoredLine() {},
      onEventWithoutData() {},
      consumeKnownEvent: () => 0,
    };
    this.#scanner = new EventScanner(sink);
  }

  /**
   * Reads more bytes of the stream.
   * @returns the items that these bytes completed, in their order
   * @throws {RangeError} if one event is longer than 16 MiB
   */
  push(bytes: Uint8Array): StreamItem[] {
    this.#scanner.push(bytes, 0, bytes.length);
    return this.#taken();
  }

  /** Ends the stream and returns what was left in it. */
  end(): StreamItem[] {
    this.#scanner.end();
    return this.#taken();
  }

  #taken(): StreamItem[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }
}
