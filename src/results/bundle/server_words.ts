/**
 * What servers said about failures. A server may quote the request, as FastAPI's 422 does, or its own
 * reply: whoever shares a run without prompts and replies shares a kind and a status instead.
 */

import { ERROR_KINDS, type ErrorKind } from "../../client/record/error_kind.ts";
import type { StoredRecord } from "../../client/record/record_file.ts";
import { FIELD } from "../../client/record/request_fields.ts";
import { namelessFlaw } from "./nameless_flaw.ts";
import { replacedTexts } from "./replaced_texts.ts";

/** Kinds whose text is the client's own, and repeats nothing that was sent or received. */
const OWN_WORDS: ReadonlySet<string> = new Set<ErrorKind>([
  ...["connect", "tls", "timeout", "connection_closed", "cancelled", "cut_off"] as const,
  ...["worker_lost", "cancelled_on_purpose"] as const,
]);
/** A finish reason as servers have them; another text may be anything. */
const FINISH_REASON = /^[\w.-]{1,40}$/;
/** Beginning by which a text is found that was cut off somewhere else. */
const BEGINNING = 16;
const MIN_FOUND = 8;
const LINE_FINISH_REASON = /("finish_reason"\s*:\s*)("(?:[^"\\]|\\.)*")/g;

/** The texts of a run that are replaced. */
export class ServerWords {
  readonly #beginnings = new Set<string>();
  #count = 0;

  /** How many texts were replaced. */
  get count(): number {
    return this.#count;
  }

  /** Notes a text that is not to be packed. */
  add(text: string): void {
    this.#count++;
    // A shorter text is in others by chance.
    if (text.trim().length >= MIN_FOUND) this.#beginnings.add(text.trim().slice(0, BEGINNING));
  }

  /** Returns a record without the words of a server, and without names that its request has. */
  withoutWords(record: StoredRecord): StoredRecord {
    const { error, finishReason, flaw, row } = record;
    const kind = ERROR_KINDS[row[FIELD.errorKind] as number];
    return {
      ...record,
      error: error === undefined ? undefined : errorWords(error, kind, row[FIELD.status]),
      finishReason: isPlainReason(finishReason) ? finishReason : "other",
      flaw: flaw === undefined ? undefined : namelessFlaw(flaw),
      flawTexts: undefined,
    };
  }

  /** Returns whether a text repeats one of those that were noted, or its beginning. */
  isIn(text: string): boolean {
    for (const beginning of this.#beginnings) if (text.includes(beginning)) return true;
    return false;
  }

  /** Returns lines of requests with kinds and status codes in the places of the texts. */
  withoutWordsInLines(lines: string): string {
    return lines.split("\n").map((line) => this.#withoutWordsInLine(line)).join("\n");
  }

  #withoutWordsInLine(line: string): string {
    if (!/"(?:error|finish_reason|flaw)"/.test(line)) return line;
    const error = errorIn(line);
    const { code, kind, message, type } = error ?? {};
    const words = errorWords(String(message ?? ""), kind ?? type, code);
    // AIPerf's lines have blanks, and further fields, in places of their own.
    return replacedTexts(
      line,
      (text, key) =>
        key === '"flaw"'
          ? namelessFlaw(text)
          : key === '"message"' && text === message
          ? words
          : text,
    )
      .replace(
        LINE_FINISH_REASON,
        (whole, head: string, text: string) =>
          FINISH_REASON.test(text.slice(1, -1)) ? whole : `${head}"other"`,
      );
  }
}

/** Returns the replacement of the words of a server: the status of its reply, or the kind. */
export function errorWords(text: string, kind: unknown, status: unknown): string {
  if (typeof kind === "string" && OWN_WORDS.has(kind)) return text;
  if (Number(status) >= 400) return `HTTP ${status}`;
  return typeof kind === "string" && FINISH_REASON.test(kind) ? kind.replaceAll("_", " ") : "error";
}

/** Whether a finish reason is one that servers have, and no text of a reply. */
function isPlainReason(reason: string | null): boolean {
  return reason === null || FINISH_REASON.test(reason);
}

function errorIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line)?.error ?? undefined;
  } catch {
    return undefined;
  }
}
