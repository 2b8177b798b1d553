import type { ByteAccumulator } from "./byte_accumulator.ts";
import { ContentTemplate } from "./content_template.ts";
import { type Delta, emptyDelta, isFields } from "./delta.ts";
import { parsedJson } from "./error_text.ts";
import type { ReplyContent } from "./reply_content.ts";
import type { ReplyProtocol } from "./reply_protocol.ts";
import { repeatsWork } from "./server_work.ts";

/** Takes the content out of events whose form is known, without parsing their JSON. */
export class EventTemplates {
  readonly #content: ReplyContent;
  readonly #template = new ContentTemplate();
  /** Where the template's content goes. */
  #target: ByteAccumulator;
  /**
   * Template of the events before the first content, which mostly contain an empty field for
   * content.
   */
  readonly #opening = new ContentTemplate();

  /** @param content of the reply that is read */
  constructor(content: ReplyContent) {
    this.#content = content;
    this.#target = content.text;
  }

  /** Forgets the forms of the last reply. */
  reset(): void {
    this.#template.reset();
    this.#opening.reset();
  }

  /**
   * Takes the content out of an event that fits a template.
   * @param stampNs when the event arrived
   * @returns how many bytes the event has; 0 if it fits none
   */
  consume(bytes: Uint8Array, start: number, end: number, stampNs: number): number {
    const consumed = this.#consume(this.#template, this.#target, bytes, start, end, stampNs);
    if (consumed > 0 || this.#content.chunkCount > 0) return consumed;
    return this.#consume(this.#opening, this.#content.text, bytes, start, end, stampNs);
  }

  #consume(
    template: ContentTemplate,
    target: ByteAccumulator,
    bytes: Uint8Array,
    start: number,
    end: number,
    stampNs: number,
  ): number {
    const consumed = template.active ? template.match(bytes, start, end) : 0;
    if (consumed === 0) return 0;
    const content = this.#content;
    content.lastEventNs = stampNs;
    const { contentStart, contentEnd } = template;
    if (contentEnd > contentStart) {
      target.append(bytes, contentStart, contentEnd);
      content.addChunk(target === content.text, stampNs);
    }
    return consumed;
  }

  /**
   * Learns the form of an event, if others of that form may follow.
   * @param delta what the event gave, which the content has already
   */
  learn(delta: Delta, eventName: string, data: string, protocol: ReplyProtocol): void {
    if (!this.#isRepeatable(delta, protocol)) return;
    const { chunkCount, reasoning, text } = this.#content;
    if (delta.text === "" && delta.reasoning === "") {
      if (chunkCount === 0) this.#learn(this.#opening, text, delta, eventName, data, protocol);
    } else if (this.#template.wanted) {
      this.#target = delta.text === "" ? reasoning : text;
      this.#learn(this.#template, this.#target, delta, eventName, data, protocol);
    }
  }

  #learn(
    template: ContentTemplate,
    target: ByteAccumulator,
    { text, reasoning }: Delta,
    eventName: string,
    data: string,
    protocol: ReplyProtocol,
  ): void {
    template.learn(
      eventName,
      data,
      text + reasoning,
      (data, content) => this.#gives(target, eventName, data, content, protocol),
    );
  }

  /** Whether an event gave at most text or reasoning, so that events of that form may follow. */
  #isRepeatable(delta: Delta, { forOneReply }: ReplyProtocol): boolean {
    return (delta.text === "" || delta.reasoning === "") && delta.toolText === "" &&
      delta.toolCalls.length === 0 && delta.items === 0 && !delta.isEnd &&
      delta.reasoningParts.length === 0 && delta.unknownText === "" &&
      delta.usage === undefined && delta.others.length === 0 &&
      (delta.work === undefined || repeatsWork(delta.work, this.#content.work)) &&
      delta.finishReason === null && delta.error === null &&
      forOneReply === undefined;
  }

  /** Whether an event gives this content to `target`, and nothing else. */
  #gives(
    target: ByteAccumulator,
    eventName: string,
    data: string,
    content: string,
    protocol: ReplyProtocol,
  ): boolean {
    const json = parsedJson(data);
    if (!isFields(json)) return false;
    const delta = emptyDelta();
    protocol.readDelta(json, delta, eventName);
    const given = target === this.#content.text ? delta.text : delta.reasoning;
    return given === content && this.#isRepeatable(delta, protocol);
  }
}
