/**
 * Reader of scrape responses. It is longer than other files, because all steps of reading a line
 * share its state, and calls across files would cost more.
 */

import type { SampleSeries } from "./exposition.ts";
import { countNewLines } from "./count_new_lines.ts";
import { CARRIAGE_RETURN, HASH, LINE_FEED, skipBlanks, SPACE } from "./characters.ts";
import { END_OF_PAGE, endsWithEof, isOpenMetricsType } from "./content_type.ts";
import { decodeLines, startsWithMark } from "./decode_page.ts";
import type { FamilyMetadata, ParseProblem } from "./exposition.ts";
import { ExpositionLimitError } from "./exposition_limit_error.ts";
import { endOfPlainNumber, readPlainNumber } from "./float_text.ts";
import { PageMetadata } from "./page_metadata.ts";
import { TOLERANT_GRAMMAR } from "./line_grammar.ts";
import { SampleLineReader } from "./sample_line.ts";
import { allAtOnce } from "./steps.ts";
import { seriesTextEnd } from "./series_text_end.ts";
import { type KnownText, SeriesRegistry } from "./series_registry.ts";

export { ExpositionLimitError };

/** Contents of a page. The next page that the same parser reads reuses the columns. */
export interface ParsedPage {
  /** Number of samples of the page. */
  readonly count: number;
  /** The series of each sample, in the order of the page; a series may come twice. */
  readonly ids: Int32Array;
  /** The value of each sample. */
  readonly values: Float64Array;
  /** HELP, TYPE and UNIT lines of this page by their names. */
  readonly metadata: ReadonlyMap<string, FamilyMetadata>;
  /** Changes when the metadata does. */
  readonly metadataVersion: number;
  /** The first problems, at most {@linkcode MAX_PROBLEMS}. */
  readonly problems: readonly ParseProblem[];
  /** Number of problems. */
  readonly problemCount: number;
  /** Number of lines of the page. */
  readonly lineCount: number;
}

/** Limits of a {@linkcode TextParser}. */
export interface TextParserOptions {
  /**
   * Most samples of a page, and most HELP and TYPE lines.
   * @default DEFAULT_MAX_SAMPLES
   */
  readonly maxSamples?: number;
  /**
   * Most labels of a sample.
   * @default DEFAULT_MAX_LABELS
   */
  readonly maxLabels?: number;
  /**
   * Longest label value in bytes of UTF-8.
   * @default DEFAULT_MAX_LABEL_VALUE_BYTES
   */
  readonly maxLabelValueBytes?: number;
  /**
   * Most series remembered; samples of other series are dropped.
   * @default DEFAULT_MAX_SERIES
   */
  readonly maxSeries?: number;
  /**
   * Whether new series of a name are kept before others where a page has more than the limit
   * leaves room for.
   * @default no name is preferred
   */
  readonly isPreferred?: (name: string) => boolean;
}

/** Default of {@linkcode TextParserOptions.maxSamples}. */
const DEFAULT_MAX_SAMPLES = 200_000;
/** Default of {@linkcode TextParserOptions.maxLabels}. */
const DEFAULT_MAX_LABELS = 128;
/** Default of {@linkcode TextParserOptions.maxLabelValueBytes}: 16 KiB. */
const DEFAULT_MAX_LABEL_VALUE_BYTES = 16_384;
/** Shortest sample with its line feed: `a 1`. */
const MIN_LINE_LENGTH = 4;
/** Default of {@linkcode TextParserOptions.maxSeries}. */
const DEFAULT_MAX_SERIES = 200_000;
/** Number of problems of a page that are reported one by one at most. */
export const MAX_PROBLEMS = 20;

const INITIAL_CAPACITY = 1024;
/** Bytes of a page decoded at a time. */
const PIECE_BYTES = 48 * 1024;

/**
 * Reads the pages of one endpoint, in the format 0.0.4 or OpenMetrics, tolerant by the line: a line
 * that cannot be read is counted and skipped.
 *
 * Pages of one endpoint mostly differ only in their values. The parser therefore keeps the texts of
 * the
 * samples and metadata lines of the last page in their order. If a line starts as expected,
 * only its number is read; a line that moved costs a look-up of its text. Only a text never
 * seen is parsed.
 *
 * A sample whose text is damaged by bytes that are not UTF-8 is kept with U+FFFD and counted as a
 * problem. So is a page that starts with a byte order mark, or ends without `# EOF` although its
 * content type says OpenMetrics. Lines after `# EOF` in such a page are counted and skipped.
 *
 * @example
 * ```ts
 * import { TextParser } from "./text_parser.ts";
 * const parser = new TextParser();
 * const page = parser.parse('# TYPE up gauge\nup{job="vllm"} 1\n');
 * console.assert(parser.series[page.ids[0] as number]?.name === "up");
 * console.assert(page.values[0] === 1);
 * ```
 */
export class TextParser {
  readonly #maxSamples: number;
  readonly #reader = new SampleLineReader(TOLERANT_GRAMMAR);
  readonly #registry: SeriesRegistry;
  readonly #metadata: PageMetadata;
  /** Texts of samples and metadata lines of the page before, in its order. */
  #expected: KnownText[] = [];
  /** Texts of the page being read, in the array of the page before the last one. */
  #seen: KnownText[] = [];
  #seenCount = 0;
  /** The next text expected. */
  #next = 0;
  #ids = new Int32Array(INITIAL_CAPACITY);
  #values = new Float64Array(INITIAL_CAPACITY);
  #count = 0;
  #line = 0;
  /**
   * The next braces of the text being read, so that no search for one looks twice at the same
   * text.
   */
  #brace = -1;
  #close = -1;
  readonly #maxSeries: number;
  readonly #isPreferred: ((name: string) => boolean) | undefined;
  /** Numbers of lines that are not UTF-8. */
  readonly #brokenLines = new Set<number>();
  /** Comments and lines behind the end among these, whose bytes do not matter. */
  readonly #unread = new Set<number>();
  /** No series is known yet, so that looking for one is in vain. */
  #isFirst = true;
  #openMetrics = false;
  #ended = false;
  #problems: ParseProblem[] = [];
  #problemCount = 0;

  constructor(options: TextParserOptions = {}) {
    this.#maxSamples = options.maxSamples ?? DEFAULT_MAX_SAMPLES;
    this.#maxSeries = options.maxSeries ?? DEFAULT_MAX_SERIES;
    this.#isPreferred = options.isPreferred;
    this.#registry = new SeriesRegistry({
      maxLabels: options.maxLabels ?? DEFAULT_MAX_LABELS,
      maxLabelValueBytes: options.maxLabelValueBytes ?? DEFAULT_MAX_LABEL_VALUE_BYTES,
      maxSeries: this.#maxSeries,
      isPreferred: options.isPreferred,
    });
    this.#metadata = new PageMetadata(this.#maxSamples);
  }

  /** Every series seen so far; a series keeps its number. */
  get series(): readonly SampleSeries[] {
    return this.#registry.series;
  }

  /** Number of series dropped because the parser remembers as many as it may. */
  get droppedSeries(): number {
    return this.#registry.droppedSeries;
  }

  /**
   * Reads a page.
   * @param contentType content type, which selects OpenMetrics; if missing, a page that ends with
   * `# EOF` is read as OpenMetrics
   * @throws {ExpositionLimitError} if a limit is exceeded
   */
  parse(page: Uint8Array | string, contentType?: string): ParsedPage {
    return allAtOnce(this.parsing(page, contentType));
  }

  /**
   * Reads a page in steps of a few milliseconds, however large the page is. An abandoned page does
   * not affect the next one.
   * @throws {ExpositionLimitError} if a limit is exceeded
   */
  *parsing(page: Uint8Array | string, contentType?: string): Generator<void, ParsedPage> {
    const declared = isOpenMetricsType(contentType);
    const openMetrics = declared || (contentType === undefined && endsWithEof(page));
    // The same metadata line may mean something else now.
    if (openMetrics !== this.#openMetrics) this.#expected = [];
    this.#openMetrics = openMetrics;
    this.#startPage();
    yield* this.#reserving(page);
    const hasMark = startsWithMark(page);
    if (hasMark) this.#report(1, 1, "The page starts with a byte order mark");

    if (typeof page === "string") this.#readLines(hasMark ? page.slice(1) : page);
    else yield* this.#readPieces(hasMark ? page.subarray(3) : page);
    this.#reader.release();

    for (const line of this.#brokenLines) {
      if (!this.#unread.has(line)) this.#report(line, 1, "The line is not UTF-8");
    }
    if (declared && !this.#ended) {
      this.#report(Math.max(this.#line, 1), 1, "The page ends without # EOF");
    }
    const clashes = yield* this.#metadata.ending(this.#registry.names);
    for (const { line, message } of clashes) this.#report(line, 1, message);
    if (this.#seen.length > this.#seenCount) this.#seen.length = this.#seenCount;
    [this.#expected, this.#seen] = [this.#seen, this.#expected];
    return {
      count: this.#count,
      ids: this.#ids,
      values: this.#values,
      metadata: this.#metadata.families,
      metadataVersion: this.#metadata.version,
      problems: this.#problems,
      problemCount: this.#problemCount,
      lineCount: this.#line,
    };
  }

  /** Reserves room for new series with preferred names, if the page may have too many series. */
  *#reserving(page: Uint8Array | string): Generator<void> {
    const room = this.#maxSeries - this.series.length;
    this.#registry.reserve(0);
    const isWanted = this.#isPreferred;
    // Without room nothing can be reserved; a short page does not fill it.
    if (isWanted === undefined || room <= 0 || page.length / MIN_LINE_LENGTH <= room) return;
    const isKnown = (text: string, start: number, end: number): boolean =>
      this.#registry.find(text, start, end) !== undefined;
    this.#registry.reserve(yield* countNewLines(page, { isWanted, isKnown }));
  }

  #startPage(): void {
    this.#isFirst = this.series.length === 0;
    this.#ended = false;
    this.#next = 0;
    this.#seenCount = 0;
    this.#count = 0;
    this.#line = 0;
    this.#problems = [];
    this.#problemCount = 0;
    this.#brokenLines.clear();
    this.#unread.clear();
    this.#metadata.start(this.#openMetrics);
  }

  /**
   * Decodes and reads some lines at a time. The text of a large page would be a large object, which
   * the engine keeps until it cleans up its whole heap; small pieces go with the next minor cleaning.
   */
  *#readPieces(page: Uint8Array): Generator<void> {
    let start = 0;
    while (start < page.length) {
      let end = Math.min(start + PIECE_BYTES, page.length);
      if (end < page.length) {
        const last = page.lastIndexOf(LINE_FEED, end - 1);
        const cut = last >= start ? last : page.indexOf(LINE_FEED, end);
        end = cut < 0 ? page.length : cut + 1;
      }
      const lines = page.subarray(start, end);
      this.#readLines(decodeLines(lines, this.#line + 1, this.#brokenLines));
      start = end;
      if (start < page.length) yield;
    }
  }

  #readLines(text: string): void {
    this.#brace = -1;
    this.#close = -1;
    const length = text.length;
    /** Up to here lines end with a line feed, so that reading a number needs no end. */
    const complete = text.lastIndexOf("\n") + 1;
    const expected = this.#expected;
    let position = 0;
    while (position < complete) {
      this.#line++;
      const known = expected[this.#next];
      if (known !== undefined) {
        const end = position + known.text.length;
        if (text.slice(position, end) === known.text) {
          const next = text.charCodeAt(end);
          if (known.id < 0) {
            if (next === LINE_FEED && !this.#ended) {
              this.#addMetadata(known);
              position = end + 1;
              continue;
            }
          } else if (next === SPACE && !this.#ended) {
            const value = readPlainNumber(text, end + 1);
            const numberEnd = endOfPlainNumber();
            if (numberEnd >= 0) {
              this.#add(known, value);
              position = numberEnd + 1;
              continue;
            }
            const lineEnd = text.indexOf("\n", end);
            if (this.#reader.readTail(text, end, withoutReturn(text, end, lineEnd))) {
              this.#add(known, this.#reader.value);
              position = lineEnd + 1;
              continue;
            }
          }
        }
      }
      const lineEnd = text.indexOf("\n", position);
      this.#readLine(text, position, lineEnd);
      position = lineEnd + 1;
    }
    if (position < length) {
      this.#line++;
      this.#readLine(text, position, length);
    }
  }

  #readLine(text: string, start: number, lineEnd: number): void {
    const end = withoutReturn(text, start, lineEnd);
    const position = skipBlanks(text, start, end);
    if (position === end) return;
    if (this.#ended) {
      if (this.#brokenLines.has(this.#line)) this.#unread.add(this.#line);
      this.#report(this.#line, 1, "The line is after # EOF");
      return;
    }
    if (text.charCodeAt(position) === HASH) {
      this.#readHashLine(text, position, end, start);
      return;
    }
    if (!this.#readPlainSample(text, position, end, lineEnd)) {
      this.#readSample(text, position, end, start);
    }
  }

  /**
   * Reads a sample whose labels are written without spaces and escapes.
   * @returns `false` if the sample may be written in another way, or is not valid
   */
  #readPlainSample(text: string, position: number, end: number, lineEnd: number): boolean {
    if (this.#brace < position) this.#brace = indexOrEnd(text, "{", position);
    if (this.#brace >= end) return false;
    if (this.#close < this.#brace) this.#close = indexOrEnd(text, "}", this.#brace);
    const close = this.#close;
    if (close >= end) return false;
    let value = 0;
    let isNumber = false;
    if (end === lineEnd && lineEnd < text.length && text.charCodeAt(close + 1) === SPACE) {
      value = readPlainNumber(text, close + 2);
      isNumber = endOfPlainNumber() === end;
    }
    if (!isNumber) {
      if (!this.#reader.readTail(text, close + 1, end)) return false;
      value = this.#reader.value;
    }
    const known = (this.#isFirst ? undefined : this.#registry.find(text, position, close + 1)) ??
      this.#registry.addPlain(text, position, this.#brace, close);
    if (known === undefined) return false;
    if (known !== null) this.#add(known, value);
    return true;
  }

  #readSample(text: string, position: number, end: number, start: number): void {
    const reader = this.#reader;
    let seriesEnd = seriesTextEnd(text, position, end);
    let known = this.#registry.find(text, position, seriesEnd);
    if (known === undefined) {
      seriesEnd = reader.readSeries(text, position, end);
      if (seriesEnd < 0) {
        this.#reportReader(start);
        return;
      }
    }
    if (!reader.readTail(text, seriesEnd, end)) {
      this.#reportReader(start);
      return;
    }
    known ??= this.#registry.add(text, position, seriesEnd, reader);
    if (known !== undefined) this.#add(known, reader.value);
  }

  #readHashLine(text: string, position: number, end: number, start: number): void {
    const line = text.slice(position, end);
    if (this.#openMetrics && line === END_OF_PAGE) {
      this.#ended = true;
      return;
    }
    const read = this.#metadata.read(line);
    if (read === undefined) {
      if (this.#brokenLines.has(this.#line)) this.#unread.add(this.#line);
      return;
    }
    if ("message" in read) {
      this.#report(this.#line, position - start + read.at + 1, read.message);
    } else {
      this.#addMetadata(read);
    }
  }

  #addMetadata(known: KnownText): void {
    this.#metadata.add(known, this.#line);
    this.#remember(known);
  }

  #add(known: KnownText, value: number): void {
    if (this.#count === this.#maxSamples) {
      throw new ExpositionLimitError(`The page has more than ${this.#maxSamples} samples`);
    }
    if (this.#count === this.#ids.length) this.#grow();
    this.#ids[this.#count] = known.id;
    this.#values[this.#count++] = value;
    this.#remember(known);
  }

  #remember(known: KnownText): void {
    if (this.#expected[this.#next] === known) this.#next++;
    else if (this.#expected[known.place] === known) this.#next = known.place + 1;
    known.place = this.#seenCount;
    this.#seen[this.#seenCount++] = known;
  }

  #grow(): void {
    const ids = new Int32Array(2 * this.#ids.length);
    ids.set(this.#ids);
    this.#ids = ids;
    const values = new Float64Array(ids.length);
    values.set(this.#values);
    this.#values = values;
  }

  #reportReader(start: number): void {
    if (this.#problemCount++ >= MAX_PROBLEMS) return;
    const column = this.#reader.problemAt - start + 1;
    this.#problems.push({ line: this.#line, column, message: this.#reader.problem() });
  }

  #report(line: number, column: number, message: string): void {
    if (this.#problemCount++ >= MAX_PROBLEMS) return;
    this.#problems.push({ line, column, message });
  }
}

/** The end of a line without the carriage return that belongs to the line end. */
function withoutReturn(text: string, start: number, lineEnd: number): number {
  return lineEnd > start && text.charCodeAt(lineEnd - 1) === CARRIAGE_RETURN
    ? lineEnd - 1
    : lineEnd;
}

function indexOrEnd(text: string, character: string, position: number): number {
  const index = text.indexOf(character, position);
  return index < 0 ? text.length : index;
}
