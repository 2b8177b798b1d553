/**
 * Lines of requests checked against the summary that was written with them. Without `run/` there is no
 * checksum: lines that were doubled, lost, or taken from another run show only in what they add up
 * to.
 */

import { REQUEST_LINES } from "../../report/export/request_lines.ts";
import { inOwnUnit, type JsonObject, objectOf } from "./exported_files.ts";

/** Largest difference between both mean latencies, as a fraction: both files round. */
const MAX_MEAN_DIFFERENCE = 0.01;

/** Adds up the lines of the profiling phase, without the cancelled requests. */
export class LineTally {
  #succeeded = 0;
  #failed = 0;
  #repeated = 0;
  #latencyMs = 0;
  readonly #ids = new Set<string>();

  /** Adds a line. */
  add({ error, metadata, metrics }: JsonObject): void {
    const { x_request_id: id } = objectOf(metadata) ?? {};
    if (typeof id === "string" && id !== "") {
      if (this.#ids.has(id)) this.#repeated++;
      this.#ids.add(id);
    }
    const latencyMs = inOwnUnit(
      objectOf(objectOf(metrics)?.["request_latency"]),
      "request_latency",
    );
    if ((error !== undefined && error !== null) || Number.isNaN(latencyMs)) this.#failed++;
    else {
      this.#succeeded++;
      this.#latencyMs += latencyMs;
    }
  }

  /**
   * Returns what the lines contradict in a summary, a phrase each.
   * @param name name of the file of lines
   */
  contradictions(summary: JsonObject, name: string): string[] {
    const repeated = this.#repeated === 0
      ? []
      : [`${name} has ${this.#repeated} requests more than once`];
    const told = objectOf(summary["inferometer"])?.[REQUEST_LINES];
    if (typeof told === "number") {
      const lines = this.#succeeded + this.#failed;
      return lines === told ? repeated : [...repeated, countText(name, lines, told, "")];
    }
    const counted = [
      ["request_count", "successful ", this.#succeeded],
      ["error_request_count", "failed ", this.#failed],
    ] as const;
    const wrong = counted.flatMap(([tag, kind, lines]) => {
      const requests = averageOf(summary, tag);
      return requests === undefined || requests === lines
        ? []
        : [countText(name, lines, requests, kind)];
    });
    return [...repeated, ...(wrong.length > 0 ? wrong : this.#otherLatencies(summary, name))];
  }

  /** Returns whether more requests succeeded than there are lines for: some tools keep a few. */
  lacksRequests(summary: JsonObject): boolean {
    return (averageOf(summary, "request_count") ?? 0) > this.#succeeded;
  }

  #otherLatencies(summary: JsonObject, name: string): string[] {
    const { unit } = objectOf(summary["request_latency"]) ?? {};
    const value = averageOf(summary, "request_latency");
    if (value === undefined || this.#succeeded === 0) return [];
    const toldMs = inOwnUnit({ value, unit }, "request_latency");
    const foundMs = this.#latencyMs / this.#succeeded;
    return Math.abs(foundMs - toldMs) <= MAX_MEAN_DIFFERENCE * toldMs ? [] : [
      `${name} has a mean latency of ${foundMs.toPrecision(4)} ms, its summary ` +
      `${toldMs.toPrecision(4)} ms`,
    ];
  }
}

function countText(name: string, lines: number, requests: number, kind: string): string {
  return `${name} has ${lines} lines of ${requests} ${kind}requests of the summary`;
}

function averageOf(summary: JsonObject, tag: string): number | undefined {
  const { avg } = objectOf(summary[tag]) ?? {};
  return typeof avg === "number" ? avg : undefined;
}
