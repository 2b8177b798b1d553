/**
 * Reads one reply as it arrives and judges it when it ends.
 *
 * The same code reads live replies in the load workers and recorded ones in `readReply`. A reply is
 * valid if its status is 2xx, it has content, and it ended in an orderly way: `[DONE]`, or a finish
 * reason and a complete body. Everything else is an error with a kind.
 */

import type { ErrorKind } from "../record/error_kind.ts";
import { EventScanner, type EventSink } from "../sse/event_scanner.ts";
import { ByteAccumulator } from "./byte_accumulator.ts";
import { ContentTemplate } from "./content_template.ts";
import { type Delta, emptyDelta, errorOf, isFields } from "./delta.ts";
import type { EndpointType } from "./endpoint_type.ts";
import { mergeUsage, type Usage } from "./usage.ts";

/** Longest body that is read, in bytes; a longer reply is an error. */
export const MAX_REPLY_BYTES = 128 * 1024 * 1024;
/** So much of the body of a reply that is not 2xx is read. */
export const MAX_ERROR_BODY_BYTES = 16 * 1024;

const INITIAL_CHUNKS = 64;
const decoder = new TextDecoder();

/** Why a reply is not valid. */
export interface ReplyError {
  readonly kind: ErrorKind;
  readonly message: string;
}

/** The form in which a body comes. */
type BodyForm = "events" | "lines" | "json" | "error" | "unknown";

/** Reads replies, one after another. */
export class ReplyReader implements EventSink {
  readonly #type: EndpointType;
  readonly #scanner: EventScanner;
  readonly #template = new ContentTemplate();
  readonly #body = new ByteAccumulator();
  readonly #delta: Delta = emptyDelta();
  #form: BodyForm = "unknown";
  #contentType = "";
  #location = "";
  #bodyBytes = 0;
  #stampNs = 0;
  #failure: ReplyError | undefined;
  #comment = "";
  #lastChunkNs = -1;

  /** Answer text, UTF-8. */
  readonly text = new ByteAccumulator();
  /** Reasoning text, UTF-8. */
  readonly reasoning = new ByteAccumulator();
  /** Names and arguments of tool calls, UTF-8. */
  readonly toolText = new ByteAccumulator();
  /** When each content chunk arrived; the first `chunkCount` entries count. */
  chunkNs = new Float64Array(INITIAL_CHUNKS);
  chunkCount = 0;
  /** Index of the first chunk that is not reasoning alone; -1 if there was none. */
  firstOutputChunk = -1;
  /** Content chunks that share their stamp with the one before: they came with one read. */
  coalescedChunks = 0;
  status = 0;
  reason = "";
  usage: Usage | undefined;
  /** Completion tokens that the first content chunk reported; undefined where it did not. */
  firstChunkTokens: number | undefined;
  finishReason: string | null = null;
  doneSeen = false;
  /** When the last event of any kind arrived; NaN before the first. */
  lastEventNs = NaN;

  constructor(type: EndpointType) {
    this.#type = type;
    this.#scanner = new EventScanner(this);
  }

  /** Begins a reply. */
  begin(
    status: number,
    reason: string,
    headers: readonly (readonly [name: string, value: string])[],
  ): void {
    this.reset();
    this.status = status;
    this.reason = reason;
    for (const [name, value] of headers) {
      const lower = name.toLowerCase();
      if (lower === "content-type") this.#contentType = value;
      else if (lower === "location") this.#location = value;
    }
    const media = (this.#contentType.split(";")[0] as string).trim().toLowerCase();
    if (status < 200 || status > 299) this.#form = "error";
    else if (media === "text/event-stream") this.#form = "events";
    else if (/^application\/(x-)?(ndjson|jsonl|jsonlines|json-lines|json-seq)$/.test(media)) {
      this.#form = "lines";
    } else if (/^application\/(.+\+)?json$/.test(media)) this.#form = "json";
  }

  /** Forgets the last reply. */
  reset(): void {
    this.#scanner.reset();
    this.#template.reset();
    this.#body.clear();
    this.#form = "unknown";
    this.#contentType = "";
    this.#location = "";
    this.#bodyBytes = 0;
    this.#failure = undefined;
    this.#comment = "";
    this.#lastChunkNs = -1;
    this.text.clear();
    this.reasoning.clear();
    this.toolText.clear();
    if (this.chunkNs.length > 16_384) this.chunkNs = new Float64Array(INITIAL_CHUNKS);
    this.chunkCount = 0;
    this.firstOutputChunk = -1;
    this.coalescedChunks = 0;
    this.status = 0;
    this.reason = "";
    this.usage = undefined;
    this.firstChunkTokens = undefined;
    this.finishReason = null;
    this.doneSeen = false;
    this.lastEventNs = NaN;
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
    if (this.#form === "unknown") return this.#pushUnknown(bytes, start, end);
    if (this.#form === "events") {
      try {
        this.#scanner.push(bytes, start, end);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.#fail("protocol", error.message);
        return false;
      }
      return true;
    }
    if (this.#form === "error") {
      const room = MAX_ERROR_BODY_BYTES - this.#body.length;
      this.#body.append(bytes, start, Math.min(end, start + room));
      return this.#body.length < MAX_ERROR_BODY_BYTES;
    }
    this.#body.append(bytes, start, end);
    if (this.#form === "lines") this.#readLines(false);
    return true;
  }

  /**
   * Ends the reply.
   * @param complete whether the body was complete by its framing
   * @param stampNs when it ended
   * @returns what was wrong with it; undefined for a valid reply
   */
  end(complete: boolean, stampNs: number): ReplyError | undefined {
    this.#stampNs = stampNs;
    if (this.#form === "error") return this.#statusError();
    if (this.#failure === undefined) {
      if (this.#form === "events") this.#scanner.end();
      else if (this.#form === "lines") this.#readLines(true);
      else if (this.#body.length > 0) this.#readWhole(complete);
    }
    if (this.#failure !== undefined) return this.#failure;
    const orderly = this.doneSeen || (this.finishReason !== null && complete) ||
      (this.#form === "json" && complete);
    if (!orderly) {
      return {
        kind: "truncated",
        message: complete
          ? "Stream ended without [DONE] or a finish reason"
          : "Reply stopped before its end",
      };
    }
    if (this.chunkCount === 0) {
      return { kind: "no_content", message: "Reply is complete but has no content" };
    }
    return undefined;
  }

  onEvent(
    name: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    unfinished: boolean,
  ): void {
    this.lastEventNs = this.#stampNs;
    const text = isDone(bytes, start, end) ? "[DONE]" : decoder.decode(bytes.subarray(start, end));
    if (name === "error") {
      this.#fail("stream_error", errorText(text) || this.#comment || "Server reported an error");
      return;
    }
    this.#comment = "";
    if (text === "[DONE]" || text.trim() === "[DONE]") {
      this.doneSeen = true;
    } else if (text !== "") {
      const json = parsed(text);
      if (json === undefined) {
        // Half an event at the end of a cut stream is a cut, not a server that writes bad JSON.
        if (!unfinished) this.#fail("malformed_chunk", `Malformed chunk: ${excerpt(text)}`);
      } else if (isFields(json)) {
        this.#readObject(json, text);
      }
    }
  }

  onComment(bytes: Uint8Array, start: number, end: number): void {
    this.#comment = decoder.decode(bytes.subarray(start, Math.min(end, start + 500))).trim();
  }

  onIgnoredLine(bytes: Uint8Array, start: number, end: number): void {
    const text = decoder.decode(bytes.subarray(start, Math.min(end, start + 65_536)));
    if (text.startsWith("error:")) {
      // llama.cpp before 2025 used a field of that name.
      this.#fail("stream_error", errorText(text.slice(6)) || "Server reported an error");
    } else if (text.startsWith("{")) {
      // Ollama writes a bare JSON line when its runner dies.
      const json = parsed(text);
      const error = isFields(json) ? errorOf(json) : null;
      if (error !== null) this.#fail("stream_error", error);
    }
  }

  onEventWithoutData(name: string): void {
    // Dynamo reports an error as an event with a comment and no data.
    if (name === "error") this.#fail("stream_error", this.#comment || "Server reported an error");
    this.#comment = "";
  }

  consumeKnownEvent(bytes: Uint8Array, start: number, end: number): number {
    const template = this.#template;
    if (!template.active) return 0;
    const consumed = template.match(bytes, start, end);
    if (consumed === 0) return 0;
    this.lastEventNs = this.#stampNs;
    const { contentStart, contentEnd } = template;
    if (contentEnd > contentStart) {
      const isOutput = this.#templateTarget === this.text;
      this.#templateTarget.append(bytes, contentStart, contentEnd);
      this.#addChunk(isOutput);
    }
    return consumed;
  }

  #templateTarget = this.text;

  #readObject(json: Record<string, unknown>, data: string): void {
    const delta = this.#delta;
    this.#readDelta(json, delta);
    if (delta.error !== null) this.#fail("stream_error", delta.error);
    if (delta.usage !== undefined) this.usage = mergeUsage(this.usage, delta.usage);
    if (delta.finishReason !== null) this.finishReason = delta.finishReason;
    const { text, reasoning, toolText } = delta;
    if (text === "" && reasoning === "" && toolText === "") return;
    this.text.appendText(text);
    this.reasoning.appendText(reasoning);
    this.toolText.appendText(toolText);
    if (this.chunkCount === 0) this.firstChunkTokens = delta.usage?.completionTokens;
    this.#addChunk(text !== "" || toolText !== "");
    const plain = toolText === "" && (text === "") !== (reasoning === "") &&
      delta.usage === undefined && delta.finishReason === null && delta.error === null;
    if (plain && this.#form === "events" && this.#template.wanted) {
      this.#templateTarget = text === "" ? this.reasoning : this.text;
      this.#template.learn(data, text + reasoning, this.#contributesOnly);
    }
  }

  readonly #contributesOnly = (data: string, content: string): boolean => {
    const json = parsed(data);
    if (!isFields(json)) return false;
    const delta = emptyDelta();
    this.#readDelta(json, delta);
    const asText = this.#templateTarget === this.text;
    return (asText ? delta.text : delta.reasoning) === content &&
      (asText ? delta.reasoning : delta.text) === "" && delta.toolText === "" &&
      delta.usage === undefined && delta.finishReason === null && delta.error === null;
  };

  #readDelta(json: Record<string, unknown>, delta: Delta): void {
    delta.text = "";
    delta.reasoning = "";
    delta.toolText = "";
    delta.finishReason = null;
    delta.usage = undefined;
    delta.error = null;
    this.#type.readDelta(json, delta);
  }

  #addChunk(isOutput: boolean): void {
    const index = this.chunkCount++;
    if (index === this.chunkNs.length) {
      const longer = new Float64Array(index * 2);
      longer.set(this.chunkNs);
      this.chunkNs = longer;
    }
    const stampNs = this.#stampNs;
    this.chunkNs[index] = stampNs;
    if (isOutput && this.firstOutputChunk < 0) this.firstOutputChunk = index;
    if (stampNs === this.#lastChunkNs) this.coalescedChunks++;
    this.#lastChunkNs = stampNs;
  }

  #readLines(atEnd: boolean): void {
    const view = this.#body.view;
    let start = 0;
    for (let lineEnd = view.indexOf(10); lineEnd >= 0; lineEnd = view.indexOf(10, start)) {
      this.#readLine(decoder.decode(view.subarray(start, lineEnd)), false);
      start = lineEnd + 1;
    }
    const rest = view.slice(start);
    this.#body.clear();
    if (!atEnd) this.#body.append(rest, 0, rest.length);
    else this.#readLine(decoder.decode(rest), true);
  }

  #readLine(line: string, unfinished: boolean): void {
    const text = line.trim();
    if (text === "") return;
    this.lastEventNs = this.#stampNs;
    const json = parsed(text);
    if (isFields(json)) this.#readObject(json, text);
    else if (!unfinished) this.#fail("malformed_chunk", `Malformed line: ${excerpt(text)}`);
  }

  #readWhole(complete: boolean): void {
    const text = decoder.decode(this.#body.view);
    if (this.#form === "unknown") {
      const type = this.#contentType === "" ? "no content type" : this.#contentType;
      this.#fail("protocol", `Expected an event stream or JSON, got ${type}: ${excerpt(text)}`);
      return;
    }
    this.lastEventNs = this.#stampNs;
    const json = parsed(text);
    if (isFields(json)) {
      this.#readObject(json, text);
    } else if (complete) {
      this.#fail("malformed_chunk", `Malformed JSON body: ${excerpt(text)}`);
    }
  }

  /** A body without a content type that says what it is: its first bytes do. */
  #pushUnknown(bytes: Uint8Array, start: number, end: number): boolean {
    this.#body.append(bytes, start, end);
    const text = decoder.decode(this.#body.view.subarray(0, 64)).trimStart();
    if (text.startsWith("{")) {
      this.#form = "json";
    } else if (/^(data|event|id|retry)?:/.test(text)) {
      this.#form = "events";
      const gathered = this.#body.view.slice();
      this.#body.clear();
      this.#bodyBytes = 0;
      return this.push(gathered, 0, gathered.length, this.#stampNs);
    } else if (this.#body.length >= MAX_ERROR_BODY_BYTES) {
      this.#readWhole(false);
      return false;
    }
    return true;
  }

  #statusError(): ReplyError {
    const body = decoder.decode(this.#body.view);
    const json = parsed(body);
    const said = (isFields(json) ? errorOf(json) : null) ?? body.trim();
    const status = `HTTP ${this.status}${this.reason === "" ? "" : ` ${this.reason}`}`;
    const target = this.#location === ""
      ? ""
      : `, redirects to ${this.#location} (redirects are not followed)`;
    return {
      kind: "http_status",
      message: `${status}${target}${said === "" ? "" : `: ${said.slice(0, 2000)}`}`,
    };
  }

  /** Keeps the first failure: what follows it is often its consequence. */
  #fail(kind: ErrorKind, message: string): void {
    this.#failure ??= { kind, message: message.slice(0, 2000) };
  }
}

const DONE = new TextEncoder().encode("[DONE]");

function isDone(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== DONE.length) return false;
  return DONE.every((byte, index) => bytes[start + index] === byte);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorText(text: string): string {
  const json = parsed(text);
  if (!isFields(json)) return text.trim();
  return errorOf(json) ?? (typeof json["message"] === "string" ? json["message"] : text.trim());
}

function excerpt(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
