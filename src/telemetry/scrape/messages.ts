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
  /** Longest that the first answer of an endpoint may take. */
  readonly reachabilityTimeoutNs: number;
  readonly limits: PageLimits;
  readonly trust: TlsTrust;
  readonly userAgent: string;
  /** Whether the pages' texts are handed on, too. */
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
  /** Scrape on the grid from now on. */
  | { readonly type: "start" }
  /** Scrape each endpoint now, besides the grid; answered by `snapshot`. */
  | { readonly type: "snapshot" }
  /**
   * Stop; answered by `stopped` when all is handed on. A second one, without a last scrape, gives
   * up what the first one still waits for.
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
    /** What these report; undefined if nobody asked. */
    readonly families: readonly PageFamily[] | undefined;
  }
  | { readonly type: "snapshot" }
  /** A sentence for the user. */
  | { readonly type: "warning"; readonly text: string }
  | { readonly type: "stopped" };

/** Message from the results worker to the scrape worker: a page of an endpoint is taken in. */
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
  /** What did not fit into the message of the next page. */
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
    /** Beats of the grid up to the stop that were skipped because a scrape was still under way. */
    readonly skippedScrapes: number;
    /** Delay of each scrape behind its beat. */
    readonly latenessMs: Float64Array;
  };
