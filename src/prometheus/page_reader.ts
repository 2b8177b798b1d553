import { isJson, ScrapeError, shownHeader } from "./fetch_page.ts";
import type { PageLimits } from "./metrics_endpoint.ts";
import type { ScrapedPage } from "./scraped_page.ts";
import { ExpositionLimitError, type ParsedPage, TextParser } from "./text_parser.ts";

/** A reply that is no metrics page. */
export class NotPrometheusError extends Error {
  override readonly name = "NotPrometheusError";
}

/** When a page was scraped, in nanoseconds of the run's clock. */
export type PageTimes = Pick<ScrapedPage, "sentNs" | "firstByteNs" | "latencyNs">;

const EXPECTED = "expected text/plain (Prometheus exposition format)";

/** Turns the texts of one endpoint into columns, one page after another. */
export class PageReader {
  readonly #parser: TextParser;
  #lastText: string | undefined;
  #metadataVersion: number | undefined;
  #knownSeries = 0;
  /** Whether this server ends the last line of its pages, as the format asks for. */
  #endsLines = false;
  /** Whether there was a valid page. */
  wasValid = false;

  /** @param limits undefined for the parser's own */
  constructor(limits?: PageLimits) {
    this.#parser = new TextParser(
      limits === undefined ? {} : {
        maxSamples: limits.samples,
        maxLabels: limits.labels,
        maxLabelValueBytes: limits.labelValueBytes,
        maxSeries: limits.series,
      },
    );
  }

  /** New series beyond the limit so far. */
  get droppedSeries(): number {
    return this.#parser.droppedSeries;
  }

  /**
   * Reads a page.
   * @throws {NotPrometheusError} if not a line of it is a sample although it has some
   * @throws {ScrapeError} if it crosses a limit, or is cut off
   */
  read(text: string, contentType: string, times: PageTimes): ScrapedPage {
    assertNoJson(contentType);
    const page = text === this.#lastText ? undefined : this.#parse(text, contentType);
    const endsLine = text.endsWith("\n");
    // What is missing could be half a number.
    if (!endsLine && this.#endsLines && (page?.count ?? 0) > 0) {
      throw new ScrapeError("page ends in the middle of a line");
    }
    this.#endsLines ||= endsLine;
    const newSeries = this.#parser.series.slice(this.#knownSeries);
    this.#knownSeries = this.#parser.series.length;
    const isNew = page !== undefined && page.metadataVersion !== this.#metadataVersion;
    if (page !== undefined) this.#metadataVersion = page.metadataVersion;
    this.#lastText = text;
    this.wasValid = true;
    return {
      ...times,
      duplicate: page === undefined,
      isWhole: endsLine || text === "",
      newSeries,
      metadata: isNew ? [...page.metadata.values()] : undefined,
      ids: page?.ids.slice(0, page.count) ?? new Int32Array(0),
      values: page?.values.slice(0, page.count) ?? new Float64Array(0),
      problemCount: page?.problemCount ?? 0,
    };
  }

  #parse(text: string, contentType: string): ParsedPage {
    let page: ParsedPage;
    try {
      page = this.#parser.parse(text, contentType);
    } catch (error) {
      if (error instanceof ExpositionLimitError) throw new ScrapeError(error.message);
      throw error;
    }
    if (page.count > 0 || page.problemCount === 0) return page;
    const [problem] = page.problems;
    throw new NotPrometheusError(
      `returned no metrics (line ${problem?.line}: ${problem?.message}); ${EXPECTED}`,
    );
  }
}

/**
 * Refuses JSON by its content type: no metrics page, whatever it holds.
 * @throws {NotPrometheusError}
 */
function assertNoJson(contentType: string): void {
  if (!isJson(contentType)) return;
  throw new NotPrometheusError(
    `returned non-Prometheus content-type '${shownHeader(contentType)}'; ${EXPECTED}`,
  );
}
