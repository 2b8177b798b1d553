import type { ByteAccumulator } from "./byte_accumulator.ts";
import { ContentTemplate } from "./content_template.ts";
import { type Delta, emptyDelta, isFields } from "./delta.ts";
import { parsedJson } from "./error_text.ts";
import type { ReplyContent } from "./reply_content.ts";
import type { ReplyProtocol } from "./reply_protocol.ts";
import { repeatsWork, type ServerWork } from "./server_work.ts";

/** Events of one form. */
interface Form {
  readonly template: ContentTemplate;
  /** Where the content goes. */
  target: ByteAccumulator;
  /** Server's work that each event reports; undefined if it reports none. */
  work: ServerWork | undefined;
  /** Server's work of a reply to which that of its events was added. */
  added: ServerWork | undefined;
}

/** Takes the content out of events whose form is known, without parsing their JSON. */
export class EventTemplates {
  readonly #content: ReplyContent;
  readonly #form: Form;
  /** Events before the first content, which mostly contain an empty field for content. */
  readonly #opening: Form;

  /** @param content of the reply that is read */
  constructor(content: ReplyContent) {
    this.#content = content;
    this.#form = emptyForm(content.text);
    this.#opening = emptyForm(content.text);
  }

  /** Forgets the forms of the last reply. */
  reset(): void {
    this.#form.template.reset();
    this.#opening.template.reset();
  }

  /**
   * Takes the content out of an event that fits a template.
   * @param stampNs when the event arrived
   * @returns how many bytes the event has; 0 if it fits none
   */
  consume(bytes: Uint8Array, start: number, end: number, stampNs: number): number {
    const consumed = this.#consume(this.#form, bytes, start, end, stampNs);
    if (consumed > 0 || this.#content.chunkCount > 0) return consumed;
    return this.#consume(this.#opening, bytes, start, end, stampNs);
  }

  #consume(form: Form, bytes: Uint8Array, start: number, end: number, stampNs: number): number {
    const { template, target, work } = form;
    const consumed = template.active ? template.match(bytes, start, end) : 0;
    if (consumed === 0) return 0;
    const content = this.#content;
    content.lastEventNs = stampNs;
    // Forms last longer than a reply, which may have no other event that reports the work.
    if (work !== undefined && content.work !== form.added) {
      content.work = form.added = { ...content.work, ...work };
    }
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
      if (chunkCount === 0) this.#learn(this.#opening, delta, eventName, data, protocol);
    } else if (this.#form.template.wanted) {
      this.#form.target = delta.text === "" ? reasoning : text;
      this.#learn(this.#form, delta, eventName, data, protocol);
    }
  }

  #learn(
    form: Form,
    { text, reasoning, work }: Delta,
    eventName: string,
    data: string,
    protocol: ReplyProtocol,
  ): void {
    form.work = work;
    form.added = this.#content.work;
    form.template.learn(
      eventName,
      data,
      text + reasoning,
      (data, content) => this.#gives(form, eventName, data, content, protocol),
    );
  }

  /** Whether an event gave at most text or reasoning, so that events of that form may follow. */
  #isRepeatable(delta: Delta, { forOneReply }: ReplyProtocol): boolean {
    return (delta.text === "" || delta.reasoning === "") && delta.toolText === "" &&
      delta.toolCalls.length === 0 && delta.items === 0 && !delta.isEnd &&
      delta.reasoningParts.length === 0 && delta.unknownText === "" &&
      delta.usage === undefined && delta.others.length === 0 &&
      delta.finishReason === null && delta.error === null &&
      forOneReply === undefined;
  }

  /** Whether an event gives this content and the work of its form, and nothing else. */
  #gives(
    { target, work }: Form,
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
    return given === content && this.#isRepeatable(delta, protocol) &&
      (delta.work === undefined || repeatsWork(delta.work, work));
  }
}

function emptyForm(target: ByteAccumulator): Form {
  return { template: new ContentTemplate(), target, work: undefined, added: undefined };
}
