/** Messages to and from the scrape worker. */

import type { TlsTrust } from "../../client/http/transport.ts";
import type { MetricsEndpoint, PageLimits, ScrapeSubject } from "./metrics_endpoint.ts";
import type { PagePiece } from "./page_pieces.ts";
import type { PageFamily } from "../prometheus/page_families.ts";
import type { ScrapedPage } from "../prometheus/scraped_page.ts";

/** Settings of scraping. */
export interface ScrapeSettings {
  readonly endpoints: readonly MetricsEndpoint[];
  readonly intervalNs: number;
  readonly timeoutNs: number;
  /** Maximum time for the first reply of an endpoint, in nanoseconds. */
  readonly reachabilityTimeoutNs: number;
  readonly limits: PageLimits;
  readonly trust: TlsTrust;
  readonly userAgent: string;
  /** Whether the pages' texts are forwarded, too. */
  readonly keepPages: boolean;
  /** @default server metrics */
  readonly subject?: ScrapeSubject | undefined;
}

/** Messages from main to the scrape worker. */
export type ToScrapeWorker =
  | {
    readonly type: "init";
    readonly settings: ScrapeSettings;
    /** Cells in which the clocks are compared. */
    readonly clock: SharedArrayBuffer;
    /** Port of {@linkcode ScrapeMessage}s. */
    readonly results: MessagePort;
  }
  /** Scrape each endpoint once, as the baseline; answered by `baseline`. */
  | {
    readonly type: "baseline";
    readonly clockOffsetMs: number;
    /** Whether the answer is to name what the endpoints report. */
    readonly withFamilies: boolean;
  }
  /** Order to scrape on the grid. */
  | { readonly type: "start" }
  /** Scrape each endpoint now, besides the grid; answered by `snapshot`. */
  | { readonly type: "snapshot" }
  /**
   * Order to stop; answered by `stopped` when everything is forwarded. A second one without a last
   * scrape abandons what the first one still waits for.
   */
  | {
    readonly type: "stop";
    /** Whether each endpoint is scraped a last time. */
    readonly lastScrape: boolean;
  };

/** Messages from the scrape worker to main. */
export type FromScrapeWorker =
  | { readonly type: "ready" }
  | {
    readonly type: "baseline";
    /** Endpoints that will be scraped. */
    readonly reachable: number;
    /** Families that the endpoints report; undefined if they were not requested. */
    readonly families: readonly PageFamily[] | undefined;
  }
  | { readonly type: "snapshot" }
  /** A sentence for the user. */
  | { readonly type: "warning"; readonly text: string }
  | { readonly type: "stopped" };

/** Message from the results worker to the scrape worker: a page of an endpoint was ingested. */
export interface PageTaken {
  readonly endpoint: number;
}

/**
 * Messages from the scrape worker to the results worker. `endpoint` counts those of the
 * settings.
 */
export type ScrapeMessage =
  | {
    readonly type: "page";
    readonly endpoint: number;
    readonly page: ScrapedPage;
    /** The page as it came; undefined unless pages are kept. */
    readonly text: string | undefined;
    readonly contentType: string;
    /** New series beyond the limit so far. */
    readonly droppedSeries: number;
  }
  /** Part of the next page that did not fit into its message. */
  | { readonly type: "piece"; readonly endpoint: number; readonly piece: PagePiece }
  /** A scrape failed. */
  | {
    readonly type: "failure";
    readonly endpoint: number;
    readonly reason: string;
    readonly atNs: number;
  }
  /** The endpoint is not scraped: it cannot be reached, or speaks something else. */
  | { readonly type: "disabled"; readonly endpoint: number; readonly reason: string }
  /** The endpoint gave its first page; it may be at another path than was thought. */
  | { readonly type: "located"; readonly endpoint: number; readonly redactedUrl: string }
  /** Nothing more comes from this endpoint. */
  | {
    readonly type: "end";
    readonly endpoint: number;
    /**
     * Beats of the grid up to the stop that were skipped because a scrape was still in progress.
     */
    readonly skippedScrapes: number;
    /** Delay of each scrape behind its beat. */
    readonly latenessMs: Float64Array;
  };
