/** Scrapes one endpoint: the first page, the grid, the last page. */

import type { RunClock } from "../../core/thread/run_clock.ts";
import type { Transport } from "../../client/http/transport.ts";
import { fetchPage, INTERRUPTED, ScrapeError } from "./fetch_page.ts";
import { inSlices } from "../../core/thread/in_slices.ts";
import {
  alternativeEndpoints,
  type MetricsEndpoint,
  type ScrapeSubject,
  SERVER_METRICS,
} from "./metrics_endpoint.ts";
import { PageBuffer } from "./page_buffer.ts";
import type { PageFamily } from "../prometheus/page_families.ts";
import type { ScrapedPage } from "../prometheus/scraped_page.ts";
import { NotPrometheusError, PageReader } from "./page_reader.ts";
import type { ScrapeMessage, ScrapeSettings } from "./messages.ts";
import { sendPieces } from "./page_pieces.ts";
import type { Timers } from "../../core/thread/timers.ts";

type WithoutEndpoint<T> = T extends unknown ? Omit<T, "endpoint"> : never;

/** Context of a scraper besides its endpoint. */
export interface ScraperContext {
  readonly settings: ScrapeSettings;
  readonly transport: Transport;
  readonly clock: RunClock;
  readonly timers: Pick<Timers, "once">;
  /** Takes what is found, and buffers that may be transferred. */
  deliver(message: WithoutEndpoint<ScrapeMessage>, transfer?: Transferable[]): void;
  warn(text: string): void;
}

/**
 * Maximum number and size in bytes of pages that wait to be ingested before scrapes are skipped.
 * More small pages may wait, as they would otherwise be delayed by another endpoint's large ones.
 */
const MAX_UNTAKEN = 3;
const MAX_UNTAKEN_BYTES = 2e6;
/** Memory of a page in bytes, apart from its samples and its text. */
const PAGE_BYTES = 500;

/** Whether a status says that the page is not at this path. */
function isOther(status: number | undefined): boolean {
  return status === 404 || (status !== undefined && status >= 300 && status < 400);
}

/** See the module's comment. */
export class EndpointScraper {
  #endpoint: MetricsEndpoint;
  readonly #context: ScraperContext;
  readonly #reader: PageReader;
  readonly #buffer: PageBuffer;
  readonly #decoder = new TextDecoder();
  readonly #abort = new AbortController();
  readonly #latenessMs: number[] = [];
  /** Bytes of the pages that were delivered but not yet ingested. */
  readonly #untaken: number[] = [];
  #skipped = 0;
  #disabled = false;
  /** When it was to stop. */
  #stopNs = Infinity;
  #wake: () => void = () => {};
  #onRoom: () => void = () => {};
  #loop: Promise<void> = Promise.resolve();
  /** The last scrape that was asked for. */
  #last: Promise<void> = Promise.resolve();
  #end: Promise<void> | undefined;
  /** Whether the last scrape found no answer in time. */
  #timedOut = false;

  constructor(endpoint: MetricsEndpoint, context: ScraperContext) {
    this.#endpoint = endpoint;
    this.#context = context;
    this.#reader = new PageReader(context.settings.limits);
    this.#buffer = new PageBuffer(context.settings.limits.bodyBytes);
  }

  /**
   * Finds out whether the endpoint answers; its first page is the baseline. One that does not is
   * left alone for the whole run.
   * @returns whether it will be scraped
   */
  async baseline(): Promise<boolean> {
    const reachabilityTimeoutNs = this.#endpoint.reachabilityTimeoutNs ??
      this.#context.settings.reachabilityTimeoutNs;
    try {
      await this.#scrapeOrMove(reachabilityTimeoutNs);
    } catch (error) {
      if (!(error instanceof ScrapeError)) throw error;
      this.#disable(error.message);
      if (this.#endpoint.named && !this.#abort.signal.aborted) {
        this.#context.warn(
          this.#subject === SERVER_METRICS
            ? `Server metrics of ${this.#endpoint.redactedUrl} are not collected: ${error.message}`
            : `No ${this.#subject.name} from ${this.#endpoint.redactedUrl}: ${error.message}`,
        );
      }
    }
    return !this.#disabled;
  }

  /** Scrapes on the grid until {@linkcode stop}. */
  start(): void {
    if (!this.#disabled) this.#loop = this.#run();
  }

  /** Scrapes once outside the grid, after the scrape in progress. */
  async snapshot(): Promise<void> {
    if (!this.#disabled) await this.#scrape(this.#context.settings.timeoutNs);
  }

  /** Confirms that a delivered page was processed. */
  taken(): void {
    this.#untaken.shift();
    if (this.#hasRoom) this.#onRoom();
  }

  /** The families of its pages so far. */
  get families(): PageFamily[] {
    return this.#reader.families;
  }

  get #hasRoom(): boolean {
    return this.#untaken.length < MAX_UNTAKEN ||
      this.#untaken.reduce((sum, bytes) => sum + bytes, 0) < MAX_UNTAKEN_BYTES;
  }

  get #subject(): ScrapeSubject {
    return this.#context.settings.subject ?? SERVER_METRICS;
  }

  get #stopping(): boolean {
    return this.#stopNs < Infinity;
  }

  /**
   * Stops. Stopping once more without a last scrape gives up whatever is still waited for.
   * @param lastScrape whether to scrape a last time, after the scrape in progress; if that one
   * times out, the last scrape is skipped
   */
  stop(lastScrape: boolean): Promise<void> {
    if (!lastScrape) this.#abort.abort();
    return this.#end ??= this.#finish(lastScrape);
  }

  async #finish(lastScrape: boolean): Promise<void> {
    this.#stopNs = this.#context.clock.nowNs();
    this.#wake();
    this.#onRoom();
    this.#timedOut = false;
    await this.#loop;
    if (lastScrape && !this.#disabled && !this.#timedOut) {
      await this.#scrape(this.#context.settings.timeoutNs);
    }
    this.#context.deliver({
      type: "end",
      skippedScrapes: this.#skipped,
      latenessMs: Float64Array.from(this.#latenessMs),
    });
  }

  /**
   * Scrapes sequentially, each at a beat of the grid. A scrape that takes longer than a beat makes
   * the next ones fall out: at most one is in progress. Pages that arrive faster than they are
   * ingested also make scrapes fall out, so that no backlog forms.
   */
  async #run(): Promise<void> {
    const { clock, settings } = this.#context;
    const startNs = clock.nowNs();
    const beatsUntil = (timeNs: number) => Math.ceil((timeNs - startNs) / settings.intervalNs);
    for (let beat = 0; !this.#stopping && !this.#disabled;) {
      const plannedNs = startNs + beat * settings.intervalNs;
      await this.#sleepUntil(plannedNs);
      if (this.#stopping) return;
      this.#latenessMs.push((clock.nowNs() - plannedNs) / 1e6);
      await this.#scrape(settings.timeoutNs);
      if (!this.#hasRoom && !this.#stopping) {
        await new Promise<void>((resolve) => this.#onRoom = resolve);
      }
      // Beats after the stop were never due.
      const next = Math.max(beat + 1, beatsUntil(Math.min(clock.nowNs(), this.#stopNs)));
      this.#skipped += next - beat - 1;
      beat = next;
    }
  }

  #sleepUntil(timeNs: number): Promise<void> {
    const delayMs = (timeNs - this.#context.clock.nowNs()) / 1e6;
    if (delayMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const callOff = this.#context.timers.once(delayMs, resolve);
      this.#wake = () => {
        callOff();
        resolve();
      };
    });
  }

  /** Scrapes and counts a failure; waits for the scrape in progress. */
  #scrape(timeoutNs: number): Promise<void> {
    return this.#last = this.#last.then(() => this.#scrapeCounted(timeoutNs));
  }

  async #scrapeCounted(timeoutNs: number): Promise<void> {
    try {
      await this.#scrapeOrMove(timeoutNs);
    } catch (error) {
      if (!(error instanceof ScrapeError)) throw error;
      if (this.#stopping && this.#abort.signal.aborted) return;
      this.#timedOut = error.details.isTimeout === true;
      const atNs = this.#context.clock.nowNs();
      this.#context.deliver({ type: "failure", reason: error.message, atNs });
    }
  }

  /**
   * A scrape; if the endpoint has never given a page and speaks something else, or has nothing
   * there, or points elsewhere, the other usual paths are tried once, and failing that, the endpoint
   * is left alone.
   * @throws {ScrapeError}
   */
  async #scrapeOrMove(timeoutNs: number): Promise<void> {
    let failure: string | undefined;
    try {
      failure = await this.#scrapeOnce(this.#endpoint, timeoutNs);
    } catch (error) {
      const isElsewhere = error instanceof ScrapeError && isOther(error.details.status);
      if (!isElsewhere || this.#reader.wasValid) throw error;
      if (await this.#tryOthers(timeoutNs)) return;
      throw error;
    }
    if (failure === undefined) return;
    const { redactedUrl } = this.#endpoint;
    const reason = `endpoint '${redactedUrl}' ${failure}`;
    if (this.#reader.wasValid) throw new ScrapeError(reason);
    if (await this.#tryOthers(timeoutNs)) return;
    this.#disable(reason);
    const { name, off } = this.#subject;
    // What was only looked for need not be there.
    if (!this.#endpoint.named && this.#subject !== SERVER_METRICS) return;
    this.#context.warn(
      `Disabling ${name} collection for ${redactedUrl}: ${reason}. ` +
        `To suppress this warning, pass ${off}.`,
    );
  }

  async #tryOthers(timeoutNs: number): Promise<boolean> {
    for (const other of alternativeEndpoints(this.#endpoint)) {
      if (await this.#tryOnce(other, timeoutNs)) return true;
    }
    return false;
  }

  async #tryOnce(endpoint: MetricsEndpoint, timeoutNs: number): Promise<boolean> {
    const before = this.#endpoint;
    try {
      this.#endpoint = endpoint;
      if (await this.#scrapeOnce(endpoint, timeoutNs) === undefined) return true;
    } catch (error) {
      if (!(error instanceof ScrapeError)) throw error;
    }
    this.#endpoint = before;
    return false;
  }

  /**
   * @returns why the reply is not a metrics response, undefined if it is one
   * @throws {ScrapeError}
   */
  async #scrapeOnce(endpoint: MetricsEndpoint, timeoutNs: number): Promise<string | undefined> {
    const { settings, transport, timers, clock } = this.#context;
    const { sentNs, firstByteNs, endNs, contentType, body } = await fetchPage(transport, endpoint, {
      timeoutMs: timeoutNs / 1e6,
      buffer: this.#buffer,
      userAgent: settings.userAgent,
      signal: this.#abort.signal,
      timers,
      nowNs: () => clock.nowNs(),
    });
    const isFirst = !this.#reader.wasValid;
    try {
      const times = { sentNs, firstByteNs, latencyNs: endNs - sentNs };
      const page = await this.#inSlices(this.#reader.reading(body, contentType, times));
      // Known by now to be the right place.
      if (isFirst) this.#context.deliver({ type: "located", redactedUrl: endpoint.redactedUrl });
      await this.#deliverPage(page, body, contentType);
      return undefined;
    } catch (error) {
      if (error instanceof NotPrometheusError) return error.message;
      throw error;
    }
  }

  async #deliverPage(whole: ScrapedPage, body: Uint8Array, contentType: string): Promise<void> {
    const { deliver } = this.#context;
    const page = await this.#inSlices(
      sendPieces(whole, (piece) => deliver({ type: "piece", piece })),
    );
    const text = this.#context.settings.keepPages ? this.#decoder.decode(body) : undefined;
    const { ids, values } = page;
    const bytes = PAGE_BYTES + ids.byteLength + values.byteLength + (text?.length ?? 0);
    this.#untaken.push(bytes);
    const { droppedSeries } = this.#reader;
    deliver(
      { type: "page", page, text, contentType, droppedSeries },
      [ids.buffer as ArrayBuffer, values.buffer as ArrayBuffer],
    );
  }

  /** @throws {ScrapeError} if it is interrupted */
  async #inSlices<T>(work: Generator<void, T>): Promise<T> {
    const { timers, clock } = this.#context;
    const { signal } = this.#abort;
    const result = await inSlices(work, { timers, signal, nowNs: () => clock.nowNs() });
    if (result === undefined) throw new ScrapeError(INTERRUPTED);
    return result;
  }

  #disable(reason: string): void {
    this.#disabled = true;
    this.#context.deliver({ type: "disabled", reason });
  }
}
