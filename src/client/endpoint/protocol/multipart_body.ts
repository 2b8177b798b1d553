/**
 * Bodies that are forms with files, `multipart/form-data`.
 *
 * A file is a field with its name, its type and its bytes in base64, so that the fields of a body
 * can be shown, kept and replayed as JSON.
 */

import { decodeBase64, encodeBase64 } from "./base64.ts";
import type { BodyFields, BodyFormat } from "./body_format.ts";
import { isFields } from "./delta.ts";
import { formatOf, type MediaData } from "./media_data.ts";

const encoder = new TextEncoder();
/** A text may begin with what looks like a byte order mark. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** Reads each byte as one character, which may be another one. */
const byteDecoder = new TextDecoder("latin1");

/** No file has it in it. */
const BOUNDARY = "inferometer-5f0c1a7de94b42d68c13b7a2e06f9d85";

/** A file as a field has it, under AIPerf's names. */
export interface FormFile {
  readonly "filename": string;
  readonly "content_type": string;
  readonly "b64_data": string;
}

/** The field of a file with these bytes. */
export function formFile(data: MediaData, name: string): FormFile {
  const ending = formatOf(data).replace("jpeg", "jpg");
  return {
    "filename": ending === "" ? name : `${name}.${ending}`,
    "content_type": data.type || "application/octet-stream",
    "b64_data": data.base64,
  };
}

/** Whether the value of a field is a file. */
export function isFormFile(value: unknown): value is FormFile & BodyFields {
  return isFields(value) && typeof value["b64_data"] === "string";
}

/**
 * See the module's comment. Texts are as they are, other values are JSON; each entry of a list is a
 * field of its own, as in `timestamp_granularities[]`.
 */
export const MULTIPART_BODY: BodyFormat = {
  contentType: `multipart/form-data; boundary=${BOUNDARY}`,
  isJson: false,
  description: "a form (multipart/form-data)",

  encode(fields) {
    const pieces: Uint8Array[] = [];
    for (const [name, value] of fieldsOneByOne(fields)) {
      if (value === undefined || value === null) continue;
      pieces.push(encoder.encode(headOf(name, value)));
      pieces.push(contentOf(value), encoder.encode("\r\n"));
    }
    pieces.push(encoder.encode(`--${BOUNDARY}--\r\n`));
    const body = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of pieces) {
      body.set(piece, at);
      at += piece.length;
    }
    return body;
  },

  decode(bytes) {
    const text = byteDecoder.decode(bytes);
    const mark = /^--\S+(?=\r\n)/.exec(text)?.[0];
    if (mark === undefined) return undefined;
    const fields = new Map<string, unknown[]>();
    let start = mark.length + 2;
    for (;;) {
      const headEnd = text.indexOf("\r\n\r\n", start);
      const end = headEnd < 0 ? -1 : text.indexOf(`\r\n${mark}`, headEnd + 2);
      if (end < 0) return undefined;
      const head = decoder.decode(bytes.subarray(start, headEnd));
      const name = parameterOf(head, "name");
      if (name === undefined) return undefined;
      const value = valueOf(head, bytes.subarray(Math.min(headEnd + 4, end), end));
      fields.set(name, [...fields.get(name) ?? [], value]);
      start = end + 2 + mark.length + 2;
      if (text.startsWith("--", start - 2)) {
        return Object.fromEntries(
          [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
        );
      }
    }
  },
};

function* fieldsOneByOne(fields: BodyFields): Generator<[name: string, value: unknown]> {
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value)) { for (const entry of value) yield [name, entry]; }
    else yield [name, value];
  }
}

/** Returns the bytes before the value of a field. */
function headOf(name: string, value: unknown): string {
  const lines = [`--${BOUNDARY}`, `Content-Disposition: form-data; name="${quoted(name)}"`];
  if (isFormFile(value)) {
    lines[1] += `; filename="${quoted(value.filename)}"`;
    lines.push(`Content-Type: ${value.content_type.replace(/[\r\n]/g, "")}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function contentOf(value: unknown): Uint8Array {
  if (isFormFile(value)) {
    const bytes = decodeBase64(value.b64_data);
    if (bytes === undefined) throw new RangeError(`${value.filename} is not valid base64`);
    return bytes;
  }
  return encoder.encode(typeof value === "string" ? value : JSON.stringify(value));
}

function valueOf(head: string, bytes: Uint8Array): unknown {
  const filename = parameterOf(head, "filename");
  if (filename === undefined) return decoder.decode(bytes);
  const [, type] = /^content-type:\s*(\S[^\r\n]*)$/im.exec(head) ?? [];
  return { "filename": filename, "content_type": type ?? "", "b64_data": encodeBase64(bytes) };
}

/** Escapes as browsers do. */
function quoted(text: string): string {
  return text.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
}

function parameterOf(head: string, name: string): string | undefined {
  return new RegExp(`;\\s*${name}="([^"\r\n]*)"`, "i").exec(head)?.[1]
    ?.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n");
}
