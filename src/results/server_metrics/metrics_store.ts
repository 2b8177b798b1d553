/** Takes in what the scrape worker found, endpoint by endpoint. */

import { ExportError } from "../../report/export/export_error.ts";
import type { FileSink } from "../../report/export/file_sink.ts";
import type { ScrapedEndpoint } from "../../report/model/scraped_endpoint.ts";
import type { ScrapeMessage } from "../../telemetry/scrape/messages.ts";
import { joinPieces, type PagePiece } from "../../telemetry/scrape/page_pieces.ts";
import { EndpointSeries } from "../../telemetry/timeseries/endpoint_series.ts";
import type { ColumnSpill } from "../../core/statistics/column_spill.ts";
import type { MetricsStream } from "./metrics_stream.ts";

/** State of an endpoint. */
interface EndpointState {
  url: string;
  readonly series: EndpointSeries;
  readonly failures: Map<string, number>;
  /** What belongs to the next page. */
  pieces: PagePiece[];
  skippedScrapes: number;
  latenessMs: Float64Array;
  droppedSeries: number;
  /** Why it is not scraped; undefined if it is. */
  disabled: string | undefined;
  ended: boolean;
}

/** Settings of a {@linkcode MetricsStore}. */
export interface MetricsStoreOptions {
  /** Takes secrets out of what went wrong. */
  readonly redact?: (text: string) => string;
  /** Takes secrets out of what a page says. */
  readonly redactPage?: (text: string) => string;
  /** Gets every page as it comes. */
  readonly stream?: MetricsStream;
  /** Where values go that memory should not hold; everything is in memory without it. */
  readonly scratch?: Pick<FileSink, "openScratch">;
  /** Bytes that values may take in memory. @default 256 MiB */
  readonly maxBytesInMemory?: number;
}

/** Memory that values may take before they are spilled. */
const MAX_BYTES_IN_MEMORY = 256 * 1024 * 1024;
/** Pages after which is looked how much memory they take. */
const PAGES_BETWEEN_LOOKS = 64;

/** Different reasons for failures that are kept apart; further ones are counted together. */
const MAX_REASONS = 20;

/** See the module's comment. */
export class MetricsStore {
  readonly #endpoints: EndpointState[];
  readonly #stream: MetricsStream | undefined;
  readonly #redact: (text: string) => string;
  /** undefined if there is none, or it takes no more. */
  #scratch: Pick<FileSink, "openScratch"> | undefined;
  #spill: ColumnSpill | undefined;
  readonly #maxBytesInMemory: number;
  #pages = 0;

  /** @param urls of the endpoints, as they may be shown */
  constructor(
    urls: readonly string[],
    { redact, redactPage, stream, scratch, maxBytesInMemory }: MetricsStoreOptions = {},
  ) {
    this.#endpoints = urls.map((url) => ({
      url,
      series: new EndpointSeries(redactPage),
      failures: new Map(),
      pieces: [],
      skippedScrapes: 0,
      latenessMs: new Float64Array(0),
      droppedSeries: 0,
      disabled: undefined,
      ended: false,
    }));
    this.#redact = redact ?? ((text) => text);
    this.#stream = stream;
    this.#scratch = scratch;
    this.#maxBytesInMemory = maxBytesInMemory ?? MAX_BYTES_IN_MEMORY;
  }

  /** Whether nothing more comes from any endpoint. */
  get ended(): boolean {
    return this.#endpoints.every(({ ended }) => ended);
  }

  /** URLs of all endpoints, as they may be shown. */
  get urls(): string[] {
    return this.#endpoints.map(({ url }) => url);
  }

  get endpoints(): readonly ScrapedEndpoint[] {
    return this.#endpoints;
  }

  /** Sentences about endpoints that gave nothing. */
  get notes(): string[] {
    return this.#endpoints.filter(({ disabled }) => disabled !== undefined)
      .map(({ url, disabled }) => `No server metrics from ${url}: ${disabled}`);
  }

  /** Takes in a message of the scrape worker. */
  take(message: ScrapeMessage): void {
    const endpoint = this.#endpoints[message.endpoint];
    if (endpoint === undefined) return;
    switch (message.type) {
      case "piece":
        endpoint.pieces.push(message.piece);
        break;
      case "page":
        endpoint.series.add(joinPieces(endpoint.pieces, message.page));
        endpoint.pieces = [];
        endpoint.droppedSeries = message.droppedSeries;
        this.#stream?.add(endpoint.url, endpoint.series, message);
        if (++this.#pages % PAGES_BETWEEN_LOOKS === 0) this.#spillIfLarge();
        break;
      case "failure":
        this.#countFailure(endpoint, this.#redact(message.reason));
        break;
      case "disabled":
        endpoint.disabled = this.#redact(message.reason);
        break;
      case "located":
        endpoint.url = message.redactedUrl;
        break;
      case "end":
        endpoint.skippedScrapes = message.skippedScrapes;
        endpoint.latenessMs = message.latenessMs;
        endpoint.ended = true;
        break;
    }
  }

  #spillIfLarge(): void {
    const bytes = this.#endpoints.reduce((sum, { series }) => sum + series.byteLength, 0);
    if (bytes <= this.#maxBytesInMemory) return;
    try {
      this.#spill ??= this.#scratch?.openScratch?.();
      if (this.#spill === undefined || this.#scratch === undefined) return;
      for (const { series } of this.#endpoints) series.spill(this.#spill);
    } catch (error) {
      if (!(error instanceof ExportError)) throw error;
      // A full disk takes nothing more: what there is stays in memory, and the run goes on.
      this.#scratch = undefined;
    }
  }

  #countFailure({ failures }: EndpointState, reason: string): void {
    const key = failures.has(reason) || failures.size < MAX_REASONS ? reason : "other reasons";
    failures.set(key, (failures.get(key) ?? 0) + 1);
  }
}
