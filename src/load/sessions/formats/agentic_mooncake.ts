import * as z from "npm:zod@4.6.7";
import { escapedControls } from "../../../core/files/escaped_controls.ts";
import { inputLines } from "../../dataset/formats/input_lines.ts";
import type { InputRecord } from "../../dataset/formats/input_record.ts";
import { type AgentSession, blockPrompt } from "../model/agent_session.ts";
import { CallDraft, finishedSession } from "../model/call_draft.ts";
import { FieldChoice } from "../model/field_choice.ts";
import type { SessionFormat } from "../model/session_format.ts";

const SCHEMA = "dynamo.agentic_mooncake";

const header = z.looseObject({ schema: z.literal(SCHEMA), block_size: z.int().positive() });

const row = z.looseObject({
  request_id: z.string(),
  session_id: z.union([z.string(), z.number()]).optional(),
  play_id: z.union([z.string(), z.number()]).optional(),
  model: z.string().optional(),
  input_length: z.int().nonnegative(),
  output_length: z.int().nonnegative(),
  hash_ids: z.array(z.union([z.number(), z.string()])).optional(),
  timestamp: z.number().optional(),
  delay: z.number().optional(),
  wait_for: z.array(z.string()).optional(),
  prefix_reset: z.boolean().optional(),
  tool_wait_ms: z.number().optional(),
  not_before_ms: z.number().optional(),
  dependencies: z.array(z.looseObject({
    request_id: z.string(),
    trigger: z.enum(["dispatch", "completion"]),
    delay_ms: z.number(),
    relation: z.enum(["sequence", "spawn", "join"]),
  })).optional(),
});

/** Fields that name the row and those it waits for. */
const namingFields = new FieldChoice({
  "schema": true,
  "request_id": true,
  "session_id": true,
  "play_id": true,
  "wait_for": true,
  "dependencies": new FieldChoice({ "request_id": true }),
});

interface MooncakeCall {
  readonly draft: CallDraft;
  readonly record: InputRecord;
  readonly row: z.infer<typeof row>;
  /** Milliseconds of the trace before which it does not start. */
  readonly whenMs: number;
}

/** Dynamo's agentic Mooncake trace: rows of lengths that wait for each other. */
export const agenticMooncake: SessionFormat = {
  name: "agentic-mooncake",
  description: "Dynamo's agentic Mooncake trace: lengths, hash_ids and what each row waits for",
  hasGlobalBlocks: true,
  isTogether: false,

  recognise({ names, values }) {
    if (values["schema"] === SCHEMA) return `the schema ${SCHEMA}`;
    return names.has("request_id") && names.has("hash_ids")
      ? '"request_id" and "hash_ids"'
      : undefined;
  },

  grouping: () => ({
    fields: namingFields,
    factsOf(fields) {
      if (fields["schema"] === SCHEMA) return undefined;
      const { request_id: id, session_id: session, play_id: play } = fields;
      const { wait_for: waits, dependencies } = fields as Partial<z.infer<typeof row>>;
      const names: string[] = [];
      if (id !== undefined) names.push(String(id));
      if (session !== undefined) names.push(String(session));
      if (play !== undefined) names.push(String(play));
      if (waits !== undefined) { for (const wait of waits) names.push(String(wait)); }
      dependencies?.forEach(({ request_id: one }) => names.push(String(one)));
      return { sessions: [names] };
    },
  }),

  read(source, settings) {
    let { blockSize } = settings;
    return {
      async *sessions() {
        let isSecond = false;
        const calls: MooncakeCall[] = [];
        for await (const records of inputLines(source)) {
          for (const record of records) {
            const { schema } = Object(record.json) as { schema?: unknown };
            if (calls.length === 0 && !isSecond && schema === SCHEMA) {
              isSecond = true;
              blockSize = record.parsed(header).block_size;
            } else calls.push(callOf(record, blockSize, isSecond));
          }
        }
        connect(calls, isSecond);
        yield* sessionsOf(source.path, calls, isSecond);
      },
      blockSize: () => blockSize,
    };
  },
};

function callOf(record: InputRecord, blockSize: number, isSecond: boolean): MooncakeCall {
  const fields = record.parsed(row);
  const { input_length: inputTokens, hash_ids: hashes = [] } = fields;
  const draft = new CallDraft(fields.request_id);
  draft.agent = fields.session_id === undefined ? "main" : String(fields.session_id);
  draft.model = fields.model;
  draft.outputTokens = Math.max(1, fields.output_length);
  draft.prompt = blockPrompt(inputTokens, hashes, blockSize);
  const whenMs = isSecond ? fields.not_before_ms : fields.timestamp;
  return { draft, record, row: fields, whenMs: whenMs ?? 0 };
}

function connect(calls: readonly MooncakeCall[], isSecond: boolean): void {
  const byId = new Map<string, MooncakeCall>();
  for (const call of calls) {
    if (byId.has(call.draft.id)) throw call.record.error("Is there twice", ["request_id"]);
    byId.set(call.draft.id, call);
  }
  for (const { draft, record, row } of calls) {
    const named = (id: string): MooncakeCall => {
      const call = byId.get(id);
      if (call !== undefined) return call;
      throw record.error(`Waits for ${escapedControls(id)}, which is no request of the file`);
    };
    if (isSecond) {
      for (const one of row.dependencies ?? []) {
        const on = one.trigger === "dispatch" ? "start" : "end";
        draft.after(named(one.request_id).draft, one.relation, one.delay_ms, on);
      }
      continue;
    }
    const toolMs = row.tool_wait_ms ?? 0;
    for (const id of row.wait_for ?? []) {
      const other = named(id);
      const isOwn = other.row.session_id === row.session_id;
      const kind = isOwn ? "sequence" : row.prefix_reset === true ? "spawn" : "join";
      draft.after(other.draft, kind, (row.delay ?? 0) + toolMs);
    }
    if (draft.edges.length > 0) draft.toolMs = toolMs;
    draft.gapClass = toolMs > 0 ? "tool" : "agent";
  }
}

function* sessionsOf(
  path: string,
  calls: readonly MooncakeCall[],
  isSecond: boolean,
): Generator<AgentSession> {
  const names = isSecond ? undefined : connectedNames(calls);
  const trees = Map.groupBy(
    calls,
    ({ draft, row: { play_id: play } }) =>
      names?.get(draft) ?? (play === undefined ? draft.id : String(play)),
  );
  const startOf = (tree: readonly MooncakeCall[]): number =>
    tree.reduce(
      (least, { draft, whenMs }) => draft.edges.length === 0 ? Math.min(least, whenMs) : least,
      Infinity,
    );
  const offsets = new Map([...trees].map(([name, tree]) => [name, startOf(tree)]));
  const firstMs = [...offsets.values()].reduce((least, ms) => Math.min(least, ms), Infinity);
  for (const [name, tree] of trees) {
    const zeroMs = offsets.get(name) as number;
    for (const { draft, whenMs } of tree) {
      if (draft.edges.length === 0) draft.offsetMs = whenMs - zeroMs;
    }
    const offsetMs = isSecond ? 0 : zeroMs - firstMs;
    yield finishedSession(path, name, tree.map(({ draft }) => draft), { offsetMs });
  }
}

/** Names of the trees: what is connected by waiting, or by a session, is one. */
function connectedNames(calls: readonly MooncakeCall[]): Map<CallDraft, string> {
  const numbers = new Map(calls.map(({ draft }, number) => [draft, number]));
  const roots = calls.map((_, number) => number);
  const rootOf = (number: number): number => {
    let at = number;
    while (roots[at] !== at) at = roots[at] as number;
    return at;
  };
  const unite = (a: number, b: number): void => {
    const [one, other] = [rootOf(a), rootOf(b)];
    roots[Math.max(one, other)] = Math.min(one, other);
  };
  const firsts = new Map<string, number>();
  calls.forEach(({ draft, row }, number) => {
    if (row.session_id !== undefined) {
      const session = String(row.session_id);
      unite(number, firsts.get(session) ?? number);
      if (!firsts.has(session)) firsts.set(session, number);
    }
    for (const { call } of draft.edges) unite(number, numbers.get(call) as number);
  });
  const nameOf = (number: number): string => {
    const { row, draft } = calls[number] as MooncakeCall;
    return row.session_id === undefined ? draft.id : String(row.session_id);
  };
  return new Map(calls.map(({ draft }, number) => [draft, nameOf(rootOf(number))]));
}
