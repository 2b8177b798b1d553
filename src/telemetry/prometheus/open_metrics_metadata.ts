import { DOUBLE_QUOTE, HASH, metricNameEnd, SPACE } from "./characters.ts";
import {
  familyTypeOf,
  fault,
  type MetadataFault,
  type MetadataLine,
  quotedTextEnd,
} from "./metadata_line.ts";
import { quoted } from "./quoted.ts";
import { MAX_NAME_LENGTH } from "./sample_line.ts";
import { unescapeQuoted } from "./unescape.ts";

/** Characters of a unit are those of a name, and it may be empty. */
const UNIT = /^[a-zA-Z0-9_:]*$/;

/**
 * Reads a line that starts with `#` by the letter of OpenMetrics 1.0: `# TYPE name type`, with one
 * space between its parts; other lines that start with `#` are faults. Names may be quoted.
 */
export function readOpenMetricsMetadata(line: string): MetadataLine | MetadataFault {
  const kind = line.slice(2, 6);
  const isKnown = kind === "HELP" || kind === "TYPE" || kind === "UNIT";
  if (!isKnown || line.charCodeAt(0) !== HASH || line.charCodeAt(1) !== SPACE) {
    return fault(0, "Expected # TYPE, # HELP, # UNIT or # EOF");
  }
  if (line.charCodeAt(6) !== SPACE) return fault(6, `Expected a space after ${kind}`);
  let name: string;
  let nameEnd: number;
  if (line.charCodeAt(7) === DOUBLE_QUOTE) {
    nameEnd = quotedTextEnd(line, 7);
    if (nameEnd < 0) return fault(7, "A quoted name has no closing quote");
    name = unescapeQuoted(line.slice(8, nameEnd - 1));
    if (name === "") return fault(7, "A quoted name is empty");
  } else {
    nameEnd = metricNameEnd(line, 7, line.length);
    name = line.slice(7, nameEnd);
    if (name === "") return fault(7, `Expected a metric name after ${kind}`);
  }
  if (name.length > MAX_NAME_LENGTH) {
    return fault(7, `A name is longer than ${MAX_NAME_LENGTH} characters`);
  }
  if (line.charCodeAt(nameEnd) !== SPACE) {
    return fault(nameEnd, `Expected a space after the metric name in a ${kind} line`);
  }
  const textAt = nameEnd + 1;
  const text = line.slice(textAt);
  if (kind === "HELP") return { kind, name, text: unescapeQuoted(text), textAt };
  if (kind === "TYPE" && (text === "untyped" || familyTypeOf(text) !== text)) {
    return fault(textAt, `Expected an OpenMetrics type, found ${quoted(text)}`);
  }
  if (kind === "UNIT" && !UNIT.test(text)) {
    return fault(textAt, `Expected a unit, found ${quoted(text)}`);
  }
  return { kind, name, text, textAt };
}
