import type { BodyFormat } from "../../../client/endpoint/protocol/body_format.ts";
import { escapedControls } from "../../../core/files/escaped_controls.ts";
import { redactedBody } from "../../../core/secrets/body_secrets.ts";
import { redactedJson, type Redactor } from "../../../core/secrets/redactor.ts";

const decoder = new TextDecoder();

/**
 * A request body as JSON, without secrets: as it was sent, or its fields where it was sent in another
 * format.
 */
export function bodyJson(body: Uint8Array, format: BodyFormat, redact: Redactor): string {
  return redactedBodyText(bodyText(body, format), redact);
}

/** JSON text of a request body, without secrets. */
export function redactedBodyText(text: string, redact: Redactor): string {
  return escapedControls(redactedJson(redactedBody(text), redact));
}

/** A request body as JSON, with its secrets. */
export function bodyText(body: Uint8Array, format: BodyFormat): string {
  return format.isJson ? decoder.decode(body) : JSON.stringify(format.decode(body) ?? null);
}
