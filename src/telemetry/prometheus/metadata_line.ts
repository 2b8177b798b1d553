import {
  BACKSLASH,
  DOUBLE_QUOTE,
  HASH,
  metricNameEnd,
  nextBlank,
  skipBlanks,
  SPACE,
  TAB,
} from "./characters.ts";
import type { FamilyType } from "./exposition.ts";
import { MAX_NAME_LENGTH } from "./sample_line.ts";
import { unescapeClassicHelp, unescapeQuoted } from "./unescape.ts";

/** A HELP, TYPE or UNIT line. */
export interface MetadataLine {
  readonly kind: "HELP" | "TYPE" | "UNIT";
  readonly name: string;
  /** The HELP text unescaped, the type's word, or the unit. */
  readonly text: string;
  /** Start of the text in the line. */
  readonly textAt: number;
}

/** The reason why a HELP, TYPE or UNIT line cannot be read. */
export interface MetadataFault {
  readonly kind: "fault";
  /** Column in the line, from 0. */
  readonly at: number;
  readonly message: string;
}

/** Words of TYPE lines. */
const TYPES: ReadonlyMap<string, FamilyType> = new Map([
  ["counter", "counter"],
  ["gauge", "gauge"],
  ["histogram", "histogram"],
  ["summary", "summary"],
  ["untyped", "unknown"],
  ["unknown", "unknown"],
  ["info", "info"],
  ["stateset", "stateset"],
  ["gaugehistogram", "gaugehistogram"],
]);

/** The type that a word of a TYPE line means, whatever its case; `undefined` if it means none. */
export function familyTypeOf(word: string): FamilyType | undefined {
  return TYPES.get(word) ?? (word.length < 20 ? TYPES.get(word.toLowerCase()) : undefined);
}

/**
 * Reads a line that starts with `#`, with any number of spaces between its tokens.
 * @param openMetrics UNIT lines count, and `\"` in HELP texts is an escape
 * @returns `undefined` for a comment
 */
export function readMetadataLine(
  line: string,
  openMetrics: boolean,
): MetadataLine | MetadataFault | undefined {
  const end = line.length;
  if (end < 2 || line.charCodeAt(0) !== HASH) return undefined;
  const second = line.charCodeAt(1);
  if (second !== SPACE && second !== TAB) return undefined;
  const wordAt = skipBlanks(line, 1, end);
  const wordEnd = wordAt + 4;
  if (wordEnd >= end || nextBlank(line, wordEnd, end) !== wordEnd) return undefined;
  const kind = line.slice(wordAt, wordEnd);
  if (kind !== "HELP" && kind !== "TYPE" && !(kind === "UNIT" && openMetrics)) return undefined;

  const nameAt = skipBlanks(line, wordEnd, end);
  if (nameAt === end) {
    return kind === "HELP" ? undefined : fault(nameAt, `Expected a metric name after ${kind}`);
  }
  let name: string;
  let nameEnd: number;
  if (line.charCodeAt(nameAt) === DOUBLE_QUOTE) {
    nameEnd = quotedTextEnd(line, nameAt);
    if (nameEnd < 0) return fault(nameAt, "A quoted name has no closing quote");
    name = unescapeQuoted(line.slice(nameAt + 1, nameEnd - 1));
    if (name === "") return fault(nameAt, "A quoted name is empty");
  } else {
    nameEnd = metricNameEnd(line, nameAt, end);
    name = line.slice(nameAt, nameEnd);
    if (name === "") return fault(nameAt, `Expected a metric name after ${kind}`);
  }
  if (name.length > MAX_NAME_LENGTH) {
    return fault(nameAt, `A name is longer than ${MAX_NAME_LENGTH} characters`);
  }
  if (nameEnd < end && nextBlank(line, nameEnd, end) !== nameEnd) {
    return fault(nameEnd, `Expected a space after the metric name in a ${kind} line`);
  }
  const textAt = skipBlanks(line, nameEnd, end);
  const text = trimEnd(line.slice(textAt));
  if (kind !== "HELP") return { kind, name, text, textAt };
  return {
    kind,
    name,
    text: openMetrics ? unescapeQuoted(text) : unescapeClassicHelp(text),
    textAt,
  };
}

/** End of the quoted text at `position`, behind its closing quote; -1 if it has none. */
export function quotedTextEnd(line: string, position: number): number {
  for (let at = position + 1; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === DOUBLE_QUOTE) return at + 1;
  }
  return -1;
}

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text.charCodeAt(end - 1) === SPACE || text.charCodeAt(end - 1) === TAB)) end--;
  return text.slice(0, end);
}

/** Returns the fault at a position that cannot be read. */
export function fault(at: number, message: string): MetadataFault {
  return { kind: "fault", at, message };
}
