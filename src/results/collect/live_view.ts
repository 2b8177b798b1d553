import { LiveServers } from "../../report/live/live_servers.ts";
import { LiveStatistics } from "../../report/live/live_statistics.ts";
import { type LiveResults, NO_SERVERS } from "../../report/live/live_model.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import type { ScrapedEndpoint } from "../../report/model/scraped_endpoint.ts";
import type { ReadRecord } from "./block_reader.ts";

/** What those see of the results who watch the run: figures of the phase under way, and servers. */
export class LiveView {
  #statistics: LiveStatistics | undefined;
  readonly #liveServers = new LiveServers();
  #servers = NO_SERVERS;
  #hasNewPage = false;

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
    if (this.#hasNewPage && endpoints !== undefined) {
      this.#hasNewPage = false;
      this.#servers = this.#liveServers.at(endpoints);
    }
    return this.#statistics.at(performance.now() / 1e3, this.#servers);
  }
}
