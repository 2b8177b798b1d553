import * as z from "npm:zod@4.6.7";
import { inputLines } from "../../dataset/formats/input_lines.ts";
import type { InputRecord } from "../../dataset/formats/input_record.ts";
import { type AgentSession, blockPrompt } from "../model/agent_session.ts";
import {
  CallDraft,
  finishedSession,
  lastBy,
  latestEndMs,
  orderOf,
  setRecordedGaps,
  unionMs,
} from "../model/call_draft.ts";
import { checkedRecord } from "../model/checked_record.ts";
import { fieldsOf } from "../model/read_documents.ts";
import { rootOf } from "../model/root_of.ts";
import { FieldChoice } from "../model/field_choice.ts";
import type { RowFacts } from "../model/row_grouping.ts";
import type { SessionFormat } from "../model/session_format.ts";
import type { SessionSource } from "../model/session_source.ts";

const time = z.number();
const dynamoEvent = z.looseObject({
  event_type: z.string(),
  event_time_unix_ms: time.optional(),
  agent_context: z.looseObject({
    session_id: z.string().optional(),
    parent_session_id: z.string().optional(),
    trajectory_id: z.string().optional(),
    parent_trajectory_id: z.string().optional(),
  }).optional(),
  request: z.looseObject({
    request_id: z.string(),
    model: z.string().optional(),
    output_tokens: z.number().optional(),
    request_received_ms: time.optional(),
    total_time_ms: time.optional(),
    replay: z.looseObject({
      trace_block_size: z.int().positive(),
      input_length: z.int().nonnegative(),
      input_sequence_hashes: z.array(z.union([z.number(), z.string()])),
    }).optional(),
  }).optional(),
  tool: z.looseObject({
    started_at_unix_ms: time.optional(),
    ended_at_unix_ms: time.optional(),
    duration_ms: time.optional(),
  }).optional(),
});

const eventParts = {
  "event_type": true,
  "event_time_unix_ms": true,
  "agent_context": new FieldChoice({
    "session_id": true,
    "trajectory_id": true,
    "parent_session_id": true,
    "parent_trajectory_id": true,
  }),
  "request": new FieldChoice({ "request_id": true, "request_received_ms": true }),
} as const;
const eventFields = new FieldChoice({ ...eventParts, "event": new FieldChoice(eventParts) });

/** A call, and the trajectory that it is of. */
interface DynamoCall {
  readonly draft: CallDraft;
  readonly trajectory: string;
  readonly parent: string | undefined;
  /** Session that holds several trajectories; undefined where a session is one. */
  readonly tree: string | undefined;
}

/** When the tools of a trajectory ran. */
type ToolSpan = readonly [trajectory: string | undefined, startMs: number, endMs: number];

/** The request trace of Dynamo's frontend. */
export const dynamoRequestTrace: SessionFormat = {
  name: "dynamo-request-trace",
  description: "Dynamo's request trace: calls and tools of agents with hashes of their blocks",
  hasGlobalBlocks: true,
  isTogether: false,

  recognise({ names, values }) {
    if (names.has("event")) return '"event"';
    const { schema } = values;
    return typeof schema === "string" && schema.startsWith("dynamo.") && names.has("event_type")
      ? `the schema ${schema}`
      : undefined;
  },

  grouping: () => ({
    fields: eventFields,
    factsOf: eventFacts,
  }),

  read(source) {
    let blockSize: number | undefined;
    return {
      async *sessions() {
        const calls: DynamoCall[] = [];
        const tools: ToolSpan[] = [];
        for await (const records of inputLines(source)) {
          for (const record of records) {
            const size = addEvent(record, calls, tools);
            if (blockSize !== undefined && size !== undefined && size !== blockSize) {
              throw record.error(`Has blocks of ${size} tokens after blocks of ${blockSize}`);
            }
            blockSize ??= size;
          }
        }
        yield* sessionsOf(source, calls, tools);
      },
      blockSize: () => blockSize ?? 16,
    };
  },
};

/** Names in an event, and when its request started. */
function eventFacts(fields: Readonly<Record<string, unknown>>): RowFacts {
  const { event = fields } = fields;
  const { agent_context: context, request, event_type: type, event_time_unix_ms: eventMs } =
    event as z.infer<typeof dynamoEvent>;
  const names = [
    context?.session_id,
    context?.trajectory_id,
    context?.parent_session_id,
    context?.parent_trajectory_id,
  ].filter((name) => typeof name === "string");
  if (names.length === 0) names.push(request?.request_id ?? "?");
  const startMs = request?.request_received_ms ?? eventMs;
  return { sessions: [names], ...(type === "request_end" ? { order: startMs } : {}) };
}

/** @returns tokens of a block, if the event states them */
function addEvent(record: InputRecord, calls: DynamoCall[], tools: ToolSpan[]): number | undefined {
  const { event = fieldsOf(record) } = fieldsOf(record);
  const {
    event_type: type,
    event_time_unix_ms: eventMs,
    agent_context: context = {},
    request,
    tool,
  } = checkedRecord(record, dynamoEvent, event);
  const trajectory = context.trajectory_id ?? context.session_id;
  if (type === "request_end" && request !== undefined) {
    const { request_id: id, replay, request_received_ms: receivedMs, total_time_ms: totalMs } =
      request;
    const startMs = receivedMs ?? eventMs;
    const endMs = startMs !== undefined && totalMs !== undefined ? startMs + totalMs : eventMs;
    if (replay === undefined) throw record.error("Request has no replay with its lengths");
    if (startMs === undefined || endMs === undefined) throw record.error("Request has no time");
    const draft = new CallDraft(id);
    draft.agent = trajectory ?? id;
    draft.model = request.model;
    draft.startMs = startMs;
    draft.endMs = endMs;
    draft.outputTokens = Math.max(1, request.output_tokens ?? 1);
    const { trace_block_size: size, input_length: inputTokens, input_sequence_hashes: hashes } =
      replay;
    draft.prompt = blockPrompt(inputTokens, hashes, size);
    calls.push({
      draft,
      trajectory: trajectory ?? id,
      parent: context.parent_trajectory_id ?? context.parent_session_id,
      tree: context.trajectory_id === undefined ? undefined : context.session_id,
    });
    return size;
  }
  if ((type === "tool_end" || type === "tool_error") && tool !== undefined) {
    const endMs = tool.ended_at_unix_ms ?? eventMs ?? NaN;
    const startMs = tool.started_at_unix_ms ?? endMs - (tool.duration_ms ?? 0);
    if (!Number.isNaN(endMs)) tools.push([trajectory, startMs, endMs]);
  }
  return undefined;
}

function* sessionsOf(
  { path }: SessionSource,
  calls: readonly DynamoCall[],
  tools: readonly ToolSpan[],
): Generator<AgentSession> {
  const parents = new Map(
    calls.flatMap(({ trajectory, parent }) => parent === undefined ? [] : [[trajectory, parent]]),
  );
  const parentOf = (trajectory: string): string | undefined => parents.get(trajectory);
  const sorted = [...calls].sort(({ draft: a }, { draft: b }) =>
    orderOf([a.startMs, a.endMs, a.id], [b.startMs, b.endMs, b.id])
  );
  for (const { draft, trajectory } of sorted) draft.depth = rootOf(trajectory, parentOf).depth;
  const trees = Map.groupBy(
    sorted,
    ({ trajectory, tree }) => tree ?? rootOf(trajectory, parentOf).root,
  );
  const firstMs = sorted[0]?.draft.startMs ?? 0;
  for (const [id, own] of trees) {
    connect(own, parents);
    const drafts = own.map(({ draft }) => draft);
    setRecordedGaps(drafts);
    for (const { draft, trajectory } of own) {
      const fromMs = latestEndMs(draft);
      if (fromMs === -Infinity) continue;
      const spans = tools.filter(([of]) => of === trajectory).map(([, a, b]) => [a, b] as const);
      draft.toolMs = unionMs(spans, fromMs, draft.startMs);
      draft.gapClass = draft.toolMs > 0 ? "tool" : "agent";
    }
    yield finishedSession(path, id, drafts, { firstMs });
  }
}

/** Adds the edges of a tree by the rules of Dynamo's converter. */
function connect(calls: readonly DynamoCall[], parents: ReadonlyMap<string, string>): void {
  const streams = new Map<string, CallDraft[]>();
  for (const { draft, trajectory } of calls) {
    const before = streams.get(trajectory);
    if (before === undefined) streams.set(trajectory, [draft]);
    else {
      draft.after(before.at(-1) as CallDraft, "sequence");
      before.push(draft);
    }
  }
  for (const [trajectory, own] of streams) {
    const above = streams.get(parents.get(trajectory) ?? "");
    const first = own[0] as CallDraft;
    const last = lastBy(own, ({ endMs, startMs, id }) => [endMs, startMs, id]) as CallDraft;
    if (above === undefined || above === own) continue;
    const done = lastBy(
      above.filter(({ endMs }) => endMs <= first.startMs),
      ({ endMs }) => [endMs],
    );
    const running = lastBy(
      above.filter(({ startMs }) => startMs <= first.startMs),
      ({ startMs }) => [startMs],
    );
    if (done !== undefined) first.after(done, "spawn");
    else if (running !== undefined) first.after(running, "spawn", 0, "start");
    above.find(({ startMs }) => startMs >= last.endMs)?.after(last, "join");
  }
}
