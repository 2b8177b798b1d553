/** Spans of OpenTelemetry as OTLP JSON, as one span a line, or as sessions with flat attributes. */

import { isFields } from "../../../client/endpoint/protocol/delta.ts";
import type { InputRecord } from "../../dataset/formats/input_record.ts";
import { isoSeconds } from "./iso_seconds.ts";

/** A span of a call, an agent or a tool. */
export interface OtelSpan {
  readonly id: string;
  readonly parent: string | undefined;
  readonly trace: string;
  /** Milliseconds of the Unix epoch: a double has four digits behind the point. */
  readonly startMs: number;
  readonly endMs: number;
  readonly hasFailed: boolean;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/**
 * Returns the spans of a document.
 * @throws {DatasetError} if a span lacks its id or its times
 */
export function spansOf(record: InputRecord, document: Record<string, unknown>): OtelSpan[] {
  const { spans, group } = rawSpans(document);
  return spans.map((span) => spanOf(record, span, group));
}

/** Returns the spans of a document as they are written, and the trace that holds for all of them. */
function rawSpans(
  document: Readonly<Record<string, unknown>>,
): { readonly spans: readonly unknown[]; readonly group: unknown } {
  const { resourceSpans, spans, trace_id: group } = document;
  if (Array.isArray(resourceSpans)) {
    const all: unknown[] = [];
    for (const resource of resourceSpans) {
      for (const scope of listOf(resource, "scopeSpans", "instrumentationLibrarySpans")) {
        for (const span of listOf(scope, "spans")) all.push(span);
      }
    }
    return { spans: all, group: undefined };
  }
  return Array.isArray(spans) ? { spans, group } : { spans: [document], group: undefined };
}

/** Returns the traces of a document's spans, each with the conversations that its spans name. */
export function traceNames(
  document: Readonly<Record<string, unknown>>,
  conversation: string,
): string[][] {
  const { spans, group } = rawSpans(document);
  const traces = new Map<string, string[]>();
  for (const span of spans) {
    if (!isFields(span)) continue;
    const id = textOf(span["spanId"] ?? span["span_id"]) ?? "";
    const trace = textOf(span["traceId"] ?? span["trace_id"] ?? group) ?? id;
    const names = traces.get(trace) ?? [trace];
    traces.set(trace, names);
    const { attributes } = span;
    const named = Array.isArray(attributes)
      ? plainValue(attributes.find((one) => isFields(one) && one["key"] === conversation)?.value)
      : isFields(attributes)
      ? attributes[conversation]
      : undefined;
    if (typeof named === "string" && named !== "") names.push(named);
  }
  return [...traces.values()];
}

function spanOf(record: InputRecord, value: unknown, group: unknown): OtelSpan {
  if (!isFields(value)) throw record.error("Has a span that is no object");
  const id = value["spanId"] ?? value["span_id"];
  if (typeof id !== "string") throw record.error("Has a span without spanId");
  const { status, attributes } = value;
  const code = isFields(status) ? status["code"] : undefined;
  const trace = value["traceId"] ?? value["trace_id"] ?? group;
  const timeOf = (...names: string[]): number => {
    const time = names.map((name) => value[name]).find((one) => one !== undefined && one !== null);
    const ms = millisecondsOf(time);
    if (ms === undefined) throw record.error(`Span ${id} has no time ${names[0]}`);
    return ms;
  };
  return {
    id,
    parent: textOf(value["parentSpanId"] ?? value["parent_span_id"]),
    trace: textOf(trace) ?? id,
    startMs: timeOf("startTimeUnixNano", "start_time"),
    endMs: timeOf("endTimeUnixNano", "end_time"),
    hasFailed: code === 2 || code === "STATUS_CODE_ERROR" || code === "ERROR",
    name: textOf(value["name"]) ?? "",
    attributes: attributesOf(attributes),
  };
}

function attributesOf(attributes: unknown): Record<string, unknown> {
  if (!Array.isArray(attributes)) return isFields(attributes) ? { ...attributes } : {};
  return Object.fromEntries(
    attributes.filter(isFields).map(({ key, value }) => [String(key), plainValue(value)]),
  );
}

/** Returns the plain value of an attribute of OTLP. */
function plainValue(value: unknown): unknown {
  if (!isFields(value)) return value;
  for (const name of ["stringValue", "boolValue", "doubleValue"]) {
    if (name in value) return value[name];
  }
  const { intValue, arrayValue, kvlistValue } = value;
  if (intValue !== undefined) return Number(intValue);
  if (arrayValue !== undefined) return listOf(arrayValue, "values").map(plainValue);
  if (kvlistValue !== undefined) {
    return Object.fromEntries(
      listOf(kvlistValue, "values").filter(isFields)
        .map(({ key, value }) => [String(key), plainValue(value)]),
    );
  }
  return value;
}

/** Milliseconds of the epoch: of nanoseconds as a text or a number, of seconds, or of an ISO time. */
function millisecondsOf(time: unknown): number | undefined {
  if (typeof time === "string" && /^\d+$/.test(time)) return Number(time) / 1e6;
  if (typeof time === "number") return time >= 1e15 ? time / 1e6 : time * 1000;
  const seconds = typeof time === "string" ? isoSeconds(time) : undefined;
  return seconds === undefined ? undefined : seconds * 1000;
}

function listOf(value: unknown, ...names: string[]): unknown[] {
  if (!isFields(value)) return [];
  for (const name of names) {
    const list = value[name];
    if (Array.isArray(list)) return list;
  }
  return [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
