import {
  BACKSLASH,
  CLOSING_BRACE,
  COMMA,
  DOUBLE_QUOTE,
  EQUALS,
  HASH,
  labelNameEnd,
  metricNameEnd,
  nextBlank,
  OPENING_BRACE,
  skipBlanks,
  SPACE,
} from "./characters.ts";
import { isDecimalText, isWholeText, parseFloatText } from "./float_text.ts";
import type { LineGrammar } from "./line_grammar.ts";
import { quoted } from "./quoted.ts";
import { unescapeQuoted } from "./unescape.ts";

/**
 * Longest name in UTF-16 code units. The engine hashes longer strings only by their length, so that
 * looking up many long names of one length would take quadratic time.
 */
export const MAX_NAME_LENGTH = 16_383;

/** Number of labels from which repeated names are found with a set. */
const MANY_LABELS = 12;

/**
 * Reads lines with a value: name, labels, value, timestamp, exemplar.
 *
 * One reader serves a whole page: its fields hold the values of a line until the next line, and a
 * line that breaks the grammar costs no exception, since a page may consist of nothing else.
 */
export class SampleLineReader {
  readonly #grammar: LineGrammar;
  /** The metric name of the last line read. */
  name = "";
  /** Names of its labels, in the order of the line. */
  readonly labelNames: string[] = [];
  /** Values of its labels, unescaped. */
  readonly labelValues: string[] = [];
  /** Value of the sample. */
  value = 0;
  /** Timestamp of the sample as written, empty if there is none. */
  timestamp = "";
  /** Position of its exemplar's `#`, -1 if it has none. */
  exemplarAt = -1;
  /** Names of the exemplar's labels. */
  readonly exemplarNames: string[] = [];
  /** Values of the exemplar's labels, unescaped. */
  readonly exemplarValues: string[] = [];
  /** Position of the defect. */
  problemAt = 0;

  #quoted = "";
  #message = "";
  #text = "";
  #foundEnd = -1;
  #lineEnd = 0;

  constructor(grammar: LineGrammar) {
    this.#grammar = grammar;
  }

  /** Why the last call failed. */
  problem(): string {
    if (this.#foundEnd < 0) return this.#message;
    if (this.problemAt >= this.#lineEnd) return `${this.#message}, found the end of the line`;
    const found = this.#text.slice(this.problemAt, this.#foundEnd);
    return `${this.#message}, found ${quoted(found)}`;
  }

  /** Lets go of the page that the last line was read from. */
  release(): void {
    this.name = "";
    this.labelNames.length = 0;
    this.labelValues.length = 0;
    this.timestamp = "";
    this.exemplarNames.length = 0;
    this.exemplarValues.length = 0;
    this.#quoted = "";
    this.#text = "";
  }

  /**
   * Reads a whole line.
   * @returns whether it follows the grammar
   */
  read(text: string, position: number, end: number): boolean {
    const start = this.#grammar.singleSpaces ? position : skipBlanks(text, position, end);
    const seriesEnd = this.readSeries(text, start, end);
    return seriesEnd >= 0 && this.readTail(text, seriesEnd, end);
  }

  /**
   * Reads name and labels, which start at `position`.
   * @returns where they end, -1 if they break the grammar
   */
  readSeries(text: string, position: number, end: number): number {
    this.#text = text;
    this.#lineEnd = end;
    this.labelNames.length = 0;
    this.labelValues.length = 0;
    const nameEnd = metricNameEnd(text, position, end);
    if (nameEnd - position > MAX_NAME_LENGTH) return this.#failLongName(position);
    this.name = text.slice(position, nameEnd);
    const single = this.#grammar.singleSpaces;
    const next = single ? nameEnd : skipBlanks(text, nameEnd, end);
    if (next < end && text.charCodeAt(next) === OPENING_BRACE) {
      const labelsEnd = this.#readLabels(text, next + 1, end, this.labelNames, this.labelValues);
      if (labelsEnd < 0) return -1;
      if (this.name === "") return this.#fail(next, "Labels without a metric name");
      return labelsEnd;
    }
    if (nameEnd === position) return this.#failAt(position, "Expected a metric name");
    if (single && next < end && text.charCodeAt(next) !== SPACE) {
      return this.#failAt(next, 'Expected a space or "{" after the metric name');
    }
    return nameEnd;
  }

  /**
   * Reads what follows name and labels: value, timestamp, exemplar.
   * @returns whether it follows the grammar
   */
  readTail(text: string, position: number, end: number): boolean {
    this.#text = text;
    this.#lineEnd = end;
    this.timestamp = "";
    this.exemplarAt = -1;
    let at = this.#skipSpace(text, position, end, "the value");
    if (at < 0) return false;
    let tokenEnd = nextBlank(text, at, end);
    if (!this.#readNumber(text, at, tokenEnd, "Expected a number as the value")) return false;
    if (tokenEnd === end) return true;
    at = this.#skipSpace(text, tokenEnd, end, "the timestamp");
    if (at < 0) return false;
    if (at === end) {
      if (!this.#grammar.singleSpaces) return true;
      return this.#refuseAt(tokenEnd, "Expected no space at the end of the line");
    }
    if (text.charCodeAt(at) !== HASH || !this.#grammar.exemplars) {
      tokenEnd = nextBlank(text, at, end);
      this.timestamp = text.slice(at, tokenEnd);
      if (!this.#isTimestamp(this.timestamp)) {
        const wanted = this.#grammar.timestamp === "whole" ? "a whole number" : "a number";
        return this.#refuseToken(at, tokenEnd, `Expected ${wanted} as the timestamp`);
      }
      if (tokenEnd === end) return true;
      at = this.#skipSpace(text, tokenEnd, end, "the exemplar");
      if (at < 0) return false;
      if (at === end) {
        if (!this.#grammar.singleSpaces) return true;
        return this.#refuseAt(tokenEnd, "Expected no space at the end of the line");
      }
    }
    if (!this.#grammar.exemplars) {
      return this.#refuseAt(at, "Expected the end of the line after the timestamp");
    }
    return this.#readExemplar(text, at, end);
  }

  #readExemplar(text: string, position: number, end: number): boolean {
    if (text.charCodeAt(position) !== HASH) {
      return this.#refuseAt(position, 'Expected "#" and an exemplar');
    }
    this.exemplarAt = position;
    this.exemplarNames.length = 0;
    this.exemplarValues.length = 0;
    let at = this.#skipSpace(text, position + 1, end, "the exemplar's labels");
    if (at < 0) return false;
    if (at === end || text.charCodeAt(at) !== OPENING_BRACE) {
      return this.#refuseAt(at, 'Expected "{" and the labels of the exemplar');
    }
    at = this.#readLabels(text, at + 1, end, this.exemplarNames, this.exemplarValues);
    if (at < 0) return false;
    const value = this.value;
    at = this.#skipSpace(text, at, end, "the exemplar's value");
    if (at < 0) return false;
    const valueEnd = nextBlank(text, at, end);
    if (!this.#readNumber(text, at, valueEnd, "Expected a number as the exemplar's value")) {
      return false;
    }
    this.value = value;
    if (valueEnd === end) return true;
    at = this.#skipSpace(text, valueEnd, end, "the exemplar's timestamp");
    if (at < 0) return false;
    if (at === end && !this.#grammar.singleSpaces) return true;
    const stampEnd = nextBlank(text, at, end);
    if (!this.#isTimestamp(text.slice(at, stampEnd))) {
      return this.#refuseToken(at, stampEnd, "Expected a number as the exemplar's timestamp");
    }
    at = this.#grammar.singleSpaces ? stampEnd : skipBlanks(text, stampEnd, end);
    if (at === end) return true;
    return this.#refuseAt(at, "Expected the end of the line after the exemplar");
  }

  /** Reads labels up to the closing brace; a quoted text that is no label is the metric name. */
  #readLabels(
    text: string,
    position: number,
    end: number,
    names: string[],
    values: string[],
  ): number {
    const grammar = this.#grammar;
    const single = grammar.singleSpaces;
    let at = single ? position : skipBlanks(text, position, end);
    if (grammar.leadingComma && at < end && text.charCodeAt(at) === COMMA) {
      at = skipBlanks(text, at + 1, end);
    }
    let afterComma = false;
    while (true) {
      const code = at < end ? text.charCodeAt(at) : -1;
      if (code === CLOSING_BRACE) {
        if (afterComma && !grammar.trailingComma) {
          return this.#failAt(at, 'Expected a label after ","');
        }
        return at + 1;
      }
      const nameAt = at;
      let name: string;
      if (code === DOUBLE_QUOTE) {
        at = this.#readQuoted(text, at, end);
        if (at < 0) return -1;
        name = this.#quoted;
        if (name.length > MAX_NAME_LENGTH) return this.#failLongName(nameAt);
        if (name === "") return this.#fail(nameAt, "A quoted name is empty");
        if (!single) at = skipBlanks(text, at, end);
        const next = at < end ? text.charCodeAt(at) : -1;
        if (next === COMMA || next === CLOSING_BRACE) {
          if (names === this.exemplarNames) {
            return this.#fail(nameAt, "An exemplar has a metric name");
          }
          if (this.name !== "") return this.#fail(nameAt, "The metric name is given twice");
          this.name = name;
          if (next === CLOSING_BRACE) return at + 1;
          at = single ? at + 1 : skipBlanks(text, at + 1, end);
          afterComma = true;
          continue;
        }
        if (next !== EQUALS) {
          return this.#failAt(at, 'Expected "=", "," or "}" after a quoted name');
        }
      } else {
        at = labelNameEnd(text, at, end);
        if (at === nameAt) return this.#failAt(at, 'Expected a label name or "}"');
        if (at - nameAt > MAX_NAME_LENGTH) return this.#failLongName(nameAt);
        name = text.slice(nameAt, at);
        if (!single) at = skipBlanks(text, at, end);
        if (at >= end || text.charCodeAt(at) !== EQUALS) {
          return this.#failAt(at, 'Expected "=" after the label name');
        }
      }
      at = single ? at + 1 : skipBlanks(text, at + 1, end);
      if (at >= end || text.charCodeAt(at) !== DOUBLE_QUOTE) {
        return this.#failAt(at, "Expected a quoted label value");
      }
      at = this.#readQuoted(text, at, end);
      if (at < 0) return -1;
      if (name.charCodeAt(0) === 95 && name.charCodeAt(1) === 95) {
        if (grammar.reservedLabels || name === "__name__") {
          return this.#fail(nameAt, `Label name ${quoted(name)} is reserved`);
        }
      }
      names.push(name);
      values.push(this.#quoted);
      if (names.length <= MANY_LABELS && names.indexOf(name) !== names.length - 1) {
        return this.#failRepeated(name, nameAt);
      }
      if (!single) at = skipBlanks(text, at, end);
      const next = at < end ? text.charCodeAt(at) : -1;
      if (next === COMMA) {
        at = single ? at + 1 : skipBlanks(text, at + 1, end);
        afterComma = true;
      } else if (next === CLOSING_BRACE) {
        break;
      } else {
        return this.#failAt(at, 'Expected "," or "}" after the label value');
      }
    }
    if (names.length > MANY_LABELS) {
      const repeated = firstRepeated(names);
      if (repeated !== undefined) return this.#failRepeated(repeated, position);
    }
    return at + 1;
  }

  /** Reads the quoted text whose opening quote is at `position`. */
  #readQuoted(text: string, position: number, end: number): number {
    let at = position + 1;
    let escaped = false;
    while (at < end) {
      const code = text.charCodeAt(at);
      if (code === DOUBLE_QUOTE) {
        const quoted = text.slice(position + 1, at);
        this.#quoted = escaped ? unescapeQuoted(quoted) : quoted;
        return at + 1;
      }
      if (code === BACKSLASH) {
        escaped = true;
        at++;
      }
      at++;
    }
    return this.#fail(position, "A quoted text has no closing quote");
  }

  #readNumber(text: string, at: number, tokenEnd: number, message: string): boolean {
    const token = text.slice(at, tokenEnd);
    const value = parseFloatText(token);
    if (value === undefined) return this.#refuseToken(at, tokenEnd, message);
    if (this.#grammar.exactNumbers) {
      if (!Number.isFinite(value) && isDecimalText(token)) {
        return this.#refuseToken(at, tokenEnd, "Expected a number that fits a double");
      }
      if (Number.isNaN(value) && token.length > 3) {
        return this.#refuseToken(at, tokenEnd, "Expected a NaN without a sign");
      }
    }
    this.value = value;
    return true;
  }

  #isTimestamp(token: string): boolean {
    if (this.#grammar.timestamp === "whole") return isWholeText(token);
    return isDecimalText(token) && (!this.#grammar.exactNumbers || Number.isFinite(Number(token)));
  }

  /** Skips what separates two tokens; where there is nothing left, the next reading complains. */
  #skipSpace(text: string, position: number, end: number, next: string): number {
    if (!this.#grammar.singleSpaces) return skipBlanks(text, position, end);
    if (position < end && text.charCodeAt(position) === SPACE) return position + 1;
    return this.#failAt(position, `Expected a space before ${next}`);
  }

  #fail(at: number, message: string): -1 {
    this.problemAt = at;
    this.#message = message;
    this.#foundEnd = -1;
    return -1;
  }

  /** Fails, and quotes the character that was found. */
  #failAt(at: number, message: string): -1 {
    this.problemAt = at;
    this.#message = message;
    this.#foundEnd = at + ((this.#text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
    return -1;
  }

  #refuseAt(at: number, message: string): false {
    this.#failAt(at, message);
    return false;
  }

  /** Fails, and quotes the token that was found. */
  #refuseToken(at: number, tokenEnd: number, message: string): false {
    this.problemAt = at;
    this.#message = message;
    this.#foundEnd = Math.max(tokenEnd, at + 1);
    return false;
  }

  #failLongName(at: number): -1 {
    return this.#fail(at, `A name is longer than ${MAX_NAME_LENGTH} characters`);
  }

  #failRepeated(name: string, at: number): -1 {
    return this.#fail(at, `Label name ${quoted(name)} is given twice`);
  }
}

function firstRepeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}
