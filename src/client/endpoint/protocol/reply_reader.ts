/**
 * Reads one reply as it arrives and validates it when it ends.
 *
 * The same code reads live replies in the load workers and recorded ones in `readReply`. A reply is
 * valid if its status is 2xx, nothing in it reports a failure or is malformed, and the protocol of
 * its endpoint type finds that it ended as it should, with content. Everything else is an error
 * with a kind.
 */

import { redactedUrlText } from "../../../core/secrets/url_secrets.ts";
import type { ErrorKind } from "../../record/error_kind.ts";
import { EventScanner, type EventSink } from "../../sse/event_scanner.ts";
import { type BodyForm, bodyFormOf, guessBodyForm } from "./body_form.ts";
import { ByteAccumulator } from "./byte_accumulator.ts";
import { clearDelta, type Delta, emptyDelta, isFields } from "./delta.ts";
import type { EndpointType } from "./endpoint_type.ts";
import { EventTemplates } from "./event_templates.ts";
import { errorText, excerpt, parsedJson, statusText, strayError } from "./error_text.ts";
import { LineSplitter } from "./line_splitter.ts";
import { ReplyContent } from "./reply_content.ts";
import type { NextRequest, ReplyError, ReplyProtocol } from "./reply_protocol.ts";
import { readHeaderWork, type ServerWork } from "./server_work.ts";

/** Longest body that is read, in bytes; a longer reply is an error. */
const MAX_REPLY_BYTES = 128 * 1024 * 1024;
/** Maximum length that is read of the body of a reply that is not 2xx. */
const MAX_ERROR_BODY_BYTES = 16 * 1024;

const LINE_FEED = 10;

const decoder = new TextDecoder();

type Headers = readonly (readonly [name: string, value: string])[];

/** Reads replies, one after another. */
export class ReplyReader implements EventSink {
  readonly #type: Pick<EndpointType, "replies">;
  readonly #scanner: EventScanner;
  readonly #lines: LineSplitter;
  readonly #body = new ByteAccumulator();
  readonly #delta: Delta = emptyDelta();
  #protocol: ReplyProtocol;
  /** `error` for the body of a reply that is not 2xx; undefined while the form is not known. */
  #form: BodyForm | "error" | undefined;
  #contentType = "";
  #location = "";
  /** The headers that were read last, and the form of a body that they name: most replies share them. */
  #headers: Headers = [];
  #namedForm: BodyForm | undefined;
  #headerWork: ServerWork | undefined;
  #bodyBytes = 0;
  #stampNs = 0;
  #failure: ReplyError | undefined;
  #comment = "";

  readonly content = new ReplyContent();
  readonly #templates = new EventTemplates(this.content);
  /** Choices that the request asks for; it stays for later replies. */
  askedChoices = 1;
  status = 0;
  reason = "";

  constructor(type: Pick<EndpointType, "replies">) {
    this.#type = type;
    this.#protocol = type.replies;
    this.#scanner = new EventScanner(this);
    this.#lines = new LineSplitter((line, unfinished) => this.#readLine(line, unfinished));
  }

  /** Begins a reply. */
  begin(
    status: number,
    reason: string,
    headers: Headers,
  ): void {
    if (this.status !== 0) this.reset();
    this.status = status;
    this.reason = reason;
    if (headers !== this.#headers) this.#readHeaders(headers);
    this.content.work = this.#headerWork;
    const { replies } = this.#type;
    this.#protocol = replies.forOneReply?.() ?? replies;
    const otherForm = replies.readBytes === undefined ? undefined : "bytes";
    if (status < 200 || status > 299) this.#form = "error";
    else this.#form = this.#namedForm ?? otherForm;
  }

  #readHeaders(headers: Headers): void {
    this.#headers = headers;
    this.#contentType = "";
    this.#location = "";
    for (const [name, value] of headers) {
      const lower = name.toLowerCase();
      if (lower === "content-type") this.#contentType = value;
      else if (lower === "location") this.#location = redactedUrlText(value);
    }
    this.#namedForm = bodyFormOf(this.#contentType);
    this.#headerWork = readHeaderWork(headers);
  }

  /** Whether the body is one piece, not a stream of events or lines. */
  get isWhole(): boolean {
    return this.#form === "json" || this.#form === "bytes";
  }

  /** Whether later bytes cannot change the reply: it has failed or reported its end. */
  get isSettled(): boolean {
    return this.#failure !== undefined || this.content.endSeen;
  }

  /**
   * Next request after a valid reply to a job that is still in progress; undefined if there is
   * none.
   */
  get next(): NextRequest | undefined {
    return this.#protocol.next?.();
  }

  /** Forgets the last reply. */
  reset(): void {
    this.#scanner.reset();
    this.#lines.reset();
    this.#templates.reset();
    this.#body.clear();
    this.#form = undefined;
    this.#bodyBytes = 0;
    this.#failure = undefined;
    this.#comment = "";
    this.content.reset();
    this.status = 0;
    this.reason = "";
  }

  /**
   * Reads a piece of the body that arrived at `stampNs`.
   * @returns false if no more of this reply is wanted: then end it as incomplete
   */
  push(bytes: Uint8Array, start: number, end: number, stampNs: number): boolean {
    this.#stampNs = stampNs;
    this.#bodyBytes += end - start;
    if (this.#bodyBytes > MAX_REPLY_BYTES) {
      this.#fail("protocol", `Reply is longer than ${MAX_REPLY_BYTES} bytes`);
      return false;
    }
    switch (this.#form) {
      case "events":
        return this.#pushInto(this.#scanner, bytes, start, end);
      case "lines":
        return this.#pushInto(this.#lines, bytes, start, end);
      case "json":
        this.#body.append(bytes, start, end);
        return this.#protocol.beginsLines === undefined || this.#pushLines();
      case "bytes":
        this.#body.append(bytes, start, end);
        return true;
      case "error": {
        const room = MAX_ERROR_BODY_BYTES - this.#body.length;
        this.#body.append(bytes, start, Math.min(end, start + room));
        return this.#body.length < MAX_ERROR_BODY_BYTES;
      }
      default:
        return this.#pushUnknown(bytes, start, end);
    }
  }

  /**
   * Ends the reply.
   * @param complete whether the body was complete by its framing
   * @param stampNs when it ended
   * @returns what was wrong with it; undefined for a valid reply
   */
  end(complete: boolean, stampNs: number): ReplyError | undefined {
    this.#stampNs = stampNs;
    if (this.#form === "error") {
      const body = decoder.decode(this.#body.view);
      const message = statusText(this.status, this.reason, this.#location, body);
      return { kind: "http_status", message };
    }
    if (complete && this.#bodyBytes === 0) {
      return { kind: "no_content", message: "Reply has no body" };
    }
    if (this.#failure === undefined) {
      if (this.#form === "events") this.#scanner.end();
      else if (this.#form === "lines") this.#lines.end();
      else if (this.#body.length > 0) this.#readWhole(complete);
    }
    const { endSeen, finishReason, chunkCount, usage } = this.content;
    const choices = this.content.endingsOf(this.askedChoices);
    return this.#failure ?? this.#protocol.judge({
      isWhole: this.isWhole,
      isComplete: complete,
      endSeen,
      finishReason,
      usage,
      chunkCount,
      ...(choices === undefined ? {} : { choices }),
    });
  }

  onEvent(
    name: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    unfinished: boolean,
  ): void {
    const { content } = this;
    if (!content.endSeen) content.lastEventNs = this.#stampNs;
    const { endMark, eventMeanings } = this.#protocol;
    const meaning = name === "" ? undefined : eventMeanings.get(name);
    if (meaning === undefined && endMark !== undefined && isText(bytes, start, end, endMark)) {
      this.#comment = "";
      content.endSeen = true;
      return;
    }
    const text = decoder.decode(bytes.subarray(start, end));
    if (meaning === "error") {
      this.#fail("stream_error", errorText(text) || this.#comment || "Server reported an error");
      return;
    }
    this.#comment = "";
    if (meaning === "ignored") return;
    if (meaning === undefined && text.trim() === endMark) {
      content.endSeen = true;
      return;
    }
    const json = text === "" ? null : parsedJson(text);
    // Half an event at the end of a cut stream is a cut, not a server that writes bad JSON.
    if (json === undefined && unfinished) return;
    if (isFields(json)) this.#readObject(json, name, text);
    else if (json === undefined && meaning !== "end" && !content.endSeen) {
      this.#fail("malformed_chunk", `Malformed chunk: ${excerpt(text)}`);
    }
    if (meaning === "end") content.endSeen = true;
  }

  onComment(bytes: Uint8Array, start: number, end: number): void {
    this.#comment = decoder.decode(bytes.subarray(start, Math.min(end, start + 500))).trim();
  }

  onIgnoredLine(bytes: Uint8Array, start: number, end: number): void {
    const line = decoder.decode(bytes.subarray(start, Math.min(end, start + 65_536)));
    const error = strayError(line);
    if (error !== undefined) this.#fail("stream_error", error);
  }

  onEventWithoutData(name: string): void {
    const meaning = this.#protocol.eventMeanings.get(name);
    // Dynamo reports an error as an event with a comment and no data.
    if (meaning === "error") {
      this.#fail("stream_error", this.#comment || "Server reported an error");
    } else if (meaning === "end") {
      this.content.lastEventNs = this.#stampNs;
      this.content.endSeen = true;
    }
    this.#comment = "";
  }

  consumeKnownEvent(bytes: Uint8Array, start: number, end: number): number {
    if (this.content.endSeen) return 0;
    const consumed = this.#templates.consume(bytes, start, end, this.#stampNs);
    if (consumed > 0) this.#comment = "";
    return consumed;
  }

  #readObject(json: Record<string, unknown>, eventName: string, data: string): void {
    const delta = this.#delta;
    clearDelta(delta);
    this.#protocol.readDelta(json, delta, eventName);
    this.#add(delta);
    if (this.#form === "events") this.#templates.learn(delta, eventName, data, this.#protocol);
  }

  #add(delta: Delta): void {
    // A failure counts even if it is reported late; other things after the end are ignored.
    if (delta.error !== null) this.#fail("stream_error", delta.error);
    if (!this.content.endSeen) this.content.add(delta, this.#stampNs);
  }

  /** Reads a part of a stream; false if it has an event or a line that is too long. */
  #pushInto(
    stream: EventScanner | LineSplitter,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): boolean {
    try {
      stream.push(bytes, start, end);
      return true;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#fail("protocol", error.message);
      return false;
    }
  }

  #readLine(line: Uint8Array, unfinished: boolean): void {
    const text = decoder.decode(line).trim();
    if (text === "") return;
    this.content.lastEventNs = this.#stampNs;
    const json = parsedJson(text);
    if (isFields(json)) this.#readObject(json, "", text);
    else if (!unfinished) this.#fail("malformed_chunk", `Malformed line: ${excerpt(text)}`);
  }

  /** Reads a body that is one piece. */
  #readWhole(complete: boolean): void {
    if (this.#form === undefined) return this.#refuseBody();
    this.content.lastEventNs = this.#stampNs;
    const protocol = this.#protocol;
    const delta = this.#delta;
    clearDelta(delta);
    if (this.#form === "bytes") {
      protocol.readBytes?.(this.#body.view, this.#contentType, delta);
    } else {
      const text = decoder.decode(this.#body.view);
      const json = parsedJson(text);
      if (isFields(json)) protocol.readDelta(json, delta, "");
      else if (Array.isArray(json) && protocol.readList) protocol.readList(json, delta);
      else if (complete) this.#fail("malformed_chunk", `Malformed JSON body: ${excerpt(text)}`);
    }
    this.#add(delta);
  }

  /** Reads a body whose content type does not determine its form: the first bytes do. */
  #pushUnknown(bytes: Uint8Array, start: number, end: number): boolean {
    this.#body.append(bytes, start, end);
    this.#form = guessBodyForm(decoder.decode(this.#body.view.subarray(0, 64)));
    if (this.#form === "events") {
      const gathered = this.#body.view.slice();
      this.#body.clear();
      return this.#pushInto(this.#scanner, gathered, 0, gathered.length);
    }
    if (this.#form === "json" && this.#protocol.beginsLines !== undefined) return this.#pushLines();
    if (this.#form !== undefined || this.#body.length < MAX_ERROR_BODY_BYTES) return true;
    this.#refuseBody();
    return false;
  }

  /** Reads a body by lines if its first one says that others follow, whatever its content type is. */
  #pushLines(): boolean {
    const { view } = this.#body;
    const end = view.indexOf(LINE_FEED);
    const first = end < 0 ? undefined : parsedJson(decoder.decode(view.subarray(0, end)));
    if (!isFields(first) || this.#protocol.beginsLines?.(first) !== true) return true;
    const gathered = view.slice();
    this.#body.clear();
    this.#form = "lines";
    return this.#pushInto(this.#lines, gathered, 0, gathered.length);
  }

  #refuseBody(): void {
    const type = this.#contentType === "" ? "no content type" : this.#contentType;
    const text = decoder.decode(this.#body.view);
    this.#fail("protocol", `Expected an event stream or JSON, got ${type}: ${excerpt(text)}`);
  }

  /** Keeps the first failure: what follows it is often its consequence. */
  #fail(kind: ErrorKind, message: string): void {
    this.#failure ??= { kind, message: message.slice(0, 2000) };
  }
}

/** Whether bytes are those of an ASCII text. */
function isText(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) {
    if (bytes[start + i] !== text.charCodeAt(i)) return false;
  }
  return true;
}
