import type { Message } from "../../client/endpoint/protocol/conversation_format.ts";
import type { AgentsPlan } from "../../config/plan/agents_plan.ts";
import { backgroundAgents } from "../../core/session_graph/background_agents.ts";
import { plannedCalls } from "../../core/session_graph/planned_calls.ts";
import { type GapClass, ruledGapMs } from "../../core/session_graph/session_graph.ts";
import type { Conversation, ConversationTurn } from "../dataset/conversations/conversation.ts";
import type { BlockText } from "../dataset/corpus/block_text.ts";
import { recordedToolCalls } from "../dataset/conversations/recorded_tool_calls.ts";
import type { CallFacts } from "../dataset/payloads/graph_columns.ts";
import { BlockPrompts } from "./block_prompts.ts";
import type { AgentCall, AgentSession, CallPrompt, PromptPart } from "./model/agent_session.ts";
import { sharedLength } from "./model/shared_length.ts";
import { sharedBeginnings } from "./shared_beginnings.ts";
import { textKey } from "./model/text_key.ts";

/** Milliseconds of a reply where starts are not recorded. */
const REPLY_MS = 1000;

/** Settings with which sessions become requests. */
export interface ReplaySettings {
  readonly agents: AgentsPlan;
  /** Whether replies are those of the server, and not recorded ones. */
  readonly isLive: boolean;
  /** Whether tool calls of replies are compared with recorded ones. @default false */
  readonly checksAnswers?: boolean | undefined;
  /** Whether ids of blocks mean the same in all sessions. */
  readonly hasGlobalBlocks: boolean;
  /** Tokens of a block. */
  blockSize(): number;
  blockText(): Promise<BlockText>;
}

/** Messages of a call that come after those of another call. */
interface Continuation {
  /** Number of that call; undefined for a whole request. */
  readonly base: number | undefined;
  /** Whether the live reply to that call comes between them. */
  readonly putsReply: boolean;
  /** Whether its body is known only once replies have come. */
  readonly isLive: boolean;
  /** Parts of that call that come before the own ones. */
  readonly kept: number;
  readonly own: readonly PromptPart[];
  /** Recorded reply that a live one takes the place of; absent if its text is unknown. */
  readonly recordedReply?: readonly Message[];
}

/** Turns recorded sessions into requests that wait for each other. */
export class SessionConversations {
  readonly #settings: ReplaySettings;
  #text: BlockText | undefined;

  constructor(settings: ReplaySettings) {
    this.#settings = settings;
  }

  /** Returns the requests of a session, in the order of its calls. */
  async of(session: AgentSession): Promise<Conversation> {
    const { calls, id } = session;
    const { agents, hasGlobalBlocks } = this.#settings;
    const continuations: Continuation[] = [];
    for (const call of calls) continuations.push(this.#continuation(call, calls, continuations));
    if (calls.some(({ prompt }, place) => needsText(prompt, continuations[place]?.own ?? []))) {
      this.#text ??= await this.#settings.blockText();
    }
    const blocks = this.#text &&
      new BlockPrompts(this.#text, this.#settings.blockSize(), hasGlobalBlocks ? "" : `${id}\n`);
    const planned = calls.some(({ recorded }) => recorded === undefined)
      ? plannedCalls(calls, { replyMs: () => REPLY_MS, gapRule: { kind: "recorded" } })
      : undefined;
    const continued = new Set(
      continuations.flatMap(({ base, isLive }) => isLive && base !== undefined ? [base] : []),
    );
    const background = backgroundAgents(calls);
    const continues = continuations.map(({ base, kept }) => {
      const before = base === undefined ? undefined : calls[base]?.prompt;
      return before?.kind === "texts" && kept === before.parts.length ? base : undefined;
    });
    const beginnings = sharedBeginnings(calls, continues, this.#settings.blockSize());
    const turns = calls.map((call, place): ConversationTurn => {
      const continuation = continuations[place] as Continuation;
      const facts: CallFacts = {
        ...this.#ruled(call, agents),
        id: call.id,
        agent: call.agent,
        agentKind: call.agentKind,
        depth: call.depth,
        isBackground: background.has(call.agent),
        sharedShare: beginnings[place]?.share ?? NaN,
        isReset: beginnings[place]?.isReset === true,
        continues: continues[place],
        base: continuation.isLive ? continuation.base : undefined,
        putsReply: continuation.putsReply,
        isContinued: continued.has(place),
        recordedMs: call.recorded?.startMs ?? planned?.[place]?.startMs ?? 0,
      };
      const { gapClass } = call;
      const expected = this.#settings.checksAnswers ? expectedCalls(call) : undefined;
      return {
        ...(call.prompt.kind === "blocks" && blocks !== undefined
          ? this.#blockRequest(call, place, session, blocks)
          : this.#textRequest(call, continuation)),
        delayMs: 0,
        timestampMs: undefined,
        ...(gapClass === undefined ? {} : { gapClass }),
        call: facts,
        ...(expected === undefined ? {} : { expected }),
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

  /** Finds the call that a call continues, and the messages that it adds. */
  #continuation(
    call: AgentCall,
    calls: readonly AgentCall[],
    earlier: readonly Continuation[],
  ): Continuation {
    const { prompt } = call;
    const whole = { base: undefined, putsReply: false, isLive: false, kept: 0 };
    if (prompt.kind !== "texts") return { ...whole, own: [] };
    const base = baseOf(call);
    const before = base === undefined ? undefined : calls[base];
    if (base === undefined || before?.prompt.kind !== "texts") {
      return { ...whole, own: prompt.parts };
    }
    const { parts } = before.prompt;
    const kept = sharedLength(parts, prompt.parts);
    const rest = prompt.parts.slice(kept);
    const isLive = earlier[base]?.isLive !== false;
    if (kept < parts.length || kept === 0) {
      return isLive || kept === 0 || rest.length === 0
        ? { ...whole, own: prompt.parts }
        : { ...whole, base, kept, own: rest };
    }
    const replies = rest.findIndex((part) => part.replyOf !== before.id);
    const count = replies < 0 ? rest.length : replies;
    const isUnknown = rest.slice(0, count).some(({ kind }) => kind === "tokens");
    const putsReply = count > 0 && (this.#settings.isLive || isUnknown);
    const own = putsReply ? rest.slice(count) : rest;
    if (own.length === 0) return { ...whole, own: prompt.parts };
    const reply = rest.slice(0, count).flatMap((part) =>
      part.kind === "message" ? [part.message] : []
    );
    return {
      ...{ base, putsReply, isLive: isLive || putsReply, kept, own },
      ...(putsReply && reply.length === count ? { recordedReply: reply } : {}),
    };
  }

  #textRequest(
    call: AgentCall,
    { base, isLive, kept, own, recordedReply }: Continuation,
  ): Pick<ConversationTurn, "request" | "followsHistory" | "shared" | "recordedReply"> {
    const { prompt, isVirtual } = call;
    const outputTokens = this.#limitOf(call);
    const extra = this.#extra(call);
    const requestOf = (parts: readonly PromptPart[]): ConversationTurn["request"] => ({
      kind: "messages",
      messages: parts.map((part) => this.#message(part)),
      outputTokens,
      extra,
    });
    if (isVirtual || prompt.kind !== "texts") {
      const messages = [{ "role": "user", "content": "" }];
      return {
        request: { kind: "messages", messages, outputTokens, extra },
        followsHistory: false,
      };
    }
    return {
      request: requestOf(own),
      followsHistory: isLive,
      ...(recordedReply === undefined ? {} : { recordedReply }),
      ...(isLive || base === undefined
        ? {}
        : { shared: { turn: base, kept, whole: () => requestOf(prompt.parts) } }),
    };
  }

  #blockRequest(
    call: AgentCall,
    place: number,
    { id, calls }: AgentSession,
    prompts: BlockPrompts,
  ): Pick<ConversationTurn, "request" | "followsHistory" | "shared"> {
    const { prompt } = call;
    const outputTokens = this.#limitOf(call);
    const { blocks, inputTokens } = prompt as Extract<CallPrompt, { kind: "blocks" }>;
    const given = baseOf(call);
    const base = given !== undefined && given < place && calls[given]?.prompt.kind === "blocks"
      ? given
      : undefined;
    const wanted = { call: place, name: `${id}\n${call.id}`, blocks, inputTokens, base };
    const { text, keptCharacters } = prompts.add(wanted);
    const extra = this.#extra(call);
    const requestOf = (text: string): ConversationTurn["request"] => ({
      kind: "content",
      content: { texts: [text], images: [], outputTokens, extra },
      inputTokens,
    });
    return {
      request: requestOf(text),
      followsHistory: false,
      ...(base === undefined || keptCharacters === 0 ? {} : {
        shared: {
          turn: base,
          kept: keptCharacters,
          whole: () => requestOf(prompts.whole(wanted)),
        },
      }),
    };
  }

  /** Longest reply of a call in tokens. */
  #limitOf({ outputTokens }: AgentCall): number {
    return this.#settings.agents.scenario?.freeLengthTokens ?? Math.max(1, outputTokens);
  }

  /** Fields of the body of a call besides its messages. */
  #extra({ prompt, outputTokens, isVirtual, extra }: AgentCall): Record<string, unknown> {
    const { isLive, agents: { scenario } } = this.#settings;
    const isFree = isLive || isVirtual || scenario?.freeLengthTokens !== undefined;
    return {
      ...(prompt.kind === "texts" && prompt.tools !== undefined ? { "tools": prompt.tools } : {}),
      // So that engines are compared token for token.
      ...(isFree ? {} : { "min_tokens": outputTokens, "ignore_eos": true }),
      ...extra,
    };
  }

  #message(part: PromptPart): Message {
    if (part.kind === "message") return part.message;
    const text = this.#text as BlockText;
    const content = text.prompt([text.text(textKey(part.key), part.to - part.from, "unknown")]);
    return { "role": part.replyOf === undefined ? "user" : "assistant", "content": content };
  }
}

/** Tool calls in the recorded reply of a call; undefined for none. */
function expectedCalls({ reply, isVirtual }: AgentCall): ConversationTurn["expected"] {
  if (isVirtual) return undefined;
  return recordedToolCalls(
    reply.flatMap((part) => part.kind === "message" ? [part.message] : []),
  );
}

/** The earlier call whose prompt a call most likely continues; undefined for none. */
function baseOf({ predecessor, edges }: AgentCall): number | undefined {
  return predecessor ?? edges.find(({ kind }) => kind === "fork")?.from ?? edges[0]?.from;
}

function needsText(prompt: AgentCall["prompt"], own: readonly PromptPart[]): boolean {
  return prompt.kind === "blocks" || own.some(({ kind }) => kind === "tokens");
}
