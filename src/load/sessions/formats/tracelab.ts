import * as z from "npm:zod@4.6.7";
import { inputLines } from "../../dataset/formats/input_lines.ts";
import type { InputSource } from "../../dataset/formats/input_source.ts";
import type { AgentSession } from "../model/agent_session.ts";
import { CallDraft, finishedSession, orderOf, setRecordedGaps } from "../model/call_draft.ts";
import { checkedRecord } from "../model/checked_record.ts";
import { rootOf } from "../model/root_of.ts";
import type { SessionFormat } from "../model/session_format.ts";
import { isoSeconds } from "./otel_values.ts";

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

type Row = z.infer<typeof row>;

const INPUTS = ["user_message", "tool_result"];
const OUTPUTS = ["text", "reasoning", "tool_call"];
/** A shorter call of an agent tool starts no session of its own. */
const LEAST_AGENT_MS = 10_000;
/** Difference below which two times are equal. */
const EQUAL_MS = 1e-3;

/** A time in which a session can have started other sessions, in seconds of the epoch. */
interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  readonly session: string;
}

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

  read(source, { blockSize }) {
    return {
      sessions: () => sessionsOf(source, blockSize),
      blockSize: () => blockSize,
    };
  },
};

async function* sessionsOf(source: InputSource, blockSize: number): AsyncGenerator<AgentSession> {
  const rows: Row[] = [];
  for await (const records of inputLines(source)) {
    for (const record of records) {
      const fields = checkedRecord(record, row);
      for (const { timestamp } of fields.timing_events) {
        if (msOf(timestamp) === undefined) throw record.error(`Has no time: ${timestamp}`);
      }
      rows.push(fields);
    }
  }
  const groups = Map.groupBy(rows, ({ session_id: session }) => session);
  const links = linksOf(groups);
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

/** Seconds of the epoch. */
function secondsOf(time: string | number | undefined): number | undefined {
  return typeof time === "string" ? isoSeconds(time) : time;
}

function msOf(time: string | number | undefined): number | undefined {
  const seconds = secondsOf(time);
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Start and end of a round; undefined for one without events. */
function timesOf({ timing_events: events }: Row): { startMs: number; endMs: number } | undefined {
  const timesOfTypes = (types: readonly string[]): number[] =>
    events.filter(({ event_type: type }) => types.includes(type))
      .map(({ timestamp }) => secondsOf(timestamp) as number);
  const inputs = timesOfTypes(INPUTS);
  const outputs = timesOfTypes(OUTPUTS);
  if (inputs.length === 0 && outputs.length === 0) return undefined;
  const start = inputs.length > 0 ? Math.max(...inputs) : Math.min(...outputs);
  const duration = Math.max(0, ...outputs.map((end) => end - start));
  return { startMs: start * 1000, endMs: (start + duration) * 1000 };
}

/** The windows in which sessions can have started others. */
function windowsOf(groups: ReadonlyMap<string, readonly Row[]>): Window[] {
  return [...groups].flatMap(([session, rows]): Window[] => {
    const tools = rows.flatMap(({ tools = [] }) => tools).map((tool) => ({
      name: tool.tool_name,
      fromMs: msOf(tool.emitted_at),
      toMs: msOf(tool.result_at),
      latencyMs: tool.tool_wall_latency_ms ?? 0,
    }));
    if (rows[0]?.provider !== "codex") {
      return tools.flatMap(({ name, fromMs, toMs, latencyMs }) =>
        ["Agent", "Task"].includes(name) && latencyMs >= LEAST_AGENT_MS && fromMs !== undefined &&
          toMs !== undefined
          ? [{ fromMs, toMs, session }]
          : []
      );
    }
    const spawns = tools.flatMap(({ name, fromMs }) =>
      name === "spawn_agent" && fromMs !== undefined ? [fromMs] : []
    );
    const waits = tools.flatMap(({ name, toMs }) =>
      name === "wait_agent" && toMs !== undefined ? [toMs] : []
    );
    const [fromMs, toMs] = [Math.min(...spawns), Math.max(...waits)];
    return spawns.length > 0 && waits.length > 0 && toMs > fromMs
      ? [{ fromMs, toMs, session }]
      : [];
  });
}

/** The window that each subagent's session lies in: the tightest of the same user and project. */
function linksOf(groups: ReadonlyMap<string, readonly Row[]>): Map<string, Window> {
  const windows = windowsOf(groups);
  const links = new Map<string, Window>();
  const ownerOf = (session: string): string => {
    const [first] = groups.get(session) ?? [];
    return JSON.stringify([first?.user ?? null, first?.project ?? null]);
  };
  for (const [session, rows] of groups) {
    const times = rows.flatMap(({ timing_events: events, tools = [] }) => [
      ...events.map(({ timestamp }) => msOf(timestamp)),
      ...tools.flatMap((tool) => [msOf(tool.emitted_at), msOf(tool.result_at)]),
    ]).filter((ms) => ms !== undefined);
    const [fromMs, toMs] = [Math.min(...times), Math.max(...times)];
    const [found] = windows.filter((window) =>
      window.session !== session && ownerOf(window.session) === ownerOf(session) &&
      fromMs >= window.fromMs && toMs <= window.toMs
    ).sort((a, b) =>
      orderOf(
        [a.toMs - a.fromMs, a.fromMs, a.session],
        [b.toMs - b.fromMs, b.fromMs, b.session],
      )
    );
    if (found !== undefined) links.set(session, found);
  }
  return links;
}

/** The calls of each session in their order; ids of blocks follow from the cached prefixes. */
function streamsOf(
  groups: ReadonlyMap<string, readonly Row[]>,
  parentOf: (session: string) => string | undefined,
  blockSize: number,
): Map<string, CallDraft[]> {
  let minted = 0;
  return new Map([...groups].map(([session, rows]) => {
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
