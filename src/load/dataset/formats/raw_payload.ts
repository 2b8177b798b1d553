import type { Conversation, ConversationTurn } from "../conversations/conversation.ts";
import { fits, type FormatContext, type InputFormat, lacks } from "./input_format.ts";
import { inputLines } from "./input_lines.ts";
import type { InputRecord } from "./input_record.ts";
import { FOLDER_FILES } from "./input_sample.ts";
import type { InputSource } from "./input_source.ts";

const encoder = new TextEncoder();

/** Fields of other formats, which no body has. */
export const OTHER_FIELDS = [
  ...["session_id", "timestamp", "delay", "output_length", "hash_ids", "input_length", "turns"],
  ...["custom_id", "conversations"],
];

/**
 * Complete request bodies, sent byte for byte: a line each. Of a folder each file is a conversation,
 * and each line a turn of it.
 */
export const rawPayload: InputFormat = {
  name: "raw-payload",
  description: "request bodies that are sent byte for byte, or a folder of such files",
  paging: "always",
  takesFolders: true,

  recognise({ layout, record = {} }) {
    const other = OTHER_FIELDS.find((name) => name in record);
    const isBody = "model" in record || "stream" in record;
    const isLines = layout === "json lines" || layout === "folder";
    return isLines && isBody && Array.isArray(record["messages"]) && other === undefined
      ? fits('its first record has "messages" and "model" or "stream"')
      : lacks("JSON lines with messages, with model or stream, or to be named");
  },

  async *read(source, context) {
    const unstreamed = { count: 0, total: 0 };
    const turnOf = (record: InputRecord): ConversationTurn => payload(record, context, unstreamed);
    if (source.isFolder) yield* folder(source, turnOf);
    else {
      for await (const records of inputLines(source)) {
        for (const record of records) yield { id: undefined, turns: [turnOf(record)] };
      }
    }
    if (unstreamed.count > 0) {
      context.warn(
        `${source.path}: ${unstreamed.count} of ${unstreamed.total} request bodies do not set ` +
          '"stream" and are sent unchanged despite --streaming',
      );
    }
  },
};

async function* folder(
  source: InputSource,
  turnOf: (record: InputRecord) => ConversationTurn,
): AsyncGenerator<Conversation> {
  for (const file of await source.files(FOLDER_FILES)) {
    const turns: ConversationTurn[] = [];
    for await (const records of inputLines(file)) turns.push(...records.map(turnOf));
    const name = file.path.split("/").at(-1)?.replace(/\.jsonl?$/i, "");
    if (turns.length > 0) yield { id: name, turns };
  }
}

function payload(
  record: InputRecord,
  { streaming }: FormatContext,
  unstreamed: { count: number; total: number },
): ConversationTurn {
  const body = record.json;
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw record.error("Must be a JSON object");
  }
  unstreamed.total++;
  if (streaming && (body as { stream?: unknown }).stream !== true) unstreamed.count++;
  return {
    request: { kind: "bytes", bytes: encoder.encode(record.text) },
    delayMs: 0,
    timestampMs: undefined,
    followsHistory: false,
  };
}
