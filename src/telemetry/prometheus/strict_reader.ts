import { HASH, nextBlank, skipBlanks } from "./characters.ts";
import { END_OF_PAGE } from "./content_type.ts";
import type { DecodedPage } from "./decode_page.ts";
import type { FamilyCollector } from "./family_collector.ts";
import { CLASSIC_GRAMMAR, OPEN_METRICS_GRAMMAR } from "./line_grammar.ts";
import {
  familyTypeOf,
  type MetadataFault,
  type MetadataLine,
  readMetadataLine,
} from "./metadata_line.ts";
import { readOpenMetricsMetadata } from "./open_metrics_metadata.ts";
import { OpenMetricsRules } from "./open_metrics_rules.ts";
import { unknownType } from "./page_metadata.ts";
import { PrometheusSyntaxError } from "./prometheus_syntax_error.ts";
import { SampleLineReader } from "./sample_line.ts";

/** Values of labels may have it, names may not. */
const NUL = "\0";
/** Types of the format 0.0.4. */
const CLASSIC_TYPES: ReadonlySet<string> = new Set([
  "counter",
  "gauge",
  "histogram",
  "summary",
  "untyped",
]);

/**
 * Reads a page that has to follow the rules from its first to its last line.
 * @throws {PrometheusSyntaxError} at the first line that does not
 */
export function readStrictly(
  page: DecodedPage,
  isOpenMetrics: boolean,
  collector: FamilyCollector,
): void {
  if (page.start > 0) {
    throw new PrometheusSyntaxError("The page starts with a byte order mark", 1, 1);
  }
  if (isOpenMetrics) readOpenMetrics(page, collector);
  else readClassic(page, collector);
}

/** The format 0.0.4: lines are independent of each other, but for contradicting types. */
function readClassic({ text, brokenLines }: DecodedPage, collector: FamilyCollector): void {
  const reader = new SampleLineReader(CLASSIC_GRAMMAR);
  let line = 0;
  let next = 0;
  for (let start = 0; start < text.length; start = next) {
    line++;
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    next = end + 1;
    const position = skipBlanks(text, start, end);
    if (position === end) continue;
    const isSample = text.charCodeAt(position) !== HASH;
    const metadata = isSample ? undefined : readClassicMetadata(text.slice(position, end));
    if (!isSample && metadata === undefined) continue;
    if (brokenLines.has(line)) throw notUtf8(text, start, end, line);
    if (metadata === undefined) {
      if (!reader.read(text, position, end)) {
        throw new PrometheusSyntaxError(reader.problem(), line, reader.problemAt - start + 1);
      }
      if (reader.name.includes(NUL) || reader.labelNames.some((name) => name.includes(NUL))) {
        throw new PrometheusSyntaxError("A name has a NUL in it", line, position - start + 1);
      }
      collector.addSample(reader);
      continue;
    }
    const column = position - start + 1;
    if (metadata.kind === "fault") {
      throw new PrometheusSyntaxError(metadata.message, line, column + metadata.at);
    }
    if (metadata.kind === "TYPE") {
      const textColumn = column + metadata.textAt;
      if (!CLASSIC_TYPES.has(metadata.text)) {
        throw new PrometheusSyntaxError(unknownType(metadata.text), line, textColumn);
      }
      const before = collector.typeOf(metadata.name);
      if (before !== undefined && before !== familyTypeOf(metadata.text)) {
        const message = `A second TYPE says ${metadata.text}, the first said ${before}`;
        throw new PrometheusSyntaxError(message, line, textColumn);
      }
    }
    collector.addMetadata(metadata);
  }
}

/** A HELP line without a name; without a blank behind the word it is a comment. */
const NAMELESS_HELP = /^#[ \t]+HELP[ \t]+$/;

/**
 * Reads a metadata line like {@linkcode readMetadataLine}, but rejects lines that Prometheus'
 * scraper rejects.
 */
function readClassicMetadata(line: string): MetadataLine | MetadataFault | undefined {
  const metadata = readMetadataLine(line, false);
  if (metadata === undefined) {
    return NAMELESS_HELP.test(line)
      ? { kind: "fault", at: line.length, message: "Expected a metric name after HELP" }
      : undefined;
  }
  if (metadata.kind !== "fault" && metadata.name.includes(NUL)) {
    return { kind: "fault", at: line.indexOf(NUL), message: "A name has a NUL in it" };
  }
  // The text of a HELP line may end in any way.
  if (metadata.kind === "HELP" && line.endsWith("\r")) {
    return readMetadataLine(line.slice(0, -1), false);
  }
  if (metadata.kind !== "TYPE") return metadata;
  const { text, textAt } = metadata;
  const wordEnd = textAt + text.length;
  const before = textAt - 2;
  if (text !== "" && nextBlank(line, before, before + 1) === before) {
    return { kind: "fault", at: textAt - 1, message: "Expected one blank before the type" };
  }
  return wordEnd < line.length
    ? { kind: "fault", at: wordEnd, message: "Expected the end of the line after the type" }
    : metadata;
}

/** OpenMetrics: the grammar of each line here, what lines have to do with each other in the rules. */
function readOpenMetrics({ text, brokenLines }: DecodedPage, collector: FamilyCollector): void {
  const reader = new SampleLineReader(OPEN_METRICS_GRAMMAR);
  const rules = new OpenMetricsRules();
  let line = 0;
  let next = 0;
  for (let start = 0; start < text.length; start = next) {
    line++;
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    next = end + 1;
    if (start === end) throw new PrometheusSyntaxError("The line is blank", line, 1);
    if (brokenLines.has(line)) throw notUtf8(text, start, end, line);
    if (text.charCodeAt(start) !== HASH) {
      if (!reader.read(text, start, end)) {
        throw new PrometheusSyntaxError(reader.problem(), line, reader.problemAt - start + 1);
      }
      rules.addSample(reader, line);
      collector.addSample(reader);
      continue;
    }
    const hashLine = text.slice(start, end);
    if (hashLine === END_OF_PAGE) {
      rules.end();
      if (next < text.length) {
        throw new PrometheusSyntaxError("The page continues after # EOF", line + 1, 1);
      }
      return;
    }
    const metadata = readOpenMetricsMetadata(hashLine);
    if (metadata.kind === "fault") {
      throw new PrometheusSyntaxError(metadata.message, line, metadata.at + 1);
    }
    rules.addMetadata(metadata, line);
    collector.addMetadata(metadata);
  }
  rules.end();
  const lastStart = text.lastIndexOf("\n") + 1;
  const lastLine = lastStart === text.length ? line + 1 : line;
  const column = text.length - lastStart + 1;
  throw new PrometheusSyntaxError("The page ends without # EOF", lastLine, column);
}

function notUtf8(text: string, start: number, end: number, line: number): PrometheusSyntaxError {
  const at = text.slice(start, end).indexOf("\ufffd");
  return new PrometheusSyntaxError("The line is not UTF-8", line, Math.max(at, 0) + 1);
}
