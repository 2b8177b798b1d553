import * as z from "npm:zod@4.6.7";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import { escapedControls } from "../../../core/files/escaped_controls.ts";
import { inputLines } from "../../dataset/formats/input_lines.ts";
import type { InputRecord } from "../../dataset/formats/input_record.ts";
import { type AgentSession, type PromptPart, unknownReply } from "../model/agent_session.ts";
import { CallDraft, finishedSession } from "../model/call_draft.ts";
import { FieldChoice } from "../model/field_choice.ts";
import type { SessionFormat, SessionSettings } from "../model/session_format.ts";

const dagTurn = z.looseObject({
  messages: z.array(z.record(z.string(), z.unknown())).optional(),
  model: z.string().optional(),
  max_tokens: z.int().positive().optional(),
  tools: z.array(z.unknown()).optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
  delay: z.number().nonnegative().optional(),
  forks: z.array(z.union([
    z.string(),
    z.looseObject({ child: z.string(), background: z.boolean().optional() }),
  ])).optional(),
  spawns: z.array(z.union([
    z.string(),
    z.looseObject({ children: z.array(z.string()), join_at: z.int().nonnegative().optional() }),
  ])).optional(),
});

const dagRow = z.looseObject({
  session_id: z.string(),
  turns: z.array(dagTurn).optional(),
  context_mode: z.string().optional(),
  pre_session_spawns: z.array(z.string()).optional(),
  orchestrator: z.boolean().optional(),
  rounds: z.union([
    z.int().positive(),
    z.array(z.looseObject({
      spawns: z.array(z.string()),
      think_time_ms: z.number().nonnegative().optional(),
    })),
  ]).optional(),
  spawns: z.array(z.string()).optional(),
  think_time_ms: z.number().nonnegative().optional(),
});

/** Output tokens of a turn that states none. */
const OUTPUT_TOKENS = 64;

/** Children that a turn starts. */
interface Start {
  readonly children: readonly string[];
  /** Turn of the parent that waits for them; undefined for none. */
  readonly joinAt: number | undefined;
  /** Whether they continue the context of their parent. */
  readonly isFork: boolean;
}

interface DagTurn {
  /** undefined for a turn that sends nothing. */
  readonly messages: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly model: string | undefined;
  readonly maxTokens: number | undefined;
  readonly tools: readonly unknown[] | undefined;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly delayMs: number;
  readonly starts: readonly Start[];
}

interface DagConversation {
  readonly record: InputRecord;
  readonly id: string;
  readonly turns: readonly DagTurn[];
  /** Conversations that begin with this one. */
  readonly ahead: readonly string[];
  /** Whether each turn has the whole history. */
  readonly isWhole: boolean;
}

const startedFields = new FieldChoice({ "spawns": true, "forks": true });
/** Fields that name a conversation and those it starts. */
const startingFields = new FieldChoice({
  "session_id": true,
  "pre_session_spawns": true,
  "spawns": true,
  "rounds": startedFields,
  "turns": startedFields,
});

/** AIPerf's graphs of conversations: forks that continue a context, and spawned ones. */
export const dagJsonl: SessionFormat = {
  name: "dag-jsonl",
  description: "AIPerf's graphs of conversations with forks and spawns",
  hasGlobalBlocks: true,
  isTogether: true,

  recognise({ names, values }) {
    if (values["orchestrator"] === true) return '"orchestrator"';
    const { turns } = values;
    const isDag = names.has("session_id") && Array.isArray(turns) &&
      turns.some((turn) => ["messages", "forks", "spawns"].some((name) => name in Object(turn)));
    return isDag ? 'turns with "messages", "forks" or "spawns"' : undefined;
  },

  grouping: () => ({
    fields: startingFields,
    factsOf: (fields) => ({ sessions: [[String(fields["session_id"]), ...startedBy(fields)]] }),
  }),

  read(source, settings) {
    return {
      async *sessions() {
        const conversations = new Map<string, DagConversation>();
        for await (const records of inputLines(source)) {
          for (const record of records) {
            const conversation = conversationOf(record);
            if (conversations.has(conversation.id)) {
              throw record.error("Is there twice", ["session_id"]);
            }
            conversations.set(conversation.id, conversation);
          }
        }
        const named = namedIn(conversations);
        const roots = [...conversations.keys()].filter((id) => !named.has(id));
        const play = (id: string) => new DagPlay(source.path, conversations, settings).session(id);
        // Those without a root above them start each other in a circle, which is reported.
        for (const id of unreached(conversations, roots)) play(id);
        for (const id of roots) yield play(id);
      },
      blockSize: () => settings.blockSize,
    };
  },
};

/** Names of the conversations that a row starts, wherever it names them. */
function startedBy(fields: Readonly<Record<string, unknown>>): string[] {
  const { pre_session_spawns: ahead, spawns, rounds, turns } = fields;
  const listOf = (value: unknown): unknown[] => Array.isArray(value) ? value : [];
  const namesIn = (value: unknown): string[] =>
    listOf(value).flatMap((one) => {
      if (typeof one === "string") return [one];
      const { child, children } = Object(one) as { child?: unknown; children?: unknown };
      return [...namesIn(children), ...typeof child === "string" ? [child] : []];
    });
  const parts = [...listOf(rounds), ...listOf(turns)].map((part) =>
    Object(part) as { spawns?: unknown; forks?: unknown }
  );
  return [
    ...namesIn(ahead),
    ...namesIn(spawns),
    ...parts.flatMap((part) => [...namesIn(part.spawns), ...namesIn(part.forks)]),
  ];
}

function conversationOf(record: InputRecord): DagConversation {
  const row = record.parsed(dagRow);
  const base = {
    record,
    id: row.session_id,
    ahead: row.pre_session_spawns ?? [],
    isWhole: row.context_mode === "message_array_with_responses",
  };
  if (row.orchestrator === true) return { ...base, turns: roundsOf(record, row) };
  const { turns = [] } = row;
  if (turns.length === 0) throw record.error("Has no turns");
  return {
    ...base,
    turns: turns.map((turn, place): DagTurn => {
      if (turn.messages === undefined) throw record.error("Has no messages", ["turns", place]);
      const starts = [
        ...(turn.forks ?? []).map((fork): Start => ({
          children: [typeof fork === "string" ? fork : fork.child],
          joinAt: undefined,
          isFork: true,
        })),
        ...(turn.spawns ?? []).map((spawn): Start => ({
          children: typeof spawn === "string" ? [spawn] : spawn.children,
          joinAt: (typeof spawn === "string" ? undefined : spawn.join_at) ?? place + 1,
          isFork: false,
        })),
      ];
      starts.forEach(({ joinAt = Infinity }) => {
        if (joinAt <= place) {
          throw record.error("join_at must be a later turn", ["turns", place, "spawns"]);
        }
      });
      return {
        messages: turn.messages,
        model: turn.model,
        maxTokens: turn.max_tokens,
        tools: turn.tools,
        extra: turn.extra ?? {},
        delayMs: turn.delay ?? 0,
        starts,
      };
    }),
  };
}

/** The turns of a conversation that sends nothing and only starts others, in rounds. */
function roundsOf(record: InputRecord, row: z.infer<typeof dagRow>): DagTurn[] {
  const { rounds, spawns, think_time_ms: thinkMs = 0 } = row;
  const silent = {
    messages: undefined,
    model: undefined,
    maxTokens: undefined,
    tools: undefined,
    extra: {},
    delayMs: 0,
    starts: [],
  };
  const startOf = (children: readonly string[], joinAt: number | undefined): Start => ({
    children,
    joinAt,
    isFork: false,
  });
  const shared = (): readonly string[] => {
    if (spawns !== undefined) return spawns;
    throw record.error("Has no spawns");
  };
  if (rounds === undefined) return [{ ...silent, starts: [startOf(shared(), undefined)] }];
  const plans = typeof rounds === "number"
    ? Array.from({ length: rounds }, () => ({ children: shared(), delayMs: thinkMs }))
    : rounds.map((round) => ({
      children: round.spawns,
      delayMs: round.think_time_ms ?? thinkMs,
    }));
  return [
    ...plans.map(({ children, delayMs }, place) => ({
      ...silent,
      delayMs,
      starts: [startOf(children, place + 1)],
    })),
    silent,
  ];
}

/** Names of the conversations that a conversation starts. */
function childrenOf({ ahead, turns }: DagConversation): string[] {
  return [...ahead, ...turns.flatMap(({ starts }) => starts.flatMap((start) => start.children))];
}

/** Conversations that no root starts, directly or through others. */
function unreached(
  conversations: ReadonlyMap<string, DagConversation>,
  roots: readonly string[],
): string[] {
  const reached = new Set(roots);
  // A set also yields what is added meanwhile.
  for (const id of reached) {
    for (const child of childrenOf(conversations.get(id) as DagConversation)) reached.add(child);
  }
  return [...conversations.keys()].filter((id) => !reached.has(id));
}

/** Conversations that others start: they are no sessions of their own. */
function namedIn(conversations: ReadonlyMap<string, DagConversation>): Set<string> {
  const named = new Set<string>();
  for (const conversation of conversations.values()) {
    for (const child of childrenOf(conversation)) {
      if (!conversations.has(child)) {
        throw conversation.record.error(
          `Starts ${escapedControls(child)}, which is no session of the file`,
        );
      }
      named.add(child);
    }
  }
  return named;
}

/** Context that a conversation begins with. */
interface Inherited {
  readonly starter: CallDraft | undefined;
  readonly history: readonly PromptPart[];
  readonly tools: readonly unknown[] | undefined;
}

/** One session: a root and all that it starts, each conversation as often as it is started. */
class DagPlay {
  readonly #path: string;
  readonly #conversations: ReadonlyMap<string, DagConversation>;
  readonly #settings: SessionSettings;
  readonly #calls: CallDraft[] = [];
  readonly #names = new Map<string, number>();

  constructor(
    path: string,
    conversations: ReadonlyMap<string, DagConversation>,
    settings: SessionSettings,
  ) {
    this.#path = path;
    this.#conversations = conversations;
    this.#settings = settings;
  }

  session(id: string): AgentSession {
    this.#play(id, id, [], { starter: undefined, history: [], tools: undefined });
    return finishedSession(this.#path, id, this.#calls);
  }

  /** @returns the last call of the conversation */
  #play(
    id: string,
    instance: string,
    above: readonly string[],
    { starter, history: given, tools: givenTools }: Inherited,
  ): CallDraft {
    const { turns, ahead, isWhole } = this.#conversations.get(id) as DagConversation;
    if (above.includes(id)) {
      const circle = [...above.slice(above.indexOf(id)), id].map(escapedControls).join(", ");
      throw new DatasetError(
        this.#path,
        undefined,
        `Sessions start each other in a circle: ${circle}`,
      );
    }
    const calls: CallDraft[] = [];
    const joins = new Map<number, CallDraft[]>();
    let [history, tools] = [given, givenTools];
    turns.forEach((turn, place) => {
      const call = new CallDraft(`${instance}#${place}`);
      call.agent = instance;
      call.agentKind = above.length === 0 ? "main" : kindOf(id);
      call.depth = above.length;
      call.model = turn.model;
      this.#calls.push(call);
      this.#addEdges(call, turn, calls[place - 1], { starter, isFork: given.length > 0 });
      for (const last of joins.get(place) ?? []) call.after(last, "join", turn.delayMs);
      calls.push(call);
      if (turn.messages === undefined) {
        call.isVirtual = true;
        call.outputTokens = 0;
      } else {
        tools = turn.tools ?? tools;
        const own = turn.messages.map((message): PromptPart => ({ kind: "message", message }));
        const parts = isWhole ? own : [...history, ...own];
        call.prompt = { kind: "texts", tools, parts, isJoined: true };
        call.extra = turn.extra;
        call.outputTokens = turn.maxTokens ?? this.#settings.outputTokens ?? OUTPUT_TOKENS;
        if (!isWhole) history = [...parts, unknownReply(call.id, call.outputTokens)];
      }
      const below = [...above, id];
      if (place === 0) {
        for (const child of ahead) {
          this.#play(child, this.#instance(instance, child), below, {
            starter: undefined,
            history: [],
            tools: undefined,
          });
        }
      }
      for (const { children, joinAt, isFork } of turn.starts) {
        for (const child of children) {
          const last = this.#play(child, this.#instance(instance, child), below, {
            starter: call,
            history: isFork ? history : [],
            tools: isFork ? tools : undefined,
          });
          if (joinAt === undefined || joinAt >= turns.length) continue;
          joins.set(joinAt, [...(joins.get(joinAt) ?? []), last]);
        }
      }
    });
    return calls.at(-1) as CallDraft;
  }

  #addEdges(
    call: CallDraft,
    { delayMs, messages = [] }: DagTurn,
    before: CallDraft | undefined,
    { starter, isFork }: { readonly starter: CallDraft | undefined; readonly isFork: boolean },
  ): void {
    if (before !== undefined) {
      call.after(before, "sequence", delayMs);
      call.gapClass = messages.some(({ role }) => role === "tool") ? "tool" : "user";
    } else if (starter !== undefined) {
      call.after(starter, isFork ? "fork" : "spawn", delayMs);
      call.gapClass = "agent";
    } else call.offsetMs = delayMs;
  }

  /** Name of a started conversation: with a number, if its parent starts it more than once. */
  #instance(parent: string, child: string): string {
    const name = `${parent}>${child}`;
    const count = (this.#names.get(name) ?? 0) + 1;
    this.#names.set(name, count);
    return count === 1 ? name : `${name}:${count}`;
  }
}

/** Kind of an agent by its name, which is unique in the file: `search-3` is a `search`. */
function kindOf(id: string): string {
  return id.replace(/[-_.:#]\d+$/, "") || id;
}
