import { constraintText } from "../../../client/endpoint/constraint/constraint_of.ts";
import type { BodyFields } from "../../../client/endpoint/protocol/body_format.ts";
import { BODY_PARTS } from "../../../client/endpoint/protocol/body_pieces.ts";
import { longValue, messagesSpan } from "../../../client/endpoint/protocol/conversation_format.ts";
import {
  type BodySettings,
  type EndpointType,
  outputLimitOf,
} from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { RunPlan } from "../../../config/plan/run_plan.ts";
import { joinBytes } from "../../../client/http/join_bytes.ts";
import type { Conversation, ConversationTurn } from "./conversation.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import { type InputCount, InputCounter } from "./input_counter.ts";
import type { InputTemplate } from "./input_template.ts";
import { NO_COUNT, type PayloadTable } from "../payloads/payload_table.ts";
import { PayloadTableBuilder, type Segment } from "../payloads/payload_table_builder.ts";
import type { RecordedReply } from "../payloads/graph_columns.ts";
import { saltedParts } from "../payloads/salted_parts.ts";
import type { SaltWords } from "../payloads/prompt_salt.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";
import { type OwnEnd, SharedBodies } from "./shared_bodies.ts";
import { openFields, type Refuse, type TurnBody, turnBody } from "./turn_body.ts";
import { turnDelayNs } from "./turn_delay.ts";
import { type TurnMarkers, turnMarkers } from "./turn_markers.ts";

const encoder = new TextEncoder();
/** Bodies that are held at once; places in them are numbers of 32 bits. */
const MAX_TABLE_BYTES = 2 ** 31;

/** The salts of a table, and how many a body has at most. */
export interface Salting {
  readonly salts: SaltWords;
  readonly perBody: number;
}

const COMMA = new Uint8Array([44]);

/** Count of bodies that cannot be read, or whose tokens nothing counts. */
const NOT_COUNTED: InputCount = { tokens: NO_COUNT, parts: undefined };

/** Settings from which a payload table is built, apart from its conversations. */
export type TablePlan =
  & Pick<RunPlan, "models" | "body" | "turnDelays">
  & Partial<Pick<RunPlan, "seed" | "cacheBust" | "marksRun">>;

/** Puts conversations into payload tables: all into one table, or a given number into each. */
export class ConversationTableMaker {
  readonly #plan: TablePlan;
  readonly #type: EndpointType;
  readonly #counter: InputCounter | undefined;
  readonly #markers: TurnMarkers | undefined;
  readonly #path: string;
  readonly #whole: string | undefined;
  #settings: readonly BodySettings[];
  #allReady: boolean | undefined;
  readonly #salts: SaltWords | undefined;
  readonly #shared: SharedBodies;
  /** Segments of long values that many bodies have behind their messages, by their JSON. */
  #values = new Map<string, Segment>();
  #builder: PayloadTableBuilder;
  #count = 0;

  /**
   * @param path names the source in errors
   * @param options `whole`: why it cannot be sent while it is read; undefined if nothing forbids that;
   * `marksWarmup`: whether warm-up marks prompts where nothing else marks them and they can be marked
   */
  constructor(
    plan: TablePlan,
    type: EndpointType,
    tokenizer: Tokenizer | undefined,
    path: string,
    { whole, chatTemplate, marksWarmup = false, salting }: {
      readonly whole?: string | undefined;
      readonly chatTemplate?: InputTemplate | undefined;
      readonly marksWarmup?: boolean;
      readonly salting?: Salting | undefined;
    } = {},
  ) {
    this.#salts = salting?.salts;
    // Each salt has something before it and after it.
    this.#builder = salting === undefined
      ? new PayloadTableBuilder()
      : new PayloadTableBuilder(undefined, 2 * salting.perBody + 1);
    this.#plan = plan;
    this.#type = type;
    this.#shared = new SharedBodies(type);
    this.#counter = tokenizer && new InputCounter(type, tokenizer, chatTemplate);
    this.#markers = turnMarkers(plan, type, tokenizer, marksWarmup);
    this.#path = path;
    this.#whole = whole;
    this.#settings = plan.models.map((model): BodySettings => ({ ...plan.body, model }));
  }

  /** Conversations that were added since the beginning. */
  get count(): number {
    return this.#count;
  }

  /** Entries of the table that is being filled. */
  get entries(): number {
    return this.#builder.entries;
  }

  /** Bytes of the table that is being filled. */
  get bytes(): number {
    return this.#builder.bytes;
  }

  /** Counts from the beginning again: the conversations that come are the first ones once more. */
  restart(): void {
    this.#count = 0;
  }

  /**
   * Returns the table of the conversations added since the last call.
   * @param keepsColumns whether the table keeps columns of conversations even if they contain no
   * information
   * @param warmupTurns number of turns at the end that belong to warm-up
   */
  take(keepsColumns: boolean, warmupTurns = 0): PayloadTable {
    const table = this.#builder.finish(warmupTurns, {
      cacheBust: this.#markers?.marking,
      replyOverheadTokens: this.#counter?.replyOverhead,
      salts: this.#salts,
    }, keepsColumns);
    // The next page is mostly as large and leaves no smaller rooms behind, unless a stream is slow now.
    const { arena } = table.data;
    const isNextAlike = keepsColumns && 2 * arena.length >= arena.buffer.byteLength;
    this.#builder = new PayloadTableBuilder(isNextAlike ? arena.buffer.byteLength : undefined);
    this.#values.clear();
    return table;
  }

  /** @throws {DatasetError} if the endpoint type cannot send it, or it is too much for one table */
  add({ id, turns }: Conversation): void {
    const name = id ?? `session_${String(this.#count).padStart(6, "0")}`;
    this.#count++;
    this.#builder.beginConversation(name);
    this.#counter?.beginConversation();
    this.#shared.beginConversation();
    this.#markers?.beginConversation();
    turns.forEach((turn, place) => this.#addTurn(turn, place, name));
  }

  #addTurn(turn: ConversationTurn, place: number, name: string): void {
    const type = this.#type;
    const builder = this.#builder;
    const { turnDelays } = this.#plan;
    const refuse = (message: string): never => {
      throw new DatasetError(
        this.#path,
        undefined,
        `Conversation ${name}, turn ${place}: ${message}`,
      );
    };
    this.#checkReady(turn, refuse);
    const body = turnBody(turn, type, this.#settings, refuse);
    const { bytes, fields } = body;
    const { call, shared } = turn;
    const follows = place > 0 && turn.followsHistory;
    const messages = this.#messagesIn(turn, body, follows, refuse);
    const end = shared &&
      this.#shared.endOf(turn, body, messages, this.#markers?.placeIn(shared.turn) ?? -1);
    if (shared !== undefined && end === undefined) {
      const { shared: _, ...alone } = turn;
      this.#addTurn({ ...alone, request: shared.whole() }, place, name);
      return;
    }
    if (builder.bytes > MAX_TABLE_BYTES) this.#refuseMore(refuse);
    const [first = [], ...others] = call === undefined
      ? this.#segmentsOf(bytes, turn)
      : bytes.map((bytes) => this.#callSegments(bytes, fields, messages, end));
    const input = fields === undefined ? NOT_COUNTED : this.#inputOf(turn, fields, follows, refuse);
    const saltTokens = follows || fields === undefined ? 0 : this.#markers?.tokens ?? 0;
    builder.addTurn(first, {
      inputTokens: input.tokens + saltTokens,
      inputParts: input.parts?.with(BODY_PARTS.indexOf("salt"), saltTokens),
      outputTokens: (fields && outputLimitOf(type, fields)) ?? NO_COUNT,
      images: fields === undefined ? 0 : type.countImages(fields),
      choices: fields && type.askedChoices?.(fields),
    }, {
      delayNs: place === 0 ? 0 : turnDelayNs(turn.delayMs, turnDelays),
      timestampNs: turn.timestampMs === undefined || turnDelays?.ignored
        ? NaN
        : Math.round(turn.timestampMs * 1e6),
      messages: end?.messages ?? messages,
      followsHistory: follows,
      gapClass: turn.gapClass,
      call: call && { ...call, recordedReply: this.#addReply(turn) },
    }, others);
    if (turn.expected !== undefined) builder.setText("expected", JSON.stringify(turn.expected));
    const constraint = fields && type.producesTokens ? constraintText(fields) : undefined;
    if (constraint !== undefined) builder.setText("constraints", constraint);
    if (end !== undefined) builder.setShared(end);
    if (call !== undefined) this.#shared.add(body, builder.entries - 1, messages, end, turn);
    const marker = this.#markers?.add(body, place, turn, end, refuse);
    if (marker !== undefined) builder.setMarker(marker);
  }

  /** Puts bodies into the table: models whose body is the same share its segments. */
  #segmentsOf(bytes: readonly Uint8Array[], { salts = [] }: ConversationTurn): Segment[][] {
    const builder = this.#builder;
    const segments = new Map([...new Set(bytes)].map((body) => [
      body,
      saltedParts(body, salts).map((part) =>
        typeof part === "string" ? builder.addSalt(part) : builder.addSegment(part)
      ),
    ]));
    return bytes.map((body) => segments.get(body) as Segment[]);
  }

  /** Puts the body of a call into the table, without what it shares with other bodies. */
  #callSegments(
    bytes: Uint8Array,
    fields: BodyFields | undefined,
    messages: ReturnType<typeof messagesSpan>,
    end: OwnEnd | undefined,
  ): Segment[] {
    const builder = this.#builder;
    const parts = (from: number, to?: number): Uint8Array => {
      const part = bytes.subarray(from, to);
      return from > 0 && end?.hasComma === true ? joinBytes([COMMA, part]) : part;
    };
    const from = end?.cutBytes ?? 0;
    const { conversation } = this.#type;
    const long = fields === undefined || messages === undefined || conversation === undefined
      ? undefined
      : longValue(conversation, fields, bytes.length);
    if (long === undefined) return [builder.addSegment(parts(from))];
    let value = this.#values.get(long.text);
    if (value === undefined) {
      value = builder.addSegment(bytes.subarray(long.start, long.end));
      this.#values.set(long.text, value);
    }
    return [
      builder.addSegment(parts(from, long.start)),
      value,
      builder.addSegment(bytes.subarray(long.end)),
    ];
  }

  /** Tokens of a request; of one that shares its beginning with another, those of the whole. */
  #inputOf(
    turn: ConversationTurn,
    fields: BodyFields,
    follows: boolean,
    refuse: Refuse,
  ): InputCount {
    const counter = this.#counter;
    if (counter === undefined) return NOT_COUNTED;
    const { request, shared } = turn;
    const isKnown = request.kind === "content" && request.system === undefined && counter.isPlain &&
      fields["tools"] === undefined;
    const known = isKnown ? request.inputTokens : undefined;
    if (known !== undefined) return { tokens: known, parts: undefined };
    const whole = shared?.whole() ?? request;
    const isOpen = whole.kind === "content" || whole.kind === "messages";
    const [settings] = this.#settings;
    if (shared === undefined || !isOpen || settings === undefined) {
      return counter.count(fields, follows);
    }
    return counter.count(openFields(whole, this.#type, settings, refuse), false);
  }

  /** Adds the recorded reply that a live one may take the place of. */
  #addReply({ recordedReply: messages }: ConversationTurn): RecordedReply | undefined {
    if (messages === undefined) return undefined;
    const { conversation } = this.#type;
    const text = messages.map((message) => JSON.stringify(message)).join(",");
    const fields = { [conversation?.messagesField ?? "messages"]: messages };
    const tokens = this.#counter?.count(fields, true).tokens ?? NO_COUNT;
    return { ...this.#builder.addSegment(encoder.encode(text)), tokens };
  }

  /** Ready bodies name their model themselves: there is one of each. */
  #checkReady({ request: { kind } }: ConversationTurn, refuse: Refuse): void {
    const isReady = kind === "body" || kind === "bytes";
    if (this.#allReady === undefined && isReady) this.#settings = this.#settings.slice(0, 1);
    this.#allReady ??= isReady;
    if (this.#allReady && !isReady && this.#plan.models.length > 1) {
      refuse("Where several models take turns, it must be a whole body, as the first one is");
    }
  }

  /** Where its own messages lie in the body of a turn, which those before may come in front of. */
  #messagesIn(
    turn: ConversationTurn,
    { fields, isOpen }: TurnBody,
    follows: boolean,
    refuse: Refuse,
  ): ReturnType<typeof messagesSpan> {
    const { conversation, name } = this.#type;
    if (follows && conversation === undefined) {
      refuse(`Endpoint type ${name} takes one prompt at a time`);
    }
    if (follows && conversation?.systemField !== undefined && hasSystem(turn)) {
      refuse(`Endpoint type ${name} accepts a system message only at the beginning`);
    }
    const messages = isOpen && fields !== undefined
      ? conversation && messagesSpan(conversation, fields)
      : undefined;
    if (follows && messages === undefined) refuse("Its body has no messages to add to");
    return messages;
  }

  #refuseMore(refuse: Refuse): never {
    const whole = this.#whole === undefined
      ? ""
      : `, and the file cannot be streamed: ${this.#whole}`;
    return refuse(
      `The bodies up to here take more than ${MAX_TABLE_BYTES / 2 ** 30} GiB, the ` +
        `maximum held in memory${whole}: send fewer with --request-count, or shorter ones`,
    );
  }
}

function hasSystem({ request }: ConversationTurn): boolean {
  return request.kind === "messages"
    ? request.messages.some(({ role }) => role === "system")
    : request.kind === "content" && request.system !== undefined;
}
