import type { Message } from "../../client/endpoint/protocol/conversation_format.ts";
import type { AgentsPlan } from "../../config/plan/agents_plan.ts";
import { plannedCalls } from "../../core/session_graph/planned_calls.ts";
import { type GapClass, ruledGapMs } from "../../core/session_graph/session_graph.ts";
import type { Conversation, ConversationTurn } from "../dataset/conversations/conversation.ts";
import type { BlockText } from "../dataset/corpus/block_text.ts";
import type { CallFacts } from "../dataset/payloads/graph_columns.ts";
import type { AgentCall, AgentSession, BlockId, PromptPart } from "./model/agent_session.ts";

/** Milliseconds of a reply where starts are not recorded. */
const REPLY_MS = 1000;

/** Settings with which sessions become requests. */
export interface ReplaySettings {
  readonly agents: AgentsPlan;
  /** Whether replies are those of the server, and not recorded ones. */
  readonly isLive: boolean;
  /** Whether ids of blocks mean the same in all sessions. */
  readonly hasGlobalBlocks: boolean;
  /** Tokens of a block. */
  blockSize(): number;
  blockText(): Promise<BlockText>;
}

/** A call whose own messages come after those of another call. */
interface Continuation {
  readonly base: number | undefined;
  readonly putsReply: boolean;
  readonly own: readonly PromptPart[];
}

/** Turns recorded sessions into requests that wait for each other. */
export class SessionConversations {
  readonly #settings: ReplaySettings;
  /** Numbers of blocks and unknown texts, by their names. */
  readonly #numbers = new Map<string, number>();
  #text: BlockText | undefined;
  #rests = 0;

  constructor(settings: ReplaySettings) {
    this.#settings = settings;
  }

  /** Returns the requests of a session, in the order of its calls. */
  async of(session: AgentSession): Promise<Conversation> {
    const { calls, id } = session;
    const { agents } = this.#settings;
    const continuations = calls.map((call) => this.#continuation(call, calls));
    if (calls.some(({ prompt }, place) => needsText(prompt, continuations[place]?.own ?? []))) {
      this.#text ??= await this.#settings.blockText();
    }
    const planned = calls.some(({ recorded }) => recorded === undefined)
      ? plannedCalls(calls, { replyMs: () => REPLY_MS, gapRule: { kind: "recorded" } })
      : undefined;
    const continued = new Set(
      continuations.flatMap(({ base, putsReply }) => putsReply && base !== undefined ? [base] : []),
    );
    const turns = calls.map((call, place): ConversationTurn => {
      const continuation = continuations[place] as Continuation;
      const facts: CallFacts = {
        ...this.#ruled(call, agents),
        id: call.id,
        agent: call.agent,
        depth: call.depth,
        base: continuation.base,
        putsReply: continuation.putsReply,
        isContinued: continued.has(place),
        recordedMs: call.recorded?.startMs ?? planned?.[place]?.startMs ?? 0,
      };
      const { gapClass } = call;
      return {
        ...this.#request(call, session, continuation),
        ...(gapClass === undefined ? {} : { gapClass }),
        call: facts,
      };
    });
    return { id, turns };
  }

  /** The call with its gaps as the run has them. */
  #ruled(call: AgentCall, { toolTime, userTime, keepsOrder }: AgentsPlan) {
    const ruled = (gapMs: number, gapClass: GapClass | undefined): number =>
      ruledGapMs(gapMs, gapClass === "user" ? userTime : toolTime);
    const { gapClass, notBeforeMs, isVirtual, outputTokens } = call;
    return {
      edges: call.edges.filter(({ kind }) => keepsOrder || kind !== "order")
        .map((edge) => ({ ...edge, gapMs: ruled(edge.gapMs, gapClass) })),
      offsetMs: ruled(call.offsetMs, gapClass),
      notBeforeMs: toolTime.kind === "recorded" ? notBeforeMs : undefined,
      gapClass,
      isVirtual,
      outputTokens,
    };
  }

  /** Messages that a call adds to the messages of the call that it continues. */
  #continuation(call: AgentCall, calls: readonly AgentCall[]): Continuation {
    const { prompt } = call;
    if (prompt.kind !== "texts") return { base: undefined, putsReply: false, own: [] };
    const whole = { base: undefined, putsReply: false, own: prompt.parts };
    const base = call.predecessor ?? call.edges.find(({ kind }) => kind === "fork")?.from;
    const before = base === undefined ? undefined : calls[base];
    if (base === undefined || before?.prompt.kind !== "texts") return whole;
    const { parts } = before.prompt;
    const continues = parts.length > 0 && parts.length <= prompt.parts.length &&
      parts.every((part, place) => part === prompt.parts[place]);
    if (!continues) return whole;
    const rest = prompt.parts.slice(parts.length);
    const replies = rest.findIndex((part) => part.replyOf !== before.id);
    const count = replies < 0 ? rest.length : replies;
    const isUnknown = rest.slice(0, count).some(({ kind }) => kind === "tokens");
    const putsReply = count > 0 && (this.#settings.isLive || isUnknown);
    const own = putsReply ? rest.slice(count) : rest;
    return own.length === 0 ? whole : { base, putsReply, own };
  }

  #request(
    call: AgentCall,
    session: AgentSession,
    { base, putsReply, own }: Continuation,
  ): Omit<ConversationTurn, "call"> {
    const { prompt, outputTokens, isVirtual } = call;
    const { isLive } = this.#settings;
    const extra = {
      ...(prompt.kind === "texts" && prompt.tools !== undefined ? { "tools": prompt.tools } : {}),
      // So that engines are compared token for token.
      ...(isLive || isVirtual ? {} : { "min_tokens": outputTokens, "ignore_eos": true }),
      ...call.extra,
    };
    const times = { delayMs: 0, timestampMs: undefined };
    if (prompt.kind === "blocks") {
      const { inputTokens } = prompt;
      const text = this.#blockPrompt(prompt.blocks, inputTokens, session.id);
      const content = { texts: [text], images: [], outputTokens, extra };
      return {
        request: { kind: "content", content, inputTokens },
        ...times,
        followsHistory: false,
      };
    }
    const messages = isVirtual
      ? [{ "role": "user", "content": "" }]
      : own.map((part) => this.#message(part));
    const isWhole = base !== undefined && !putsReply && prompt.kind === "texts" &&
      prompt.parts.every(({ kind }) => kind === "message");
    return {
      request: { kind: "messages", messages, outputTokens, extra },
      ...times,
      followsHistory: base !== undefined,
      ...(isWhole ? { wholeMessages: prompt.parts.map((part) => this.#message(part)) } : {}),
    };
  }

  #message(part: PromptPart): Message {
    if (part.kind === "message") return part.message;
    const text = this.#text as BlockText;
    const content = text.prompt([
      text.text(this.#numberOf(part.key), part.to - part.from, "unknown"),
    ]);
    return { "role": part.replyOf === undefined ? "user" : "assistant", "content": content };
  }

  /** Text of blocks, and of the tokens behind them: equal ids are equal texts. */
  #blockPrompt(blocks: readonly BlockId[], inputTokens: number, session: string): string {
    const text = this.#text as BlockText;
    const size = this.#settings.blockSize();
    const { hasGlobalBlocks } = this.#settings;
    const pieces = blocks.map((block) =>
      text.text(this.#numberOf(hasGlobalBlocks ? `${block}` : `${session}\n${block}`), size)
    );
    const rest = inputTokens - blocks.length * size;
    if (rest > 0) pieces.push(text.text(this.#rests++, rest, "rest"));
    return text.prompt(pieces);
  }

  #numberOf(name: string): number {
    const number = this.#numbers.get(name) ?? this.#numbers.size;
    this.#numbers.set(name, number);
    return number;
  }
}

function needsText(prompt: AgentCall["prompt"], own: readonly PromptPart[]): boolean {
  return prompt.kind === "blocks" || own.some(({ kind }) => kind === "tokens");
}
