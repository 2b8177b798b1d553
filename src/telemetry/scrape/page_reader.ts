import { knownName } from "../engines/page_engines.ts";
import { LINE_FEED } from "../prometheus/characters.ts";
import { isJson, printableHeader, ScrapeError } from "./fetch_page.ts";
import type { PageLimits } from "./metrics_endpoint.ts";
import type { FamilyMetadata } from "../prometheus/exposition.ts";
import { pageFamilies, type PageFamily } from "../prometheus/page_families.ts";
import type { ScrapedPage } from "../prometheus/scraped_page.ts";
import { allAtOnce } from "../prometheus/steps.ts";
import { ExpositionLimitError, type ParsedPage, TextParser } from "../prometheus/text_parser.ts";

/** A reply that is not a metrics response. */
export class NotPrometheusError extends Error {
  override readonly name = "NotPrometheusError";
}

/** Times of a scrape, in nanoseconds of the run's clock. */
export type PageTimes = Pick<ScrapedPage, "sentNs" | "firstByteNs" | "latencyNs">;

const EXPECTED = "expected text/plain (Prometheus exposition format)";

/** Turns the pages of one endpoint into columns, one after another. */
export class PageReader {
  readonly #parser: TextParser;
  readonly #last = new LastSamples();
  #metadataVersion: number | undefined;
  #metadata: ReadonlyMap<string, FamilyMetadata> = new Map();
  #knownSeries = 0;
  /** Whether this server ends the last line of its pages, as the format asks for. */
  #endsLines = false;
  /** Whether there was a valid page. */
  wasValid = false;

  /** @param limits undefined for the parser's own */
  constructor(limits?: PageLimits) {
    this.#parser = new TextParser(
      limits === undefined ? {} : {
        isPreferred: (name) => knownName(name) !== undefined,
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

  /** The families of all pages so far, as the last page calls them. */
  get families(): PageFamily[] {
    return pageFamilies(this.#parser.series, this.#metadata);
  }

  /**
   * Reads a page.
   * @param body in UTF-8
   * @throws {NotPrometheusError} if it has lines but no sample
   * @throws {ScrapeError} if it crosses a limit, or is cut off
   */
  read(body: Uint8Array, contentType: string, times: PageTimes): ScrapedPage {
    return allAtOnce(this.reading(body, contentType, times));
  }

  /** Reads in steps of a few milliseconds, so that large pages do not block other work. */
  *reading(
    body: Uint8Array,
    contentType: string,
    times: PageTimes,
  ): Generator<void, ScrapedPage> {
    assertNoJson(contentType);
    const page = yield* this.#parsing(body, contentType);
    const endsLine = body.at(-1) === LINE_FEED;
    // What is missing could be half a number.
    if (!endsLine && this.#endsLines && page.count > 0) {
      throw new ScrapeError("page ends in the middle of a line");
    }
    this.#endsLines ||= endsLine;
    const newSeries = this.#parser.series.slice(this.#knownSeries);
    this.#knownSeries = this.#parser.series.length;
    const isNew = page.metadataVersion !== this.#metadataVersion;
    this.#metadataVersion = page.metadataVersion;
    this.#metadata = page.metadata;
    const duplicate = !this.#last.replace(page) && !isNew && this.wasValid;
    this.wasValid = true;
    return {
      ...times,
      duplicate,
      isWhole: endsLine || body.length === 0,
      newSeries,
      metadata: isNew ? [...page.metadata.values()] : undefined,
      ids: page.ids.slice(0, duplicate ? 0 : page.count),
      values: page.values.slice(0, duplicate ? 0 : page.count),
      problemCount: duplicate ? 0 : page.problemCount,
    };
  }

  *#parsing(body: Uint8Array, contentType: string): Generator<void, ParsedPage> {
    let page: ParsedPage;
    try {
      page = yield* this.#parser.parsing(body, contentType);
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
 * Refuses JSON by its content type: it is never a metrics response.
 * @throws {NotPrometheusError}
 */
function assertNoJson(contentType: string): void {
  if (!isJson(contentType)) return;
  throw new NotPrometheusError(
    `returned non-Prometheus content-type '${printableHeader(contentType)}'; ${EXPECTED}`,
  );
}

/** The samples of the last page. */
class LastSamples {
  #ids = new Int32Array(0);
  #values = new Float64Array(0);
  #count = -1;
  #problemCount = 0;

  /** Replaces the last page by this one; returns whether it differs. */
  replace({ count, ids, values, problemCount }: ParsedPage): boolean {
    const isSame = count === this.#count && problemCount === this.#problemCount &&
      startsAlike(ids, this.#ids, count) && startsAlike(values, this.#values, count);
    if (isSame) return false;
    if (count > this.#ids.length) {
      this.#ids = new Int32Array(ids.length);
      this.#values = new Float64Array(ids.length);
    }
    this.#ids.set(ids.subarray(0, count));
    this.#values.set(values.subarray(0, count));
    this.#count = count;
    this.#problemCount = problemCount;
    return true;
  }
}

function startsAlike(a: ArrayLike<number>, b: ArrayLike<number>, count: number): boolean {
  for (let at = 0; at < count; at++) {
    if (!Object.is(a[at], b[at])) return false;
  }
  return true;
}
