import * as z from "npm:zod@4.6.7";
import { inputLines } from "../../dataset/formats/input_lines.ts";
import type { AgentSession } from "../model/agent_session.ts";
import { CallDraft, finishedSession, orderOf, setRecordedGaps } from "../model/call_draft.ts";
import { checkedRecord } from "../model/checked_record.ts";
import { FieldChoice } from "../model/field_choice.ts";
import { rootOf } from "../model/root_of.ts";
import type { SessionFormat } from "../model/session_format.ts";
import type { SessionSource } from "../model/session_source.ts";
import { textKey } from "../model/text_key.ts";
import { SECONDS } from "./iso_seconds.ts";
import { momentMs, momentSeconds, TracelabLinks, type Window } from "./tracelab_links.ts";

const moment = z.union([z.string(), z.number()]);

const row = z.looseObject({
  session_id: z.string(),
  provider: z.string().optional(),
  user: z.unknown().optional(),
  project: z.unknown().optional(),
  model: z.string().optional(),
  round_index: z.number().optional(),
  input_tokens_total: z.number(),
  prefix_tokens: z.number(),
  output_tokens: z.number(),
  reasoning_output_tokens: z.number().optional(),
  first_input_event_type: z.string().optional(),
  timing_events: z.array(z.looseObject({ event_type: z.string(), timestamp: moment })),
  tools: z.array(z.looseObject({
    tool_name: z.string(),
    emitted_at: moment.optional(),
    result_at: moment.optional(),
    tool_wall_latency_ms: z.number().optional(),
  })).optional(),
});

/** Fields that show which sessions a session started. */
const linkedFields = new FieldChoice({
  "session_id": true,
  "provider": true,
  "user": true,
  "project": true,
  "timing_events": new FieldChoice({ "timestamp": SECONDS }),
  "tools": new FieldChoice({
    "tool_name": true,
    "emitted_at": SECONDS,
    "result_at": SECONDS,
    "tool_wall_latency_ms": true,
  }),
});

type Row = z.infer<typeof row>;

const INPUTS = ["user_message", "tool_result"];
const OUTPUTS = ["text", "reasoning", "tool_call"];
/** Blocks of a session, and numbers of sessions: their product is an exact number. */
const MOST_BLOCKS = 2 ** 22;
const MOST_SESSIONS = 2 ** 31;
/** Difference below which two times are equal. */
const EQUAL_MS = 1e-3;

/** TraceLab's rounds of coding agents: lengths, cached prefixes and event times. */
export const tracelab: SessionFormat = {
  name: "tracelab",
  description: "TraceLab's rounds of coding agents: lengths, cached prefixes and event times",
  hasGlobalBlocks: true,
  isTogether: false,

  recognise({ names }) {
    return names.has("prefix_tokens") && names.has("timing_events")
      ? '"prefix_tokens" and "timing_events"'
      : undefined;
  },

  grouping() {
    const links = new TracelabLinks();
    return {
      fields: linkedFields,
      factsOf(fields) {
        const { session_id: session, timing_events: events } = fields;
        if (typeof session !== "string" || !Array.isArray(events)) return { sessions: [["?"]] };
        links.add(fields as unknown as Row);
        return { sessions: [[session]] };
      },
      *links() {
        for (const [session, window] of links.links()) yield [session, window.session];
      },
    };
  },

  read(source, { blockSize }) {
    return {
      sessions: () => sessionsOf(source, blockSize),
      blockSize: () => blockSize,
    };
  },
};

async function* sessionsOf(source: SessionSource, blockSize: number): AsyncGenerator<AgentSession> {
  const rows: Row[] = [];
  for await (const records of inputLines(source)) {
    for (const record of records) {
      const fields = checkedRecord(record, row);
      for (const { timestamp } of fields.timing_events) {
        if (momentMs(timestamp) === undefined) throw record.error(`Has no time: ${timestamp}`);
      }
      rows.push(fields);
    }
  }
  const groups = Map.groupBy(rows, ({ session_id: session }) => session);
  const found = new TracelabLinks();
  for (const fields of rows) found.add(fields);
  const links = found.links();
  const parentOf = (session: string): string | undefined => links.get(session)?.session;
  const streams = streamsOf(groups, parentOf, blockSize);
  connect(streams, links);
  const trees = new Map<string, CallDraft[]>();
  for (const [session, calls] of streams) {
    const { root } = rootOf(session, parentOf);
    trees.set(root, [...(trees.get(root) ?? []), ...calls]);
  }
  const firstMs = [...streams.values()].flat()
    .reduce((least, { startMs }) => Math.min(least, startMs), Infinity);
  for (const [id, calls] of trees) {
    if (calls.length === 0) continue;
    calls.sort((a, b) => a.startMs - b.startMs);
    setRecordedGaps(calls);
    yield finishedSession(source.path, id, calls, { firstMs });
  }
}

/** Start and end of a round; undefined for one without events. */
function timesOf({ timing_events: events }: Row): { startMs: number; endMs: number } | undefined {
  const timesOfTypes = (types: readonly string[]): number[] =>
    events.filter(({ event_type: type }) => types.includes(type))
      .map(({ timestamp }) => momentSeconds(timestamp) as number);
  const inputs = timesOfTypes(INPUTS);
  const outputs = timesOfTypes(OUTPUTS);
  if (inputs.length === 0 && outputs.length === 0) return undefined;
  const start = inputs.length > 0 ? Math.max(...inputs) : Math.min(...outputs);
  const duration = Math.max(0, ...outputs.map((end) => end - start));
  return { startMs: start * 1000, endMs: (start + duration) * 1000 };
}

/** The calls of each session in their order; ids of blocks follow from the cached prefixes. */
function streamsOf(
  groups: ReadonlyMap<string, readonly Row[]>,
  parentOf: (session: string) => string | undefined,
  blockSize: number,
): Map<string, CallDraft[]> {
  return new Map([...groups].map(([session, rows]) => {
    // Sessions have no block in common, whichever are read together.
    let minted = textKey(session) % MOST_SESSIONS * MOST_BLOCKS;
    const timed = rows.flatMap((fields) => {
      const times = timesOf(fields);
      return times === undefined ? [] : [{ fields, ...times }];
    }).sort((a, b) =>
      orderOf([a.startMs, a.fields.round_index ?? 0], [b.startMs, b.fields.round_index ?? 0])
    );
    const calls: CallDraft[] = [];
    let known: readonly number[] = [];
    for (const { fields, startMs, endMs } of timed) {
      const call = new CallDraft(`${session}#${calls.length}`);
      call.agent = session;
      call.depth = rootOf(session, parentOf).depth;
      call.model = fields.model;
      call.startMs = startMs;
      call.endMs = endMs;
      const total = Math.max(0, Math.trunc(fields.input_tokens_total));
      const prefix = Math.min(total, Math.max(0, Math.trunc(fields.prefix_tokens)));
      const count = Math.floor(total / blockSize);
      const kept = Math.min(Math.floor(prefix / blockSize), known.length, count);
      const own = Array.from({ length: count - kept }, () => ++minted);
      known = [...known.slice(0, kept), ...own];
      call.prompt = { kind: "blocks", inputTokens: Math.max(1, total), blocks: known };
      const { output_tokens: outputs, reasoning_output_tokens: reasoning = 0 } = fields;
      call.outputTokens = Math.max(1, Math.trunc(outputs) + Math.trunc(reasoning));
      call.gapClass = fields.first_input_event_type === "tool_result" ? "tool" : "user";
      const before = calls.at(-1);
      if (before !== undefined) call.after(before, "sequence");
      calls.push(call);
    }
    return [session, calls];
  }));
}

function connect(
  streams: ReadonlyMap<string, readonly CallDraft[]>,
  links: ReadonlyMap<string, Window>,
): void {
  for (const [session, { session: above, fromMs, toMs }] of links) {
    const first = streams.get(session)?.[0];
    const last = streams.get(session)?.at(-1);
    const calls = streams.get(above) ?? [];
    const parent = calls.findLast(({ startMs }) => startMs <= fromMs + EQUAL_MS) ?? calls[0];
    if (first === undefined || last === undefined || parent === undefined) continue;
    first.gapClass = "agent";
    first.after(parent, "spawn", 0, first.startMs + EQUAL_MS >= parent.endMs ? "end" : "start");
    calls.find(({ startMs }) => startMs > parent.startMs && startMs + EQUAL_MS >= toMs)
      ?.after(last, "join");
  }
}
