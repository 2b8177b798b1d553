import { CARRIAGE_RETURN, HASH, skipBlanks } from "./characters.ts";
import { END_OF_PAGE, endsWithEof, isOpenMetricsType } from "./content_type.ts";
import { type DecodedPage, decodePage } from "./decode_page.ts";
import type { MetricFamily, ParseProblem } from "./exposition.ts";
import { FamilyCollector } from "./family_collector.ts";
import { TOLERANT_GRAMMAR } from "./line_grammar.ts";
import { familyTypeOf, readMetadataLine } from "./metadata_line.ts";
import { unknownType } from "./page_metadata.ts";
import { PrometheusSyntaxError } from "./prometheus_syntax_error.ts";
import { SampleLineReader } from "./sample_line.ts";
import { readStrictly } from "./strict_reader.ts";

export { PrometheusSyntaxError };

/** Settings of {@linkcode parseExposition}. */
export interface ParseExpositionOptions {
  /**
   * Throw at the first line that breaks the rules, instead of leaving it out.
   * @default false
   */
  readonly strict?: boolean;
  /**
   * The content type that came with the text. `application/openmetrics-text` selects OpenMetrics;
   * without a content type, text that ends with `# EOF` is read as OpenMetrics unless `strict`.
   */
  readonly contentType?: string;
}

/** Result of {@linkcode parseExposition}. */
export interface ParsedExposition {
  /** Families in the order of the text. */
  readonly families: MetricFamily[];
  /** Lines left out or read with damage, in the order of the text; none in strict mode. */
  readonly errors: ParseProblem[];
}

/**
 * Reads the text of a scrape: Prometheus' text format 0.0.4, or OpenMetrics 1.0.
 *
 * Families are merged by name, in whatever order their lines come. The name of a counter loses
 * `_total`, unless another family of the text has the short name. Where two TYPE lines give one
 * name two types, both families are in the result, each with the samples that follow its
 * TYPE line.
 *
 * In strict mode the whole text must follow the rules: those of the OpenMetrics specification if
 * the
 * content type says OpenMetrics, else the grammar of the format 0.0.4. What Prometheus' own scraper
 * refuses is refused: CR LF as line end, spaces around a type, HELP without a name, a timestamp
 * with
 * a sign.
 *
 * @throws {PrometheusSyntaxError} in strict mode, at the first problem
 * @example
 * ```ts
 * import { parseExposition } from "./parse_exposition.ts";
 * const { families } = parseExposition('# TYPE hits_total counter\nhits_total{path="/"} 3\n');
 * console.assert(families[0]?.name === "hits");
 * console.assert(families[0]?.samples[0]?.value === 3);
 * ```
 */
export function parseExposition(
  text: string | Uint8Array,
  options: ParseExpositionOptions = {},
): ParsedExposition {
  const page = decodePage(text);
  const collector = new FamilyCollector();
  const declared = isOpenMetricsType(options.contentType);
  const errors: ParseProblem[] = [];
  if (options.strict === true) {
    readStrictly(page, declared, collector);
  } else {
    const isOpenMetrics = declared || (options.contentType === undefined && endsWithEof(page.text));
    const ended = readTolerantly(page, isOpenMetrics, collector, errors);
    if (declared && !ended.byEof) {
      errors.push({ line: ended.line, column: 1, message: "The page ends without # EOF" });
    }
  }
  return { families: collector.families(), errors };
}

/** Reads what can be read, and notes what cannot. */
function readTolerantly(
  { text, start, brokenLines }: DecodedPage,
  isOpenMetrics: boolean,
  collector: FamilyCollector,
  errors: ParseProblem[],
): { readonly byEof: boolean; readonly line: number } {
  const reader = new SampleLineReader(TOLERANT_GRAMMAR);
  let byEof = false;
  let line = 0;
  if (start > 0) {
    errors.push({ line: 1, column: 1, message: "The page starts with a byte order mark" });
  }
  let next = 0;
  for (let lineStart = start; lineStart < text.length; lineStart = next) {
    line++;
    const found = text.indexOf("\n", lineStart);
    const lineEnd = found < 0 ? text.length : found;
    next = lineEnd + 1;
    const note = (column: number, message: string) => errors.push({ line, column, message });
    const endsInCr = lineEnd > lineStart && text.charCodeAt(lineEnd - 1) === CARRIAGE_RETURN;
    const end = endsInCr ? lineEnd - 1 : lineEnd;
    const position = skipBlanks(text, lineStart, end);
    if (position === end) continue;
    if (byEof) {
      note(1, "The line is after # EOF");
      continue;
    }
    const isSample = text.charCodeAt(position) !== HASH;
    const hashLine = isSample ? "" : text.slice(position, end);
    const metadata = isSample ? undefined : readMetadataLine(hashLine, isOpenMetrics);
    if (!isSample && metadata === undefined) {
      byEof = isOpenMetrics && hashLine === END_OF_PAGE;
      continue;
    }
    if (brokenLines.has(line)) note(1, "The line is not UTF-8");
    const column = position - lineStart + 1;
    if (metadata === undefined) {
      if (reader.read(text, position, end)) collector.addSample(reader);
      else note(reader.problemAt - lineStart + 1, reader.problem());
    } else if (metadata.kind === "fault") {
      note(column + metadata.at, metadata.message);
    } else if (metadata.kind === "TYPE") {
      const type = familyTypeOf(metadata.text);
      const before = collector.typeOf(metadata.name);
      if (type === undefined) {
        note(column + metadata.textAt, unknownType(metadata.text));
      } else {
        if (before !== undefined && before !== type) {
          note(column, `A second TYPE says ${type}, the first said ${before}`);
        }
        collector.addMetadata(metadata);
      }
    } else {
      collector.addMetadata(metadata);
    }
  }
  return { byEof, line: Math.max(line, 1) };
}
