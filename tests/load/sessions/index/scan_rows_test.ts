import assert from "node:assert/strict";
import fc from "fast-check";
import { agenticMooncake } from "../../../../src/load/sessions/formats/agentic_mooncake.ts";
import { agentperf } from "../../../../src/load/sessions/formats/agentperf.ts";
import { dagJsonl } from "../../../../src/load/sessions/formats/dag_jsonl.ts";
import { dynamoRequestTrace } from "../../../../src/load/sessions/formats/dynamo_request_trace.ts";
import { otelSpans } from "../../../../src/load/sessions/formats/otel_spans.ts";
import { tracelab } from "../../../../src/load/sessions/formats/tracelab.ts";
import { scanRows } from "../../../../src/load/sessions/index/scan_rows.ts";
import { withoutNulls } from "../../../../src/load/sessions/model/checked_record.ts";
import { FieldChoice, type TextReader } from "../../../../src/load/sessions/model/field_choice.ts";
import type { RowFacts, RowGrouping } from "../../../../src/load/sessions/model/row_grouping.ts";
import type { SessionFormat } from "../../../../src/load/sessions/model/session_format.ts";
import { InputRecord } from "../../../../src/load/dataset/formats/input_record.ts";
import { AGENTS } from "../../../support/agent_replay.ts";
import { jsonTexts } from "../../../support/json_texts.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Reads texts of one letter in bytes, and others as they are. */
const LETTERS: TextReader = {
  of: (text) => text.length === 1 ? text.codePointAt(0) : `<${text}>`,
  ofBytes: (bytes, start, end) => end - start === 1 ? bytes[start] : undefined,
};
const CHOICE = new FieldChoice({
  "a": true,
  "id": new FieldChoice({ "a": LETTERS, "ids": true }),
  "ids": new FieldChoice({ "a": true, "key": true, "b": new FieldChoice({ "a": LETTERS }) }, {
    field: "key",
    text: "x",
  }),
});

/** A scanned row, with the fields of which its facts are made. */
interface Scanned {
  readonly line: number;
  readonly offset: number;
  readonly text: string;
  readonly fields: unknown;
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.slice(at, at + size));
  }
}

/** Returns the rows up to the first that is broken, and its error. */
async function scanned(bytes: Uint8Array, size: number, fields: FieldChoice): Promise<unknown[]> {
  const found: unknown[] = [];
  let last: unknown;
  const grouping: RowGrouping = {
    fields,
    factsOf(row) {
      last = row;
      return { sessions: [["one"]] };
    },
  };
  try {
    for await (
      const rows of scanRows({ path: "file", bytes: () => pieces(bytes, size) }, grouping)
    ) {
      for (const row of rows) {
        const { line, offset, length } = row;
        assert.equal(row.bytes().length, length);
        found.push(
          { line, offset, text: decoder.decode(row.bytes()), fields: last } satisfies Scanned,
        );
      }
    }
  } catch (error) {
    found.push(String(error));
  }
  return found;
}

/** Returns the same with JSON.parse, line by line. */
function parsed(bytes: Uint8Array, fields: FieldChoice): unknown[] {
  const found: unknown[] = [];
  for (let offset = 0, line = 1; offset <= bytes.length; line++) {
    const next = bytes.indexOf(10, offset);
    const row = bytes.subarray(offset, next < 0 ? bytes.length : next);
    if (row.some((byte) => byte > 32)) {
      const text = decoder.decode(row);
      const record = new InputRecord(text, { path: "file", line, column: 1 });
      try {
        const value = record.json;
        if (typeof value !== "object" || value === null) throw record.error("Must be an object");
        found.push({ line, offset, text, fields: fields.of(value) } satisfies Scanned);
      } catch (error) {
        return [...found, String(error)];
      }
    }
    offset += row.length + 1;
  }
  return found;
}

for (const size of [1, 3, 7, 1000]) {
  Deno.test(`scanRows finds each line and its place in pieces of ${size} bytes`, async () => {
    const text = '{"é": 1}\n\n  \r\n{"a": [1, 2]}\r\n{"c": ""}';
    const fields = new FieldChoice({ "a": true });
    assert.deepEqual(await scanned(encoder.encode(text), size, fields), [
      { line: 1, offset: 0, text: '{"é": 1}', fields: {} },
      { line: 4, offset: 15, text: '{"a": [1, 2]}\r', fields: { "a": [1, 2] } },
      { line: 5, offset: 30, text: '{"c": ""}', fields: {} },
    ]);
  });
}

Deno.test("scanRows reads any rows as JSON.parse reads them, and names the same broken ones", async () => {
  const names = ["a", "id", "ids", "key", "key", "b", "A", "i\\u0064", "é", ""];
  const lines = fc.array(fc.oneof(jsonTexts(names), jsonTexts(names), fc.constant(" \t")), {
    maxLength: 4,
  });
  const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) });
  const changes = fc.oneof(fc.constant([]), fc.array(change, { minLength: 1, maxLength: 2 }));
  await fc.assert(
    fc.asyncProperty(lines, changes, fc.integer({ min: 1, max: 90 }), async (rows, wrong, size) => {
      const bytes = encoder.encode(rows.join("\n"));
      for (const { at, byte } of wrong) if (bytes.length > 0) bytes[at % bytes.length] = byte;
      assert.deepEqual(await scanned(bytes, size, CHOICE), parsed(bytes, CHOICE));
    }),
    { numRuns: 3000 },
  );
});

/** Returns the facts of rows. */
async function factsOf(text: string, grouping: RowGrouping): Promise<(RowFacts | undefined)[]> {
  const source = { path: "file", bytes: () => pieces(encoder.encode(text), 64) };
  const found: (RowFacts | undefined)[] = [];
  for await (const rows of scanRows(source, grouping)) {
    for (const { facts } of rows) found.push(facts);
  }
  return found;
}

const FILES: readonly (readonly [SessionFormat, ...files: string[]])[] = [
  [agenticMooncake, "agentic_mooncake_v1", "agentic_mooncake_v2"],
  [agentperf, "agentperf_task"],
  [dagJsonl, "dag_forks", "dag_nested", "dag_spawn_join"],
  [dynamoRequestTrace, "dynamo_tools_children"],
  [otelSpans, "otel_otlp_lines", "otel_sessions"],
  [tracelab, "tracelab_subagent"],
];

for (const [format, ...files] of FILES) {
  Deno.test(`The chosen fields of ${format.name} are all on which facts depend`, async () => {
    for (const file of files) {
      const text = await Deno.readTextFile(`${AGENTS}${file}.jsonl`);
      const grouping = format.grouping?.() as RowGrouping;
      const whole = format.grouping?.() as RowGrouping;
      const facts = text.trim().split("\n").map((line) =>
        whole.factsOf(withoutNulls(JSON.parse(line)) as Record<string, unknown>)
      );
      assert.deepEqual(await factsOf(text, grouping), facts);
      assert.deepEqual([...grouping.links?.() ?? []], [...whole.links?.() ?? []]);
    }
  });
}

async function sessionsOf(format: SessionFormat, text: string): Promise<unknown> {
  const [facts] = await factsOf(text, format.grouping?.() as RowGrouping);
  return facts?.sessions;
}

Deno.test("scanRows names the line of a row that is no object, or has fields of other types", async () => {
  const rejects = (text: string, message: RegExp) =>
    assert.rejects(sessionsOf(agenticMooncake, text), message);
  await rejects("\n\n[1", /^DatasetError: file:3:/);
  await rejects("\n5", /^DatasetError: file:2:1: Must be an object/);
  await rejects('{"request_id": "b", "wait_for": 5}', /^DatasetError: file:1: Has a field of/);
});

Deno.test("scanRows reads a null as a missing field, and keeps the lists behind it", async () => {
  const text = '{"request_id": "b", "hash_ids": null, "wait_for": ["a"], "dependencies": null}';
  assert.deepEqual(await sessionsOf(agenticMooncake, text), [["b", "a"]]);
  const other = '{"request_id": "b", "note": "hash_ids", "wait_for": ["a"], "hash_ids" : [1]}';
  assert.deepEqual(await sessionsOf(agenticMooncake, other), [["b", "a"]]);
  const none = '{"request_id": "b", "session_id": null, "wait_for": null, "hash_ids": [1]}';
  assert.deepEqual(await sessionsOf(agenticMooncake, none), [["b"]]);
  const tools = '{"session_id": "s", "timing_events": [], "tools": null}';
  assert.deepEqual(await sessionsOf(tracelab, tools), [["s"]]);
});
