import type { ProseText } from "./prose_text.ts";
import { PLACEHOLDER, type SourceToken, sourceTokens } from "./source_tokens.ts";

/** Fewest words of a message; shorter strings are names and codes. */
const MIN_MESSAGE_WORDS = 4;
/** Files whose strings are help texts. */
const HELP = /^src\/config\/options\/(?:profile|commands)\/|^src\/cli\/commands\.ts$/;
/** Keys of option tables whose values are prose, however short. */
const PROSE_KEYS = /^(?:help|defaultText|refused|description|rule|title|label|hint|remark)$/;
const TAGS_WITHOUT_PROSE = /^(?:default|example|module|internal)$/;

/** Returns the doc comments, help texts and messages of a source file. */
export function sourceTexts(source: string, file: string): ProseText[] {
  const tokens = sourceTokens(source);
  const rows = source.split("\n");
  const lineOf = lineFinder(rows);
  const isHelp = HELP.test(file);
  const texts: ProseText[] = [];
  for (const { text, offset, key } of joinedStrings(tokens)) {
    const line = lineOf(offset);
    if (rows[line - 1]?.includes("prose: ignore") === true) continue;
    if (key === "from" || key === "import" || /^(?:\.\.?\/|npm:|jsr:|http)/.test(text)) continue;
    const minWords = !isHelp ? MIN_MESSAGE_WORDS : PROSE_KEYS.test(key) ? 1 : 3;
    if (!isProse(text, minWords) || isHelp && key === "example") continue;
    for (const [row, piece] of piecesOf(text)) {
      const cleaned = words(withoutUrls(piece)).join(" ").replace(/`[^`]*`/g, "CODE");
      const kind = isHelp ? "help" : "messages";
      texts.push({ kind, file, line: line + row, text: cleaned, role: "string" });
    }
  }
  for (const { type, text, start } of tokens) {
    if (type === "doc") texts.push(...commentTexts(text, file, lineOf(start)));
  }
  return texts;
}

/** Returns a function that gives the line of an offset, from 1. */
function lineFinder(rows: readonly string[]): (offset: number) => number {
  let length = 0;
  const ends = rows.map((row) => length += row.length + 1);
  return (offset) => ends.findIndex((end) => offset < end) + 1;
}

interface JoinedString {
  readonly text: string;
  readonly offset: number;
  /** Word before the colon or bracket that precedes the string. */
  readonly key: string;
}

/** Returns each string together with the ones that `+` adds to it. */
function joinedStrings(tokens: readonly SourceToken[]): JoinedString[] {
  const all = tokens.filter(({ type }) => type !== "doc");
  const joined = new Set<SourceToken>();
  const found: JoinedString[] = [];
  for (const [index, token] of all.entries()) {
    if (token.type !== "string" || joined.has(token)) continue;
    let text = token.text;
    let last = token;
    for (let at = index + 1; at < all.length; at++) {
      const plus = all[at] as SourceToken;
      // Tokens of a template's placeholders follow the template.
      if (plus.start < last.end) continue;
      const next = all[at + 1];
      if (next === undefined || plus.type !== "char" || plus.text !== "+") break;
      if (next.type !== "string") {
        text += ` ${PLACEHOLDER}`;
        break;
      }
      joined.add(next);
      text += next.text;
      last = next;
      at++;
    }
    const before = all[index - 1];
    const isValue = before?.type === "char" && (before.text === ":" || before.text === "(");
    found.push({ text, offset: token.start, key: isValue ? all[index - 2]?.text ?? "" : "" });
  }
  return found;
}

/** Whether a string is a text, rather than a name, a command line or code. */
function isProse(text: string, minWords: number): boolean {
  const found = withoutUrls(text.replaceAll(PLACEHOLDER, " ")).match(/[A-Za-z][A-Za-z'\u2019-]*/g);
  if (found === null || found.length < minWords || words(text).length < minWords) return false;
  const code = /=>|\bfunction\b|\{\{|\bvar\(|;\s*$|^\s*[.#@][\w-]+\s*\{|^(?:import|export) /;
  if (code.test(text)) return false;
  const characters = [...text.replaceAll(PLACEHOLDER, "")];
  const letters = characters.filter((char) => /[\p{L} ,.;:']/u.test(char)).length;
  if (letters < 0.75 * Math.max(1, characters.length)) return false;
  if (/^\s*(?:--?[a-z]|[a-z]+ --)/.test(text)) {
    // A command line, unless a sentence begins with an option.
    const others = text.replace(/--[\w-]+(?: [\w./:]+)?/g, "").match(/(?<![-\w])[a-z]+(?![-\w])/g);
    return (others?.length ?? 0) >= 6;
  }
  return found.filter((word) => word === word.toLowerCase()).length >= 0.5 * found.length;
}

/** Splits a template of several lines, such as a generated script, into comments and sentences. */
function piecesOf(text: string): [row: number, piece: string][] {
  const rows = text.split("\n");
  if (rows.length === 1) return [[0, text]];
  const pieces: [number, string][] = [];
  let comment: string[] = [];
  for (const [row, line] of [...rows, ""].entries()) {
    const stripped = line.trim();
    if (stripped.startsWith("#")) {
      comment.push(stripped.replace(/^[# ]+/, ""));
      continue;
    }
    if (comment.length > 0) pieces.push([row - comment.length, comment.join(" ")]);
    comment = [];
    if (isProse(stripped, MIN_MESSAGE_WORDS)) pieces.push([row, stripped]);
  }
  return pieces;
}

/** Returns the paragraphs, list items and tags of a doc comment. */
function commentTexts(body: string, file: string, line: number): ProseText[] {
  const text = body.split("\n").map((row) => row.replace(/^\s*\*\s?/, "")).join("\n")
    .replace(/```[\s\S]*?```/g, "")
    .replace(/\{@link(?:code|plain)?\s+([^}]*)\}/g, "CODE")
    .replace(/`[^`]*`/g, "CODE");
  return text.split(/(?:^|\n)\s*@/).flatMap((piece, index) => {
    const prose = index === 0 ? piece : tagText(piece);
    return prose.split(/\n\s*\n/).flatMap((paragraph, number) => {
      const items = paragraph.split(/\n\s*[-*]\s+/);
      const isFirst = number === 0 && items.length === 1;
      const role = index > 0 ? "tag" : isFirst ? "comment" : "more";
      return items.map((item) => words(item).join(" ")).filter((item) => item !== "")
        .map((item): ProseText => ({ kind: "comments", file, line, text: item, role }));
    });
  });
}

/** Returns the prose of a tag such as `@throws`, without its name and the names it describes. */
function tagText(piece: string): string {
  const [head, tag] = /^(\w+)\s*/.exec(piece) ?? ["", ""];
  const text = piece.slice(head.length);
  if (TAGS_WITHOUT_PROSE.test(tag)) return "";
  if (tag === "param") return text.replace(/^[\w.$[\]]+\s*(?:-\s*)?/, "");
  return tag === "throws" || tag === "typeParam" ? text.replace(/^(?:\{[^}]*\}|\w+)\s*/, "") : text;
}

function withoutUrls(text: string): string {
  return text.replace(/<[^<>\n]{1,200}>/g, " ").replace(/https?:\/\/\S+/g, "URL");
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
