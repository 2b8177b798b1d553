/** Takes in what the scrape worker found, endpoint by endpoint. */

import type { ScrapedEndpoint } from "../report/build_server_metrics_report.ts";
import type { ScrapeMessage } from "../scrape/messages.ts";
import { EndpointSeries } from "../timeseries/endpoint_series.ts";
import type { MetricsStream } from "./metrics_stream.ts";

/** What is known of an endpoint. */
interface EndpointState {
  url: string;
  readonly series: EndpointSeries;
  readonly failures: Map<string, number>;
  skippedScrapes: number;
  latenessMs: Float64Array;
  droppedSeries: number;
  /** Why it is not scraped; undefined if it is. */
  disabled: string | undefined;
  ended: boolean;
}

/** What a {@linkcode MetricsStore} does with what it is told. */
export interface MetricsStoreOptions {
  /** Takes secrets out of what went wrong. */
  readonly redact?: (text: string) => string;
  /** Takes secrets out of what a page says. */
  readonly redactPage?: (text: string) => string;
  /** Gets every page as it comes. */
  readonly stream?: MetricsStream;
}

/** Different reasons for failures that are kept apart; further ones are counted together. */
const MAX_REASONS = 20;

/** See the module's comment. */
export class MetricsStore {
  readonly #endpoints: EndpointState[];
  readonly #stream: MetricsStream | undefined;
  readonly #redact: (text: string) => string;

  /** @param urls of the endpoints, as they may be shown */
  constructor(urls: readonly string[], { redact, redactPage, stream }: MetricsStoreOptions = {}) {
    this.#endpoints = urls.map((url) => ({
      url,
      series: new EndpointSeries(redactPage),
      failures: new Map(),
      skippedScrapes: 0,
      latenessMs: new Float64Array(0),
      droppedSeries: 0,
      disabled: undefined,
      ended: false,
    }));
    this.#redact = redact ?? ((text) => text);
    this.#stream = stream;
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
      case "page":
        endpoint.series.add(message.page);
        endpoint.droppedSeries = message.droppedSeries;
        this.#stream?.add(endpoint.url, endpoint.series, message);
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

  #countFailure({ failures }: EndpointState, reason: string): void {
    const key = failures.has(reason) || failures.size < MAX_REASONS ? reason : "other reasons";
    failures.set(key, (failures.get(key) ?? 0) + 1);
  }
}
