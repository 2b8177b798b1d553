import type { BodyFields } from "../../../client/endpoint/protocol/body_format.ts";
import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { MessagesSpan } from "../payloads/conversation_columns.ts";
import type { SharedBeginning } from "../payloads/payload_table_builder.ts";
import { markerOffset } from "../payloads/session_marker.ts";
import type { ConversationTurn } from "./conversation.ts";
import type { TurnBody } from "./turn_body.ts";

/** How a body lies behind what it shares with an earlier one. */
export interface OwnEnd extends SharedBeginning {
  /** Bytes at the beginning of its own body that are left out: the shared bytes come instead. */
  readonly cutBytes: number;
  /** Whether a comma is between the shared bytes and the own ones. */
  readonly hasComma: boolean;
  /** Bytes of the whole body between which its messages lie. */
  readonly messages: MessagesSpan;
}

/** A body of the conversation, as far as later ones may share it. */
interface KnownBody {
  readonly entry: number;
  readonly fields: BodyFields;
  /** First bytes of its own body for the first model. */
  readonly bytes: Uint8Array;
  readonly messages: MessagesSpan;
  readonly before: { readonly body: KnownBody; readonly elements: number } | undefined;
  readonly keptBytes: number;
  /** Messages of the whole body. */
  readonly elements: number;
  /** Messages of the request at its beginning that are not among these; NaN if others are not. */
  readonly apart: number;
  /** Bytes before the text of its content, once they are asked for. */
  textStart: number | undefined;
}

const encoder = new TextEncoder();

/**
 * Bodies of one conversation whose later bodies begin like earlier ones: it finds how many bytes of
 * an earlier body a later one shares.
 */
export class SharedBodies {
  readonly #type: EndpointType;
  #bodies: (KnownBody | undefined)[] = [];

  constructor(type: EndpointType) {
    this.#type = type;
  }

  /** The bodies that come next are those of another conversation. */
  beginConversation(): void {
    this.#bodies = [];
  }

  /**
   * Adds the body of the next turn.
   * @param entry number of its entry in the table
   * @param messages place of the messages in the own body
   * @param end of a body that shares its beginning
   */
  add(
    { fields, bytes: [first] }: TurnBody,
    entry: number,
    messages: MessagesSpan | undefined,
    end: OwnEnd | undefined,
    turn: ConversationTurn,
  ): void {
    if (fields === undefined || first === undefined || messages === undefined) {
      this.#bodies.push(undefined);
      return;
    }
    const base = turn.shared === undefined ? undefined : this.#bodies[turn.shared.turn];
    const before = end === undefined || base === undefined || !end.hasComma
      ? undefined
      : { body: base, elements: (turn.shared?.kept ?? 0) - base.apart };
    const own = this.#elements(fields).length;
    this.#bodies.push({
      entry,
      fields,
      bytes: first,
      messages: end?.messages ?? messages,
      before,
      keptBytes: end?.keptBytes ?? 0,
      elements: (before?.elements ?? 0) + own,
      apart: before?.body.apart ?? apartOf(turn, own),
      textStart: end === undefined || end.hasComma ? undefined : end.cutBytes,
    });
  }

  /**
   * Returns how a body lies behind the shared bytes; undefined if it cannot share any.
   * @param messages place of the messages in the own body
   * @param markerAt bytes of the shared body before its marker; -1 for none
   */
  endOf(
    turn: ConversationTurn,
    { fields, bytes: [first] }: TurnBody,
    messages: MessagesSpan | undefined,
    markerAt: number,
  ): OwnEnd | undefined {
    const { shared, request } = turn;
    const base = shared && this.#bodies[shared.turn];
    if (shared === undefined || base === undefined || messages === undefined) return undefined;
    if (fields === undefined || first === undefined) return undefined;
    if (request.kind === "content") {
      const start = textStart(this.#type, fields);
      base.textStart ??= textStart(this.#type, base.fields) ?? -1;
      if (start === undefined || base.textStart !== start) return undefined;
      if (!isEqual(first, base.bytes, start)) return undefined;
      const keptBytes = start + shared.kept;
      const whole = { start: messages.start, end: messages.end - start + keptBytes };
      const { entry } = base;
      return { base: entry, keptBytes, cutBytes: start, hasComma: false, messages: whole };
    }
    const isPlain = request.kind === "messages" &&
      apartOf(turn, this.#elements(fields).length) === 0;
    const keptBytes = isPlain
      ? endOfElement(base, shared.kept - base.apart, (body) => this.#elements(body.fields))
      : undefined;
    if (keptBytes === undefined || keptBytes < markerAt) return undefined;
    const { start } = base.messages;
    return {
      base: base.entry,
      keptBytes,
      cutBytes: messages.start,
      hasComma: true,
      messages: { start, end: keptBytes + 1 + messages.end - messages.start },
    };
  }

  #elements(fields: BodyFields): readonly unknown[] {
    const list = fields[this.#type.conversation?.messagesField ?? "messages"];
    return Array.isArray(list) ? list : [];
  }
}

/** Messages of a request that its body has elsewhere: system messages at the beginning. */
function apartOf({ request }: ConversationTurn, elements: number): number {
  if (request.kind !== "messages") return 0;
  const { messages } = request;
  const apart = messages.length - elements;
  return messages.slice(0, apart).every(({ role }) => role === "system") ? apart : NaN;
}

/** Bytes of a body up to the end of some of its messages; undefined if it has fewer, or none. */
function endOfElement(
  body: KnownBody,
  count: number,
  elementsOf: (body: KnownBody) => readonly unknown[],
): number | undefined {
  if (!(count > 0 && count <= body.elements)) return undefined;
  if (count === body.elements) return body.messages.end;
  let at = body;
  while (at.before !== undefined && count < at.before.elements) at = at.before.body;
  const own = elementsOf(at).slice(0, count - (at.before?.elements ?? 0));
  // A comma is in front of each, but for the first of a whole body.
  return own.reduce<number>(
    (sum, element) => sum + 1 + encoder.encode(JSON.stringify(element)).length,
    at.before === undefined ? at.messages.start - 1 : at.keptBytes,
  );
}

/** Bytes of a body before the text of its content. */
function textStart(type: EndpointType, fields: BodyFields): number | undefined {
  return markerOffset(type, fields, "first-turn-prefix");
}

function isEqual(a: Uint8Array, b: Uint8Array, length: number): boolean {
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return false;
  return true;
}
