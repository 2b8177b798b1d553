/**
 * Messages of OTLP as JSON: the Protobuf definitions by their JSON mapping, in which 64-bit numbers
 * are texts, and IDs of traces and spans hexadecimal digits.
 */

import { VERSION } from "../../config/plan/version.ts";

/** What an attribute may be here. */
export type AttributeValue = string | number | boolean | bigint | readonly string[];

/** Attributes by their keys; those that are undefined are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** A part of a message. */
export type OtlpObject = Readonly<Record<string, unknown>>;

const SCOPE = { "name": "inferometer", "version": VERSION };

/** A message of metrics. */
export function metricsMessage(resource: Attributes, metrics: readonly OtlpObject[]): string {
  return JSON.stringify({
    "resourceMetrics": [{
      "resource": { "attributes": attributeList(resource) },
      "scopeMetrics": [{ "scope": SCOPE, "metrics": metrics }],
    }],
  });
}

/** A message of spans. */
export function spansMessage(resource: Attributes, spans: readonly OtlpObject[]): string {
  return JSON.stringify({
    "resourceSpans": [{
      "resource": { "attributes": attributeList(resource) },
      "scopeSpans": [{ "scope": SCOPE, "spans": spans }],
    }],
  });
}

/** Attributes as a list of keys and typed values. */
export function attributeList(attributes: Attributes): OtlpObject[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ "key": key, "value": anyValue(value) }]
  );
}

function anyValue(value: AttributeValue): OtlpObject {
  switch (typeof value) {
    case "string":
      return { "stringValue": value.toWellFormed() };
    case "boolean":
      return { "boolValue": value };
    case "bigint":
      return { "intValue": String(value) };
    case "number":
      return Number.isSafeInteger(value) ? { "intValue": String(value) } : { "doubleValue": value };
    default:
      return { "arrayValue": { "values": value.map(anyValue) } };
  }
}

/** What an HTTP reply says it did not take, and why. */
export interface PartialSuccess {
  readonly rejected: number;
  readonly reason: string;
}

/** Reads the reply to a message; one that is no JSON took everything. */
export function partialSuccess(reply: string): PartialSuccess {
  let body: unknown;
  try {
    body = JSON.parse(reply);
  } catch {
    return { rejected: 0, reason: "" };
  }
  const partial = ((body ?? {}) as Record<string, Record<string, unknown>>)["partialSuccess"] ?? {};
  const rejected = Number(partial["rejectedSpans"] ?? partial["rejectedDataPoints"] ?? 0);
  return {
    rejected: Number.isFinite(rejected) ? Math.max(0, rejected) : 0,
    reason: String(partial["errorMessage"] ?? ""),
  };
}
