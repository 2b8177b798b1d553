import type { BodyFields } from "../../client/endpoint/protocol/body_format.ts";
import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";

/** Fields with which a body asks for a longer reply than one token. */
const LENGTH_FIELDS = ["min_tokens", "ignore_eos"];
const encoder = new TextEncoder();

/**
 * Returns a body with a limit of one output token: it fills the server's prefix cache, and its reply
 * is not wanted.
 * @param body pieces of the body
 * @param tailBytes bytes behind its messages; only these are read
 */
export function primedBody(
  body: readonly Uint8Array[],
  tailBytes: number,
  { conversation, outputLimits }: Pick<EndpointType, "conversation" | "outputLimits">,
): Uint8Array[] {
  const { messagesField = "messages" } = conversation ?? {};
  const opening = `{${JSON.stringify(messagesField)}:[`;
  const [head, tail] = parted(body, tailBytes);
  const fields = JSON.parse(opening + tail) as BodyFields;
  for (const name of LENGTH_FIELDS) delete fields[name];
  const limits = outputLimits(fields);
  const [name] = limits.find(([, value]) => value !== undefined) ?? limits[0] ?? [];
  if (name !== undefined) setField(fields, name.split("."), 1);
  return [...head, encoder.encode(JSON.stringify(fields).slice(opening.length))];
}

/** The pieces before the tail, and the text of the tail. */
function parted(
  body: readonly Uint8Array[],
  tailBytes: number,
): readonly [head: Uint8Array[], tail: string] {
  const decoder = new TextDecoder();
  let left = body.reduce((sum, { length }) => sum + length, 0) - tailBytes;
  const head: Uint8Array[] = [];
  let tail = "";
  for (const piece of body) {
    const own = Math.max(0, Math.min(left, piece.length));
    left -= own;
    if (own > 0) head.push(piece.subarray(0, own));
    if (own < piece.length) tail += decoder.decode(piece.subarray(own), { stream: true });
  }
  return [head, tail + decoder.decode()];
}

function setField(fields: BodyFields, path: readonly string[], value: unknown): void {
  const [name = "", ...rest] = path;
  if (rest.length === 0) fields[name] = value;
  else setField((fields[name] ??= {}) as BodyFields, rest, value);
}
