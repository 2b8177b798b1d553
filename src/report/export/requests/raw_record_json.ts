import type { PayloadSource, PayloadTable } from "../../../load/dataset/payloads/payload_table.ts";
import { markedBody } from "../../../load/dataset/payloads/session_marker.ts";
import type { BodyFormat } from "../../../client/endpoint/protocol/body_format.ts";
import { EventStreamParser } from "../../../client/sse/event_stream_parser.ts";
import { joinBytes } from "../../../client/http/join_bytes.ts";
import type { RequestRecord } from "../../../measurement/metrics/request_record.ts";
import type { RawReply } from "../../../client/record/record_block.ts";
import type { FullRecord } from "../../../measurement/metrics/full_record.ts";
import { bodyText, redactedBodyText } from "./body_json.ts";
import { BodyRedactor } from "../../../core/secrets/body_secrets.ts";
import type { Redactor } from "../../../core/secrets/redactor.ts";
import type { JsonBytes } from "../json_bytes.ts";
import { jsonText } from "../../../core/files/json_text.ts";
import { recordError, type RecordLines, sessionOf } from "./record_lines.ts";

/** The request of a raw record. */
export interface RawRequest {
  readonly payloads: PayloadSource;
  /** Format of the request body. */
  readonly format: BodyFormat;
  readonly headers: Readonly<Record<string, string>>;
  readonly redact: Redactor;
}

/** Writes one line of `profile_export_raw.jsonl`, without its line end. */
export function writeRawRecordLine(
  out: JsonBytes,
  full: FullRecord,
  lines: RecordLines,
  request: RawRequest,
): void {
  const { record, rawReply, error } = full;
  const model = record.model || 0;
  const { table, entry } = request.payloads.locate(record.entry);
  const sent = rawReply?.requestBody ?? sentBody(table, entry, record, model);
  const text = bodyText(sent, request.format);
  const body = redactedBodyText(text, request.redact);
  const redact = new BodyRedactor(request.redact).of(text);
  const headers = { ...request.headers, "X-Request-ID": full.requestId };
  const start = Number.isNaN(record.startNs) ? "null" : String(record.startNs);
  const exchange = `,"start_perf_ns":${start},"request_headers":${jsonText(headers, 0)}` +
    (record.status > 0 ? `,"status":${record.status}` : "") +
    `,"responses":${jsonText(responsesOf(rawReply, redact), 0)}` +
    (error === undefined ? "" : `,"error":${recordError(record, error)}`) +
    `,"payload":${body}}`;
  out.text('{"metadata":');
  lines.writeMetadata(out, full);
  out.text(exchange);
}

/** Numbers of a record that its body depends on. */
export type SentRecord = Pick<RequestRecord, "index" | "session" | "turn" | "phase">;

/** The body of a turn without a history, with the salts and the marker of its session. */
export function sentBody(
  table: PayloadTable,
  entry: number,
  record: SentRecord,
  model: number,
): Uint8Array<ArrayBuffer> {
  const { markers } = table.data;
  const phase = record.phase === 0 ? "warmup" : "profiling";
  const turn = { phase, session: sessionOf(record), turn: record.turn || 0 } as const;
  const body = table.bodyOf(entry, model, turn);
  return joinBytes(markers === undefined ? body : markedBody(body, markers, entry, turn));
}

/** The replies in AIPerf's form: an entry for each event, or one for a body that is no stream. */
function responsesOf(reply: RawReply | undefined, redact: Redactor): unknown[] {
  if (reply === undefined || reply.body.length === 0) return [];
  const contentType = reply.headers.find(([name]) => name === "content-type")?.[1] ?? "";
  if (!contentType.toLowerCase().startsWith("text/event-stream")) {
    const stampNs = reply.readEnds.at(-1)?.[1];
    const text = redact(new TextDecoder().decode(reply.body));
    return [{ "perf_ns": stampNs, "text": text, "content_type": redact(contentType) }];
  }
  const parser = new EventStreamParser();
  const responses: unknown[] = [];
  let start = 0;
  const take = (items: ReturnType<EventStreamParser["push"]>, stampNs: number): void => {
    for (const item of items) {
      const packets = item.kind === "comment"
        ? [{ "name": "comment", "value": redact(item.text.replace(/^ /, "")) }]
        : [
          ...(item.event === "message" ? [] : [{ "name": "event", "value": redact(item.event) }]),
          { "name": "data", "value": redact(item.data) },
        ];
      responses.push({ "perf_ns": stampNs, "packets": packets });
    }
  };
  for (const [end, stampNs] of reply.readEnds) {
    take(parser.push(reply.body.subarray(start, end)), stampNs);
    start = end;
  }
  take(parser.end(), reply.readEnds.at(-1)?.[1] ?? 0);
  return responses;
}
