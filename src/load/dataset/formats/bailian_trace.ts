import * as z from "npm:zod@4.6.7";
import type { Conversation, ConversationTurn } from "../conversations/conversation.ts";
import { fits, type FormatContext, type InputFormat, lacks } from "./input_format.ts";
import { inputLines } from "./input_lines.ts";
import type { InputRecord } from "./input_record.ts";
import type { InputSource } from "./input_source.ts";
import { HASH_IDS, millisecondsOf, TRACE_TOKENS } from "./trace_fields.ts";
import type { TraceRow } from "./trace_row.ts";
import { TraceTurns } from "./trace_turns.ts";

const bailianRow = z.looseObject({
  chat_id: z.int(),
  type: z.unknown().optional(),
  /** -1 for none. */
  parent_chat_id: z.int().optional(),
  /** Seconds. */
  timestamp: z.number(),
  input_length: TRACE_TOKENS,
  output_length: TRACE_TOKENS,
  turn: z.int().optional(),
  hash_ids: HASH_IDS.optional(),
});

/**
 * Alibaba's Bailian traces: rows that name the request they follow. Requests of one root are a
 * conversation, in the order of their times; each states its whole prompt. Times are seconds.
 */
export const bailianTrace: InputFormat = {
  name: "bailian-trace",
  description: "a trace of lengths with chat_id and hash_ids, in Bailian's layout",
  isTimed: true,
  blockSize: 16,

  recognise({ layout, record = {} }) {
    return layout === "json lines" && "chat_id" in record && "input_length" in record
      ? fits('its first record has "chat_id" and "input_length"')
      : lacks("JSON lines with chat_id, timestamp, input_length and output_length");
  },

  read: (source, context) => conversations(source, context),

  async *rows(source) {
    const roots = new Roots();
    for await (const records of inputLines(source)) {
      yield* records.map((record) => rowOf(record, roots));
    }
  },
};

/** The first request of each conversation, by those that follow it. */
class Roots {
  readonly #parents = new Map<string, string>();

  /** Takes a request, and the one that it follows. */
  add(chat: string, parent: number | undefined): void {
    if (parent !== undefined && parent >= 0) this.#parents.set(chat, String(parent));
  }

  /** The first of the requests that a request follows, as far as they have been taken. */
  of(chat: string): string {
    const passed = new Set<string>();
    let root = chat;
    for (;;) {
      const parent = this.#parents.get(root);
      if (parent === undefined) break;
      if (passed.has(root)) {
        // They follow each other in a circle.
        this.#parents.delete(root);
        break;
      }
      passed.add(root);
      root = parent;
    }
    // The way is not gone again.
    for (const one of passed) if (one !== root) this.#parents.set(one, root);
    return root;
  }
}

function rowOf(record: InputRecord, roots: Roots): TraceRow {
  const row = record.parsed(bailianRow);
  const chat = String(row.chat_id);
  roots.add(chat, row.parent_chat_id);
  return {
    record,
    session: roots.of(chat),
    timestampMs: millisecondsOf(row.timestamp),
    delayMs: undefined,
    inputTokens: row.input_length,
    outputTokens: row.output_length,
    hashIds: row.hash_ids,
  };
}

async function* conversations(
  source: InputSource,
  context: FormatContext,
): AsyncGenerator<Conversation> {
  const traceTurns = new TraceTurns(source, bailianTrace, context);
  const roots = new Roots();
  const made: { readonly session: string; readonly turn: ConversationTurn }[] = [];
  for await (const records of inputLines(source)) {
    for (const record of records) {
      const row = rowOf(record, roots);
      const turn = await traceTurns.turn(row, {});
      if (turn === undefined) continue;
      made.push({ session: row.session as string, turn });
    }
  }
  traceTurns.finish();
  // What a request follows may stand behind it.
  const chats = Map.groupBy(made, ({ session }) => roots.of(session));
  for (const [id, rows] of chats) {
    const turns = rows.map(({ turn }) => turn);
    yield {
      id,
      turns: turns.toSorted((a, b) => (a.timestampMs as number) - (b.timestampMs as number)),
    };
  }
}
