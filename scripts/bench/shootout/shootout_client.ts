import type { LoadOrder } from "../load_client.ts";
import type { CommandLine } from "../measured_process.ts";

/** Percentiles in milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** What a client says of its run. */
export interface ClientFigures {
  readonly succeeded: number;
  readonly failed: number;
  readonly ttft: Percentiles;
  /** Over requests: the mean time between tokens after the first one. */
  readonly itl: Percentiles;
}

/** A client that takes part. */
export interface ShootoutClient {
  readonly name: string;
  version(): Promise<string>;
  commandLine(order: LoadOrder, url: string, folder: string): CommandLine;
  /** Reads what it left in the folder. */
  figures(order: LoadOrder, folder: string): Promise<ClientFigures>;
}

/** Loads with their truth are the same for all. */
export interface Level extends LoadOrder {
  readonly name: string;
  /** Share of requests that fail in each of five ways. */
  readonly failureShare: number;
}
