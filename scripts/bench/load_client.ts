import type { CommandLine } from "./measured_process.ts";

/** The load that a client is to make: streamed chat requests. */
export interface LoadOrder {
  /** Requests in flight. */
  readonly concurrency: number;
  readonly requests: number;
  /** Events with content in each reply. */
  readonly tokens: number;
  /** Whether the server's metrics are collected as well, by a client that can. */
  readonly serverMetrics: boolean;
}

/** What a client reports. */
export interface ClientReport {
  readonly failed: number;
  readonly ttftP50Ms: number;
  readonly ttftP99Ms: number;
}

/** A program that makes load. */
export interface LoadClient<Report extends ClientReport = ClientReport> {
  readonly name: string;
  /** Whether it sends more than the load, such as a sample before it. @default false */
  readonly sendsMore?: boolean;
  /**
   * How it is started.
   * @param folder an empty folder for its results
   */
  commandLine(order: LoadOrder, url: string, folder: string): CommandLine;
  /** Reads what it left in the folder. */
  report(folder: string): Promise<Report>;
}

/** Words of each prompt: so few that reading replies is what costs. */
export const PROMPT_TOKENS = 50;

/** Name of the model that the load target serves. */
export const MODEL = "mock-model";
