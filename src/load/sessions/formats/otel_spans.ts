import { DatasetError } from "../../../core/files/dataset_error.ts";
import { type AgentSession, type PromptPart, unknownReply } from "../model/agent_session.ts";
import {
  CallDraft,
  finishedSession,
  frontierOf,
  lastBy,
  latestEndMs,
  orderOf,
  setRecordedGaps,
  unionMs,
} from "../model/call_draft.ts";
import { SharedParts } from "../model/shared_parts.ts";
import { fieldsOf, readDocuments } from "../model/read_documents.ts";
import { FieldChoice } from "../model/field_choice.ts";
import type { SessionFormat } from "../model/session_format.ts";
import type { SessionSource } from "../model/session_source.ts";
import { otelInstructions, otelMessages, otelTools } from "./otel_messages.ts";
import { type OtelSpan, spansOf, traceNames } from "./otel_values.ts";

const CALLS = new Set(["chat", "generate", "generate_content", "text_completion"]);
const AGENTS = new Set(["invoke_agent", "invoke_workflow"]);
const TOOL = "execute_tool";
const CONVERSATION = "gen_ai.conversation.id";

const spanFields = {
  "spanId": true,
  "span_id": true,
  "traceId": true,
  "trace_id": true,
  "attributes": new FieldChoice(
    { "key": true, "value": true, [CONVERSATION]: true },
    { field: "key", text: CONVERSATION },
  ),
} as const;
const spans = new FieldChoice(spanFields);
const scopes = new FieldChoice({ "spans": spans });
/** Fields that name the traces of a document: the spans of OTLP or of a session, or the document is one. */
const documentFields = new FieldChoice({
  ...spanFields,
  "spans": spans,
  "resourceSpans": new FieldChoice({
    "scopeSpans": scopes,
    "instrumentationLibrarySpans": scopes,
  }),
});

/** OpenTelemetry's spans of generative AI. */
export const otelSpans: SessionFormat = {
  name: "otel-spans",
  description: "OpenTelemetry spans of generative AI, as OTLP JSON or one a line",
  hasGlobalBlocks: true,
  isTogether: false,

  recognise({ names }) {
    return ["resourceSpans", "spans", "span_id", "spanId"].map((name) =>
      names.has(name) ? `"${name}"` : undefined
    ).find((name) => name !== undefined);
  },

  grouping: () => ({
    fields: documentFields,
    factsOf: (fields) => ({ sessions: traceNames(fields, CONVERSATION) }),
  }),

  read(source, settings) {
    return { sessions: () => sessionsOf(source), blockSize: () => settings.blockSize };
  },
};

async function* sessionsOf(source: SessionSource): AsyncGenerator<AgentSession> {
  const all: OtelSpan[] = [];
  for await (const record of readDocuments(source)) {
    for (const span of spansOf(record, fieldsOf(record))) all.push(span);
  }
  const calls = all.filter(isCall);
  if (calls.length === 0 && source.isPart !== true) {
    throw new DatasetError(
      source.path,
      undefined,
      "Has no span of a call that succeeded: gen_ai.operation.name must be chat, " +
        "generate_content or text_completion",
    );
  }
  const firstMs = calls.reduce((least, { startMs }) => Math.min(least, startMs), Infinity);
  for (const [id, spans] of conversationsOf(Map.groupBy(all, ({ trace }) => trace))) {
    if (spans.some(isCall)) yield new OtelTree(spans, firstMs).session(source.path, id);
  }
}

/** Spans by conversation: traces of one conversation id belong together. */
function conversationsOf(
  traces: ReadonlyMap<string, readonly OtelSpan[]>,
): Map<string, OtelSpan[]> {
  const conversations = new Map<string, OtelSpan[]>();
  for (const [trace, spans] of traces) {
    const sorted = [...spans].sort((a, b) => a.startMs - b.startMs);
    const named = sorted.map(({ attributes }) => attributes[CONVERSATION])
      .find((id) => typeof id === "string" && id !== "");
    const id = typeof named === "string" ? named : trace;
    const known = conversations.get(id);
    if (known === undefined) conversations.set(id, [...spans]);
    else known.push(...spans);
  }
  return conversations;
}

function operationOf({ attributes, name }: OtelSpan): string {
  const operation = attributes["gen_ai.operation.name"];
  return typeof operation === "string" ? operation : name.split(" ")[0] as string;
}

function isCall(span: OtelSpan): boolean {
  return !span.hasFailed && CALLS.has(operationOf(span));
}

/** Calls of one agent. */
interface Stream {
  /** Span of the agent; undefined for calls outside of any. */
  readonly span: OtelSpan | undefined;
  readonly calls: CallDraft[];
}

/** Name of the agent of calls that are within no agent's span. */
const MAIN = "main";

class OtelTree {
  readonly #spans: readonly OtelSpan[];
  readonly #byId: ReadonlyMap<string, OtelSpan>;
  readonly #firstMs: number;
  readonly #streams = new Map<string, Stream>();
  readonly #roles = new Map<CallDraft, string>();

  constructor(spans: readonly OtelSpan[], firstMs: number) {
    this.#spans = spans;
    this.#byId = new Map(spans.map((span) => [span.id, span]));
    this.#firstMs = firstMs;
  }

  session(path: string, id: string): AgentSession {
    const calls = this.#spans.filter(isCall)
      .sort((a, b) => orderOf([a.startMs, a.id], [b.startMs, b.id]))
      .map((span) => this.#add(span));
    for (const { calls } of this.#streams.values()) this.#setSequence(calls);
    for (const stream of this.#streams.values()) this.#setSpawnAndJoin(stream);
    setRecordedGaps(calls);
    this.#setToolTimes(calls);
    return finishedSession(path, id, calls, { firstMs: this.#firstMs });
  }

  /** The agent's span around a span; undefined for none. */
  #agentOf(span: OtelSpan): OtelSpan | undefined {
    const seen = new Set<string>();
    let at = this.#byId.get(span.parent ?? "");
    while (at !== undefined && !AGENTS.has(operationOf(at)) && !seen.has(at.id)) {
      seen.add(at.id);
      at = this.#byId.get(at.parent ?? "");
    }
    return at !== undefined && AGENTS.has(operationOf(at)) ? at : undefined;
  }

  #add(span: OtelSpan): CallDraft {
    const agent = this.#agentOf(span);
    const name = agent?.id ?? MAIN;
    const { attributes } = span;
    const call = new CallDraft(span.id);
    call.agent = name;
    call.agentKind = kindOf(agent);
    call.depth = this.#depthOf(agent);
    const model = attributes["gen_ai.request.model"];
    call.model = typeof model === "string" ? model : undefined;
    call.startMs = span.startMs;
    call.endMs = span.endMs;
    call.recordedInputTokens = countOf(attributes, "input_tokens", "prompt_tokens");
    call.outputTokens = Math.max(1, countOf(attributes, "output_tokens", "completion_tokens") ?? 1);
    const stream = this.#streams.get(name);
    const before = stream?.calls.at(-1);
    this.#setTexts(call, attributes, before);
    if (stream === undefined) this.#streams.set(name, { span: agent, calls: [call] });
    else stream.calls.push(call);
    return call;
  }

  #depthOf(agent: OtelSpan | undefined): number {
    let depth = 0;
    for (let at = agent && this.#agentOf(agent); at !== undefined; at = this.#agentOf(at)) depth++;
    return depth;
  }

  #setTexts(
    call: CallDraft,
    attributes: OtelSpan["attributes"],
    before: CallDraft | undefined,
  ): void {
    const messages = [
      ...otelInstructions(attributes["gen_ai.system_instructions"]),
      ...otelMessages(attributes["gen_ai.input.messages"]),
    ];
    if (messages.length === 0) {
      const tokens = Math.max(1, Math.trunc(call.recordedInputTokens ?? 1));
      const part: PromptPart = { kind: "tokens", key: `input ${call.id}`, from: 0, to: tokens };
      call.prompt = { kind: "texts", tools: undefined, parts: [part], isJoined: true };
      call.reply = [unknownReply(call.id, call.outputTokens)];
      return;
    }
    this.#roles.set(call, String(messages.at(-1)?.["role"]));
    const replies = otelMessages(attributes["gen_ai.output.messages"]);
    call.reply = replies.length === 0
      ? [unknownReply(call.id, call.outputTokens)]
      : replies.map((message): PromptPart => ({ kind: "message", message, replyOf: call.id }));
    const parts = new SharedParts(before).of(messages);
    const tools = otelTools(attributes["gen_ai.tool.definitions"]);
    call.prompt = { kind: "texts", tools, parts, isJoined: true };
  }

  /** Within an agent a call waits for the calls that had ended and that no later of these follows. */
  #setSequence(calls: readonly CallDraft[]): void {
    calls.forEach((call, place) => {
      for (const one of frontierOf(call, calls.slice(0, place))) call.after(one, "sequence");
      if (call.edges.length > 0) call.gapClass = this.#roles.get(call) === "tool" ? "tool" : "user";
    });
  }

  /** Agents around an agent that have calls of their own: the nearest one. */
  #parentOf(agent: OtelSpan): readonly CallDraft[] {
    let at = this.#agentOf(agent);
    while (at !== undefined && !this.#streams.has(at.id)) at = this.#agentOf(at);
    return this.#streams.get(at?.id ?? MAIN)?.calls ?? [];
  }

  #setSpawnAndJoin({ span, calls }: Stream): void {
    if (span === undefined) return;
    const parent = this.#parentOf(span);
    for (const call of calls) {
      if (call.edges.length > 0) continue;
      const begun = parent.filter(({ startMs }) => startMs < call.startMs);
      const latest = lastBy(begun, ({ startMs }) => [startMs]);
      if (latest !== undefined && latest.endMs > call.startMs) {
        call.after(latest, "spawn", 0, "start");
      } else for (const one of frontierOf(call, parent)) call.after(one, "spawn");
      if (call.edges.length > 0) call.gapClass = "agent";
    }
    const endMs = span.endMs;
    const join = parent.find(({ startMs }) => startMs >= endMs);
    if (join === undefined) return;
    const followed = new Set(
      calls.flatMap(({ edges }) => edges.filter(({ on }) => on === "end").map(({ call }) => call)),
    );
    for (const call of calls) if (!followed.has(call)) join.after(call, "join");
  }

  #setToolTimes(calls: readonly CallDraft[]): void {
    const tools = this.#spans.filter((span) => operationOf(span) === TOOL);
    for (const call of calls) {
      const fromMs = latestEndMs(call);
      if (fromMs === -Infinity) continue;
      const own = tools.filter((span) => (this.#agentOf(span)?.id ?? MAIN) === call.agent);
      const spans = own.map((span) => [span.startMs, span.endMs] as const);
      call.toolMs = unionMs(spans, fromMs, call.startMs);
    }
  }
}

/** Name by which a program calls its agent; undefined for calls outside of any. */
function kindOf(agent: OtelSpan | undefined): string | undefined {
  const given = agent?.attributes["gen_ai.agent.name"];
  if (typeof given === "string" && given !== "") return given;
  const name = agent?.name.replace(/^(invoke_agent|invoke_workflow)\s*/, "");
  return name === "" ? undefined : name;
}

function countOf(attributes: OtelSpan["attributes"], ...names: string[]): number | undefined {
  for (const name of names) {
    const value = Number(attributes[`gen_ai.usage.${name}`] ?? NaN);
    if (Number.isFinite(value)) return Math.trunc(value);
  }
  return undefined;
}
