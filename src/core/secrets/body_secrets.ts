/**
 * Keys inside request bodies, as the rows of an input file may have them: values under the names of
 * secrets. A body is read as text, so that everything else in it stays byte for byte as it is sent.
 */

import { REDACTED, type Redactor, redactor } from "./redactor.ts";
import { isSecretName } from "./secret_names.ts";

/** A key of an object and what separates it from its value. */
const KEY = /"([^"\\]{2,80})"\s*:\s*/g;
const TEXT = /"(?:[^"\\]|\\.)*"/y;
const NUMBER = /-?\d[\d.eE+-]*/y;
/** An object that describes a parameter of a tool instead of giving its value. */
const SCHEMA = /^\{\s*(?:"[^"\\]*"\s*:\s*"[^"\\]*"\s*,\s*)*"(?:type|\$ref|anyOf|oneOf|enum)"\s*:/;
/** Names of texts that servers sign, and want back as they were. */
const SIGNED = new Set(["signature", "thought_signature", "thoughtSignature"]);
/** Redactors that are kept: most bodies have the same key. */
const MAX_KEPT = 64;

/** Place of a secret value in a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns the JSON text of a body without the values under secrets' names. */
export function redactedBody(json: string): string {
  let redacted = "";
  let from = 0;
  for (const { start, end } of secretSpans(json)) {
    redacted += `${json.slice(from, start)}"${REDACTED}"`;
    from = end;
  }
  return from === 0 ? json : redacted + json.slice(from);
}

/** Returns the texts and numbers under secrets' names in the JSON text of a body. */
export function secretsOfBody(json: string): string[] {
  const secrets = new Set<string>();
  for (const { start, end } of secretSpans(json)) {
    try {
      collect(JSON.parse(json.slice(start, end)), secrets);
    } catch {
      // What is no JSON is sent as it is, and is no value.
    }
  }
  return [...secrets];
}

/** Takes the secrets of a request's own body out of what a server says about the request. */
export class BodyRedactor {
  readonly #redact: Redactor;
  readonly #kept = new Map<string, Redactor>();

  /** @param redact takes out the secrets of the run */
  constructor(redact: Redactor) {
    this.#redact = redact;
  }

  /** Returns a text without the secrets of the run, and those in a body. */
  redacted(text: string, body: string): string {
    return this.of(body)(text);
  }

  /** Redactor of the secrets of the run and of those in a body, for several texts about one request. */
  of(body: string): Redactor {
    const secrets = secretsOfBody(body);
    if (secrets.length === 0) return this.#redact;
    const own = this.#redactorOf(secrets);
    return (text) => own(this.#redact(text));
  }

  #redactorOf(secrets: readonly string[]): Redactor {
    const key = JSON.stringify(secrets);
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    const made = redactor(secrets);
    this.#kept.set(key, made);
    return made;
  }
}

function collect(value: unknown, secrets: Set<string>): void {
  if (typeof value === "string" || typeof value === "number") secrets.add(String(value));
  else if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) collect(inner, secrets);
  }
}

function* secretSpans(json: string): Generator<Span> {
  KEY.lastIndex = 0;
  for (let at = 0;;) {
    KEY.lastIndex = at;
    const found = KEY.exec(json);
    if (found === null) return;
    const start = found.index + found[0].length;
    at = start;
    const name = found[1] as string;
    if (SIGNED.has(name) || !isSecretName(name)) continue;
    const end = valueEnd(json, start);
    if (end === undefined) continue;
    yield { start, end };
    at = end;
  }
}

/** Returns the end of a value that is a secret; undefined for a value that is not. */
function valueEnd(json: string, start: number): number | undefined {
  const first = json[start];
  if (first === "{" || first === "[") {
    return SCHEMA.test(json.slice(start, start + 1000)) ? undefined : closing(json, start);
  }
  const pattern = first === '"' ? TEXT : NUMBER;
  pattern.lastIndex = start;
  return pattern.test(json) ? pattern.lastIndex : undefined;
}

/** The end of an object or a list. */
function closing(json: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const character = json[at];
    if (character === '"') {
      TEXT.lastIndex = at;
      if (!TEXT.test(json)) return undefined;
      at = TEXT.lastIndex - 1;
    } else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return at + 1;
  }
  return undefined;
}
