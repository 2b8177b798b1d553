import { LiveServers } from "../../report/live/live_servers.ts";
import { LiveStatistics } from "../../report/live/live_statistics.ts";
import { type LiveLevels, type LiveResults, NO_SERVERS } from "../../report/live/live_model.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import type { ScrapedEndpoint } from "../../report/model/scraped_endpoint.ts";
import type { ReadRecord } from "./block_reader.ts";

/** Interval at which the levels of servers are read for who sees nothing else of them. */
const LEVELS_INTERVAL_SECONDS = 1;

/** What those see of the results who watch the run: figures of the phase under way, and servers. */
export class LiveView {
  #statistics: LiveStatistics | undefined;
  readonly #liveServers = new LiveServers();
  #servers = NO_SERVERS;
  #levels: LiveLevels | undefined;
  #hasNewPage = false;
  #readAtSeconds = -Infinity;

  beginPhase(kind: "warmup" | "profiling", profiling: RecordTable, workers: number): void {
    this.#statistics = new LiveStatistics(kind, profiling, workers);
  }

  /** Whether a phase is watched. */
  get isOn(): boolean {
    return this.#statistics !== undefined;
  }

  /** Lets go of the records. */
  end(): void {
    this.#statistics = undefined;
  }

  add({ record, error }: ReadRecord, values: Float64Array): void {
    this.#statistics?.add(record, values, error, performance.now() / 1e3);
  }

  addCanaries(worker: number, rows: Float64Array): void {
    this.#statistics?.addCanaries(worker, rows);
  }

  /** A page of server metrics has come. */
  notePage(): void {
    this.#hasNewPage = true;
  }

  /** The figures now; undefined while nobody watches. */
  now(endpoints: readonly ScrapedEndpoint[] | undefined): LiveResults | undefined {
    if (this.#statistics === undefined) return undefined;
    this.#readPages(endpoints, 0);
    return this.#statistics.at(performance.now() / 1e3, this.#servers);
  }

  /** Levels of the servers at most a second ago; undefined before the first page. */
  levels(endpoints: readonly ScrapedEndpoint[] | undefined): LiveLevels | undefined {
    this.#readPages(endpoints, LEVELS_INTERVAL_SECONDS);
    return this.#levels;
  }

  #readPages(endpoints: readonly ScrapedEndpoint[] | undefined, intervalSeconds: number): void {
    const nowSeconds = performance.now() / 1e3;
    if (!this.#hasNewPage || endpoints === undefined) return;
    if (nowSeconds < this.#readAtSeconds + intervalSeconds) return;
    this.#hasNewPage = false;
    this.#readAtSeconds = nowSeconds;
    this.#servers = this.#liveServers.at(endpoints);
    this.#levels = this.#servers.levels;
  }
}
