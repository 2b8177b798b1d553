import type { BodyFormat } from "../../../client/endpoint/protocol/body_format.ts";
import { escapedControls } from "../../../core/files/escaped_controls.ts";
import { redactedJson, type Redactor } from "../../../core/secrets/redactor.ts";

const decoder = new TextDecoder();

/**
 * A request body as JSON, without secrets: as it was sent, or its fields where it was sent in another
 * format.
 */
export function bodyJson(body: Uint8Array, format: BodyFormat, redact: Redactor): string {
  const json = format.isJson ? decoder.decode(body) : JSON.stringify(format.decode(body) ?? null);
  return escapedControls(redactedJson(json, redact));
}
