import * as z from "npm:zod@4.6.7";
import type { InputRecord } from "../../dataset/formats/input_record.ts";
import { type AgentSession, blockPrompt } from "../model/agent_session.ts";
import {
  CallDraft,
  finishedSession,
  lastBy,
  orderOf,
  setRecordedGaps,
} from "../model/call_draft.ts";
import { checkedRecord } from "../model/checked_record.ts";
import { readDocuments } from "../model/read_documents.ts";
import type { SessionFormat } from "../model/session_format.ts";
import { EQUAL_MS, type WekaCall, wekaChains } from "./weka_chains.ts";

const wekaRequest = z.looseObject({
  t: z.number(),
  type: z.string(),
  model: z.string().optional(),
  in: z.int().nonnegative(),
  out: z.int().nonnegative(),
  hash_ids: z.array(z.union([z.number(), z.string()])).optional(),
  input_types: z.array(z.string()).optional(),
  stop: z.string().optional(),
  api_time: z.number().optional(),
  think_time: z.number().nonnegative().optional(),
});

const wekaSubagent = z.looseObject({
  t: z.number(),
  type: z.literal("subagent"),
  agent_id: z.union([z.string(), z.number()]),
  subagent_type: z.string().optional(),
  duration_ms: z.number().optional(),
  requests: z.array(wekaRequest),
});

const wekaRow = z.looseObject({
  id: z.union([z.string(), z.number()]),
  block_size: z.int().positive(),
  requests: z.array(z.union([wekaSubagent, wekaRequest])),
});

type WekaRequest = z.infer<typeof wekaRequest>;
type WekaSubagent = z.infer<typeof wekaSubagent>;

/** Calls of one agent. */
interface Stream {
  readonly agent: string;
  readonly calls: readonly WekaCall[];
}

/** Traces of the KV cache tester: ids of blocks, times, subagents. */
export const wekaTrace: SessionFormat = {
  name: "weka-trace",
  description: "Weka's traces of agents: requests with hash_ids, times and subagents",
  hasGlobalBlocks: false,
  isTogether: true,

  recognise({ names }) {
    return names.has("hash_id_scope") && names.has("requests")
      ? '"hash_id_scope" and "requests"'
      : undefined;
  },

  read(source, { usesThinkTime = false }) {
    let blockSize: number | undefined;
    return {
      async *sessions() {
        for await (const record of readDocuments(source)) {
          const trace = checkedRecord(record, wekaRow);
          blockSize ??= trace.block_size;
          if (trace.block_size !== blockSize) {
            throw record.error(`Must be ${blockSize}, as in the trace before`, ["block_size"]);
          }
          const session = wekaSession(record, trace, usesThinkTime);
          if (session.calls.length > 0) yield session;
        }
      },
      blockSize: () => blockSize ?? 64,
    };
  },
};

function wekaSession(
  record: InputRecord,
  trace: z.infer<typeof wekaRow>,
  usesThinkTime: boolean,
): AgentSession {
  const { block_size: blockSize, requests } = trace;
  const top: WekaCall[] = [];
  const subagents: (readonly [order: number, subagent: WekaSubagent])[] = [];
  requests.forEach((request, order) => {
    if (request.type === "subagent") subagents.push([order, request as WekaSubagent]);
    else top.push(wekaCall(request as WekaRequest, `r${order}`, order, blockSize));
  });
  if (top.length === 0) throw record.error("Has no requests besides subagents", ["requests"]);
  const [main = [], ...workers] = wekaChains(top);
  const links = new WekaLinks(main);
  const scopes: Stream[][] = [[{ agent: "main", calls: main }]];
  workers.forEach((calls, number) => {
    const agent = `flat:${number}`;
    scopes[0]?.push({ agent, calls });
    const { order } = calls[0] as WekaCall;
    const endMs = Math.max(...calls.map(({ draft }) => draft.endMs));
    links.add(agent, calls, links.parentOf(order), links.joinOf(order, endMs));
  });
  for (const [order, subagent] of subagents) {
    if (subagent.requests.length > 0) {
      scopes.push(subagentStreams(order, subagent, blockSize, links));
    }
  }
  for (const scope of scopes) scope.forEach(({ calls }) => setSequence(calls));
  links.connect();
  for (const scope of scopes) addOrderEdges(scope, main[0]);
  const drafts = scopes.flat().flatMap(({ calls }) => calls.map(({ draft }) => draft))
    .sort((a, b) => orderOf([a.startMs, ...placeOf(a.id)], [b.startMs, ...placeOf(b.id)]));
  setRecordedGaps(drafts);
  if (usesThinkTime) scopes.flat().forEach(({ calls }) => calls.forEach(setThinkTime));
  return finishedSession(record.place.path, String(trace.id), drafts);
}

function wekaCall(
  request: WekaRequest,
  id: string,
  order: number,
  blockSize: number,
  shiftSeconds = 0,
): WekaCall {
  const { t, model, in: inputTokens, out, hash_ids: hashes = [], api_time: api = 0 } = request;
  const draft = new CallDraft(id);
  draft.model = model;
  draft.startMs = (t + shiftSeconds) * 1000;
  draft.endMs = draft.startMs + Math.max(0, api) * 1000;
  draft.outputTokens = Math.max(1, out);
  draft.prompt = blockPrompt(inputTokens, hashes, blockSize);
  const { input_types: types = [], stop = "", think_time: thinkSeconds } = request;
  return { draft, order, hashes, rawOut: out, types, stop, thinkSeconds };
}

function subagentStreams(
  order: number,
  { t, agent_id: id, duration_ms: durationMs, requests, subagent_type: kind }: WekaSubagent,
  blockSize: number,
  links: WekaLinks,
): Stream[] {
  // Times of one subagent are all relative to its marker, or none is.
  const least = Math.min(...requests.map((request) => request.t));
  const shift = least + EQUAL_MS / 1000 < t ? t : 0;
  const inner = requests.map((request, place) =>
    wekaCall(request, `r${order}.${place}`, place, blockSize, shift)
  );
  for (const { draft } of inner) draft.agentKind = kind;
  const endMs = durationMs === undefined
    ? Math.max(...inner.map(({ draft }) => draft.endMs))
    : t * 1000 + Math.max(0, durationMs);
  const parent = links.parentOf(order);
  const join = links.joinOf(order, endMs);
  return wekaChains(inner).map((calls, number) => {
    const agent = `sa:${id}${number === 0 ? "" : `/flat:${number - 1}`}`;
    links.add(agent, calls, parent, join);
    return { agent, calls };
  });
}

/** Where agents are spawned and joined by the main agent. */
class WekaLinks {
  readonly #main: readonly WekaCall[];
  readonly #mainInFile: readonly WekaCall[];
  readonly #added: {
    readonly calls: readonly WekaCall[];
    readonly parent: WekaCall;
    readonly join: WekaCall | undefined;
  }[] = [];

  constructor(main: readonly WekaCall[]) {
    this.#main = main;
    this.#mainInFile = [...main].sort((a, b) => a.order - b.order);
  }

  /** The last call of the main agent before a place in the file. */
  parentOf(order: number): WekaCall {
    return this.#mainInFile.findLast((call) => call.order < order) ?? this.#main[0] as WekaCall;
  }

  /** The first call of the main agent after a place in the file that starts at a time or later. */
  joinOf(order: number, endMs: number): WekaCall | undefined {
    return this.#mainInFile.find((call) =>
      call.order > order && call.draft.startMs + EQUAL_MS >= endMs
    );
  }

  add(
    agent: string,
    calls: readonly WekaCall[],
    parent: WekaCall,
    join: WekaCall | undefined,
  ): void {
    for (const { draft } of calls) {
      draft.agent = agent;
      draft.depth = 1;
    }
    this.#added.push({ calls, parent, join });
  }

  /** Adds the edges of spawns, then those of joins. */
  connect(): void {
    for (const { calls: [first], parent: { draft: parent } } of this.#added) {
      if (first === undefined) continue;
      const on = first.draft.startMs + EQUAL_MS >= parent.endMs ? "end" : "start";
      first.draft.after(parent, "spawn", 0, on);
      first.draft.gapClass = "agent";
    }
    for (const { calls, join } of this.#added) {
      const last = calls.at(-1);
      if (last !== undefined) join?.draft.after(last.draft, "join");
    }
  }
}

/** Replaces the gap after earlier calls by the time that the client took, where the file has it. */
function setThinkTime({ draft, thinkSeconds }: WekaCall): void {
  if (thinkSeconds === undefined) return;
  for (const edge of draft.edges) {
    if (edge.on === "end") edge.gapMs = thinkSeconds * 1000;
  }
}

function setSequence(calls: readonly WekaCall[]): void {
  calls.forEach((call, place) => {
    const before = calls[place - 1];
    if (before === undefined) return;
    const { types } = call;
    call.draft.after(before.draft, "sequence");
    const isTool = types.includes("tool_result") ||
      (types.length === 0 && before.stop === "tool_use");
    call.draft.gapClass = isTool ? "tool" : "user";
  });
}

/**
 * Adds the recorded order of agents without a spawn or join between them: a call waits for the latest
 * call of each other agent of its scope that had ended, unless another of these implies it.
 */
function addOrderEdges(scope: readonly Stream[], first: WekaCall | undefined): void {
  for (const { calls } of scope) {
    for (const call of calls) {
      const { draft } = call;
      if (draft.edges.length === 0 && call !== first) continue;
      const hadEnded = (other: WekaCall, target: WekaCall): boolean =>
        other.draft.startMs < target.draft.startMs && other.draft.endMs <= target.draft.startMs;
      const found = scope.flatMap((other) => {
        if (other.calls === calls) return [];
        const latest = lastBy(
          other.calls.filter((one) => hadEnded(one, call)),
          (one) => [one.draft.endMs, one.draft.startMs, one.order],
        );
        return latest === undefined ? [] : [latest];
      });
      for (const one of found) {
        const isImplied = found.some((other) => other !== one && hadEnded(one, other));
        if (!isImplied) draft.after(one.draft, "order");
      }
    }
  }
}

/** Place of a call in the file: "r3.1" is the second one of the fourth entry. */
function placeOf(id: string): number[] {
  return id.slice(1).split(".").map(Number);
}
