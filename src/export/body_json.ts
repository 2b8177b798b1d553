import type { BodyFormat } from "../endpoint/body_format.ts";

const decoder = new TextDecoder();

/** A request body as JSON: as it was sent, or its fields where it was sent in another format. */
export function bodyJson(body: Uint8Array, format: BodyFormat): string {
  return format.isJson ? decoder.decode(body) : JSON.stringify(format.decode(body) ?? null);
}
