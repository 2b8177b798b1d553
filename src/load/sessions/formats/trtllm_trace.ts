import * as z from "npm:zod@4.6.7";
import type { InputRecord } from "../../dataset/formats/input_record.ts";
import { type AgentSession, type PromptPart, unknownReply } from "../model/agent_session.ts";
import { CallDraft, finishedSession } from "../model/call_draft.ts";
import { checkedRecord } from "../model/checked_record.ts";
import { readDocuments } from "../model/read_documents.ts";
import type { SessionFormat } from "../model/session_format.ts";

const count = z.int().nonnegative();

const event = z.looseObject({
  event_type: z.string(),
  branch_path: z.array(z.int()).optional(),
  conversation_id: z.union([z.string(), z.number()]).optional(),
  role: z.string().optional(),
  message_index: count.optional(),
  tokens: count.optional(),
  prompt_tokens: count.optional(),
  completion_tokens: count.optional(),
  reasoning_tokens: count.optional(),
  system_prompt_id: z.union([z.string(), z.number()]).optional(),
  duration_ms: z.number().nonnegative().optional(),
  num_branches: z.int().positive().optional(),
});

const document = z.looseObject({
  trace_id: z.union([z.string(), z.number()]),
  events: z.array(event),
});

type TrtEvent = z.infer<typeof event>;

/** TensorRT-LLM's traces: messages by their lengths, tool calls and parallel branches. */
export const trtllmTrace: SessionFormat = {
  name: "trtllm-trace",
  description: "TensorRT-LLM's traces: messages by their lengths, with parallel branches",
  hasGlobalBlocks: true,
  isTogether: true,

  recognise({ names }) {
    return names.has("trace_id") && names.has("events") ? '"trace_id" and "events"' : undefined;
  },

  read(source, { blockSize }) {
    return {
      async *sessions() {
        for await (const record of readDocuments(source)) {
          yield new TrtTrace(record).session();
        }
      },
      blockSize: () => blockSize,
    };
  },
};

/** A call that a branch continues after, and the tool time of the branch before it was left. */
type Tail = readonly [call: CallDraft, extraMs: number];

/** A branch of a trace. */
interface Branch {
  readonly path: readonly number[];
  /** Messages by conversation. */
  readonly parts: Map<string, PromptPart[]>;
  tails: Tail[];
  /** Tool time since the last call. */
  toolMs: number;
}

class TrtTrace {
  readonly #record: InputRecord;
  readonly #branches = new Map<string, Branch>();
  readonly #open: { readonly branch: Branch; readonly children: readonly Branch[] }[] = [];
  readonly #calls: CallDraft[] = [];
  #messages = 0;

  constructor(record: InputRecord) {
    this.#record = record;
    this.#branch([]);
  }

  session(): AgentSession {
    const { trace_id: id, events } = checkedRecord(this.#record, document);
    events.forEach((one, place) => this.#add(one, place));
    return finishedSession(this.#record.place.path, String(id), this.#calls);
  }

  #branch(path: readonly number[]): Branch {
    const key = path.join(".");
    const known = this.#branches.get(key);
    if (known !== undefined) return known;
    const made = { path, parts: new Map<string, PromptPart[]>(), tails: [], toolMs: 0 };
    this.#branches.set(key, made);
    return made;
  }

  #add(one: TrtEvent, place: number): void {
    const branch = this.#branch(one.branch_path ?? []);
    switch (one.event_type) {
      case "tool_call":
        branch.toolMs += one.duration_ms ?? 0;
        break;
      case "parallel_start":
        this.#split(branch, one.num_branches ?? 1);
        break;
      case "parallel_end":
        this.#unite(place);
        break;
      case "message":
        this.#message(branch, one, place);
        break;
    }
  }

  #split(branch: Branch, count: number): void {
    const children = Array.from({ length: count }, (_, index): Branch => ({
      path: [...branch.path, index],
      parts: new Map(),
      tails: branch.tails.map(([call, extraMs]) => [call, extraMs + branch.toolMs] as const),
      toolMs: 0,
    }));
    for (const child of children) this.#branches.set(child.path.join("."), child);
    this.#open.push({ branch, children });
  }

  #unite(place: number): void {
    const open = this.#open.pop();
    if (open === undefined) throw this.#record.error("Ends no parallel_start", ["events", place]);
    const { branch, children } = open;
    const ends = children.flatMap(({ tails, toolMs }) =>
      tails.map(([call, extraMs]) => [call, extraMs + toolMs] as const)
    );
    const known = new Set(ends.map(([call]) => call));
    const own = branch.tails.map(([call, extraMs]) => [call, extraMs + branch.toolMs] as const);
    branch.tails = [...ends, ...own.filter(([call]) => !known.has(call))];
    branch.toolMs = 0;
  }

  #message(branch: Branch, one: TrtEvent, place: number): void {
    const { conversation_id: conversation = "", role, tokens = 0 } = one;
    const parts = branch.parts.get(String(conversation)) ?? [];
    branch.parts.set(String(conversation), parts);
    const store = (part: PromptPart): void => {
      const index = one.message_index ?? parts.length;
      if (index < parts.length) parts[index] = part;
      else parts.push(part);
    };
    const known = (key: string): PromptPart => ({ kind: "tokens", key, from: 0, to: tokens });
    switch (role) {
      case "system":
        store(known(`system ${one.system_prompt_id ?? `conv:${conversation}`}`));
        break;
      case "user":
      case "tool":
        store(known(`message ${++this.#messages}`));
        break;
      case "assistant":
        store(this.#call(branch, one, parts, place));
        break;
    }
  }

  /** @returns the reply as later prompts have it: without its reasoning */
  #call(
    branch: Branch,
    { completion_tokens: outputs, prompt_tokens: inputs, reasoning_tokens: reasoning = 0 }:
      TrtEvent,
    parts: readonly PromptPart[],
    place: number,
  ): PromptPart {
    if (outputs === undefined) {
      throw this.#record.error("Has no completion_tokens", ["events", place]);
    }
    const { path, tails, toolMs } = branch;
    const call = new CallDraft(`c${this.#calls.length}`);
    call.agent = path.length === 0 ? "main" : `branch:${path.join(".")}`;
    call.depth = path.length;
    call.prompt = { kind: "texts", tools: undefined, parts: [...parts], isJoined: false };
    call.recordedInputTokens = inputs;
    call.outputTokens = Math.max(1, outputs);
    for (const [before, extraMs] of tails) {
      const kind = before.agent === call.agent
        ? "sequence"
        : before.depth < call.depth
        ? "spawn"
        : "join";
      call.after(before, kind, extraMs + toolMs);
    }
    if (tails.length > 0) call.toolMs = toolMs;
    else call.offsetMs = toolMs;
    call.gapClass = toolMs > 0 ? "tool" : "agent";
    branch.tails = [[call, 0]];
    branch.toolMs = 0;
    this.#calls.push(call);
    const reply = unknownReply(call.id, call.outputTokens, Math.min(reasoning, call.outputTokens));
    call.reply = [reply];
    return reply;
  }
}
