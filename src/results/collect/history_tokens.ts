import { BODY_PARTS } from "../../client/endpoint/protocol/body_pieces.ts";
import { FIELD } from "../../client/record/request_fields.ts";
import type { PayloadSource } from "../../load/dataset/payloads/payload_table.ts";

/** Parts of an entry's body: see {@linkcode BODY_PARTS}. */
type Parts = Int32Array | undefined;

/** Tokens that a session has sent so far. */
interface History {
  tokens: number;
  /** Tokens by part, without definitions of tools, which each request repeats. */
  readonly parts: Float64Array;
  hasParts: boolean;
}

/** Tokens that calls after a call carry: those up to it, and its live reply. */
interface CallHistory {
  readonly upToCall: History;
  readonly withReply: History;
}

const TOOLS = BODY_PARTS.indexOf("tools");
const CALLS = BODY_PARTS.indexOf("tool_calls");
const ASSISTANT = BODY_PARTS.indexOf("assistant");

/** A reply that is fed back. */
export interface FedReply {
  /** Tokens without reasoning; NaN for none. */
  readonly tokens: number;
  /** Whether it consists only of tool calls. */
  readonly isCall: boolean;
}

/**
 * Tokens that the requests of sessions carry besides their own: those of the turns before and of the
 * replies that were fed back, each counted once, when it came. The records of a session arrive in the
 * order of its turns, since one thread runs it.
 */
export class HistoryTokens {
  readonly #payloads: Pick<PayloadSource, "locate">;
  readonly #replyOverhead: number;
  /** Histories of the sessions that continue. */
  readonly #sessions = new Map<number, History>();
  /** Histories of recorded sessions after each call that others continue. */
  readonly #calls = new Map<string, CallHistory>();
  #phase = NaN;

  /** @param replyOverhead tokens that a chat template puts around each reply */
  constructor(payloads: Pick<PayloadSource, "locate">, replyOverhead = 0) {
    this.#payloads = payloads;
    this.#replyOverhead = replyOverhead;
  }

  /**
   * Input tokens of a whole request.
   * @param request the row of its record
   * @param own tokens of what its turn added; NaN if they are not known
   */
  inputTokensOf(request: Float64Array, own: number): number {
    if (!this.#follows(request)) return own;
    const before = this.#before(request)?.tokens ?? NaN;
    return own + before + toolsOf(partsOf(this.#payloads, request));
  }

  /** Tokens by part of a whole request; undefined if they are not counted so. */
  partsOf(request: Float64Array): ArrayLike<number> | undefined {
    const own = partsOf(this.#payloads, request);
    if (!this.#follows(request)) return own;
    const before = this.#before(request);
    if (own === undefined || before?.hasParts !== true) return undefined;
    return before.parts.map((tokens, part) => tokens + (own[part] as number));
  }

  /**
   * Adds a turn: the next one carries it.
   * @param own tokens of what it added; negative if they are not known
   */
  add(request: Float64Array, own: number, reply: FedReply): void {
    const [phase, session, turn, turns] = [FIELD.phase, FIELD.session, FIELD.turn, FIELD.turns]
      .map((field) => request[field] as number) as [number, number, number, number];
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.#sessions.clear();
      this.#calls.clear();
    }
    const graph = this.#graphOf(request);
    if (graph !== undefined) {
      const { base, isContinued } = graph;
      if (!isContinued || (request[FIELD.errorKind] as number) >= 0) return;
      const before = base < 0 ? undefined : this.#before(request);
      const history = (): History => ({
        tokens: base < 0 ? 0 : before?.tokens ?? NaN,
        parts: before?.parts.slice() ?? new Float64Array(BODY_PARTS.length),
        hasParts: before?.hasParts ?? base < 0,
      });
      const [upToCall, withReply] = [history(), history()];
      this.#extend(upToCall, request, own, undefined);
      this.#extend(withReply, request, own, reply);
      this.#calls.set(`${session} ${turn}`, { upToCall, withReply });
      return;
    }
    if (turn + 1 >= turns || (request[FIELD.errorKind] as number) >= 0) {
      this.#sessions.delete(session);
      return;
    }
    this.#extend(this.#historyOf(session, turn), request, own, reply);
  }

  /** @param reply undefined to add the turn without a reply */
  #extend(
    history: History,
    request: Float64Array,
    own: number,
    reply: FedReply | undefined,
  ): void {
    // A body without messages leaves nothing in the history.
    if ((this.#of(request, "messagesStart") ?? -1) < 0) return;
    const parts = partsOf(this.#payloads, request);
    const tools = this.#follows(request) ? 0 : toolsOf(parts);
    history.tokens += own < 0 ? NaN : own - tools;
    history.hasParts &&= parts !== undefined;
    parts?.forEach((tokens, part) => {
      if (part !== TOOLS) history.parts[part] = (history.parts[part] as number) + tokens;
    });
    if (reply === undefined) return;
    history.tokens += (reply.tokens || 0) + this.#replyOverhead;
    const part = reply.isCall ? CALLS : ASSISTANT;
    history.parts[part] = (history.parts[part] as number) + (reply.tokens || 0);
  }

  /** The history that a request carries. */
  #before(request: Float64Array): History | undefined {
    const session = request[FIELD.session] as number;
    const graph = this.#graphOf(request);
    if (graph === undefined) return this.#sessions.get(session);
    const sent = this.#calls.get(`${session} ${graph.base}`);
    if (sent !== undefined && !graph.putsReply) return sent.upToCall;
    if (sent !== undefined && request[FIELD.diverged] !== 1) return sent.withReply;
    const turn = request[FIELD.turn] as number;
    const entry = request[FIELD.entry] as number;
    const upToCall = sent?.upToCall.tokens ?? this.#recorded(entry - turn, graph.base);
    return this.#withRecordedReply(upToCall, entry);
  }

  /** Tokens up to a call that was not sent, with recorded replies; NaN if they are not counted. */
  #recorded(first: number, call: number): number {
    const { table, entry } = this.#payloads.locate(first + call);
    const base = table.data.conversations?.graph?.base[entry] ?? -1;
    const own = table.data.inputTokens[entry] as number;
    if (own < 0) return NaN;
    // Each request repeats the definitions of tools.
    if (base < 0) {
      return own - (table.data.inputParts?.[entry * BODY_PARTS.length + TOOLS] ?? 0);
    }
    return this.#withRecordedReply(this.#recorded(first, base), first + call).tokens + own;
  }

  /** @param number of the entry that continues a call after its recorded reply */
  #withRecordedReply(upToCall: number, number: number): History {
    const { table, entry } = this.#payloads.locate(number);
    const tokens = table.data.conversations?.graph?.replyTokens[entry] ?? -1;
    return {
      tokens: tokens < 0 ? NaN : upToCall + tokens + this.#replyOverhead,
      parts: new Float64Array(BODY_PARTS.length),
      hasParts: false,
    };
  }

  /** The call that a request continues, and whether others continue it; undefined for lists. */
  #graphOf(
    request: Float64Array,
  ):
    | { readonly base: number; readonly putsReply: boolean; readonly isContinued: boolean }
    | undefined {
    const { table, entry } = this.#payloads.locate(request[FIELD.entry] as number);
    const { graph } = table.data.conversations ?? {};
    if (graph === undefined) return undefined;
    return {
      base: graph.base[entry] as number,
      putsReply: graph.putsReply[entry] === 1,
      isContinued: graph.isContinued[entry] === 1,
    };
  }

  /** The history of a session; its first turn starts an empty one. */
  #historyOf(session: number, turn: number): History {
    const known = turn === 0 ? undefined : this.#sessions.get(session);
    if (known !== undefined) return known;
    const parts = new Float64Array(BODY_PARTS.length);
    const history = { tokens: turn === 0 ? 0 : NaN, parts, hasParts: turn === 0 };
    this.#sessions.set(session, history);
    return history;
  }

  #follows(request: Float64Array): boolean {
    return (request[FIELD.turn] as number) > 0 && this.#of(request, "followsHistory") === 1;
  }

  #of(
    request: Float64Array,
    column: "followsHistory" | "messagesStart",
  ): number | undefined {
    const { table, entry } = this.#payloads.locate(request[FIELD.entry] as number);
    return table.data.conversations?.[column][entry];
  }
}

/** Tokens of the own body of a request by part; undefined if it is not counted so. */
export function partsOf(payloads: Pick<PayloadSource, "locate">, request: Float64Array): Parts {
  const { table, entry } = payloads.locate(request[FIELD.entry] as number);
  const count = BODY_PARTS.length;
  const parts = table.data.inputParts?.subarray(entry * count, (entry + 1) * count);
  return parts?.some((tokens) => tokens > 0) ? parts : undefined;
}

function toolsOf(parts: Parts): number {
  return parts?.[TOOLS] ?? 0;
}
