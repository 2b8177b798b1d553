/** A part of a pattern. */
export type PatternNode =
  /** A character, an escape or a class, as it is written. */
  | { readonly kind: "atom"; readonly source: string }
  /** An anchor, a word boundary or a flag: something that takes no character. */
  | { readonly kind: "mark"; readonly source: string }
  /** @param open the beginning of the group, without its name */
  | { readonly kind: "group"; readonly open: string; readonly inner: PatternNode }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "either"; readonly parts: readonly PatternNode[] }
  | {
    readonly kind: "repeat";
    readonly inner: PatternNode;
    readonly min: number;
    /** Infinity for no limit. */
    readonly max: number;
  };

const MARK = /^(?:[\^$]|\\[AzZbB]|\(\?[a-zA-Z-]+\))/;
const ESCAPE = /^\\(?:x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|[pP][A-Z]|[0-7]{1,3}|[\s\S])/;
const GROUP = /^\((?:\?P?<[A-Za-z_]\w*>|\?[a-zA-Z-]*:|(?!\?))/;
const CLASS = /^\[\^?\]?(?:\\[\s\S]|\[:\^?[a-z]+:\]|[^\]\\])*\]/;
const REPEAT = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/;
/** Nesting of groups beyond which a pattern is not read. */
const MAX_DEPTH = 200;

/** Returns the parts of a pattern in RE2's syntax; undefined for other syntax. */
export function patternNode(source: string): PatternNode | undefined {
  const reader = { source, at: 0, depth: 0 };
  const node = readEither(reader);
  return node !== undefined && reader.at === source.length ? node : undefined;
}

interface Reader {
  readonly source: string;
  at: number;
  depth: number;
}

function readEither(reader: Reader): PatternNode | undefined {
  const parts: PatternNode[] = [];
  for (;;) {
    const part = readSequence(reader);
    if (part === undefined) return undefined;
    parts.push(part);
    if (reader.source[reader.at] !== "|") break;
    reader.at++;
  }
  return parts.length === 1 ? parts[0] : { kind: "either", parts };
}

function readSequence(reader: Reader): PatternNode | undefined {
  const parts: PatternNode[] = [];
  for (;;) {
    const next = reader.source[reader.at];
    if (next === undefined || next === "|" || next === ")") return { kind: "sequence", parts };
    const part = readPart(reader);
    if (part === undefined) return undefined;
    const repeat = taken(reader, REPEAT);
    parts.push(repeat === undefined ? part : repeated(part, repeat));
  }
}

function readPart(reader: Reader): PatternNode | undefined {
  const mark = taken(reader, MARK)?.[0];
  if (mark !== undefined) return { kind: "mark", source: mark };
  const group = taken(reader, GROUP)?.[0];
  if (group !== undefined) {
    if (++reader.depth > MAX_DEPTH) return undefined;
    const inner = readEither(reader);
    reader.depth--;
    if (inner === undefined || reader.source[reader.at] !== ")") return undefined;
    reader.at++;
    return { kind: "group", open: /^\(\?[a-zA-Z-]*:/.test(group) ? group : "(?:", inner };
  }
  const source = (taken(reader, CLASS) ?? taken(reader, ESCAPE))?.[0] ?? character(reader);
  return source === undefined ? undefined : { kind: "atom", source };
}

function character(reader: Reader): string | undefined {
  const point = reader.source.codePointAt(reader.at);
  if (point === undefined) return undefined;
  const char = String.fromCodePoint(point);
  if ("()[*+?\\".includes(char)) return undefined;
  reader.at += char.length;
  return char;
}

function taken(reader: Reader, pattern: RegExp): RegExpExecArray | undefined {
  const found = pattern.exec(reader.source.slice(reader.at));
  if (found === null) return undefined;
  reader.at += found[0].length;
  return found;
}

function repeated(inner: PatternNode, [, sign, least, comma, most]: RegExpExecArray): PatternNode {
  if (sign !== undefined) {
    return { kind: "repeat", inner, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity };
  }
  const min = Number(least);
  const max = comma === undefined ? min : most === "" ? Infinity : Number(most);
  return { kind: "repeat", inner, min, max };
}
