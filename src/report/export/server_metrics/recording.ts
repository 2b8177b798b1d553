/**
 * Recording, the file of `--record`: JSON lines. The first line describes the recording, each
 * following one contains a scrape, the last one the window of the statistics. A run that died has
 * no last line, and can be replayed up to its end.
 */

import { jsonText } from "../../../core/files/json_text.ts";
import type { ScrapedPage } from "../../../telemetry/prometheus/scraped_page.ts";

/** Mark of the first line. */
export const RECORDING_FORMAT = "inferometer-scrapes";
/** Version of the layout. */
export const RECORDING_VERSION = 1;

/** The part of the run that statistics are of, ns since 1970. */
export interface RecordingWindow {
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly wasCancelled: boolean;
}

/** The first line. */
export function recordingHead(benchmarkId: string, endpointsConfigured: readonly string[]): string {
  return jsonText({
    "format": RECORDING_FORMAT,
    "version": RECORDING_VERSION,
    "benchmark_id": benchmarkId,
    "endpoints_configured": endpointsConfigured,
  }, 0);
}

/** The line of a page. */
export function recordingLine(
  url: string,
  page: ScrapedPage,
  contentType: string,
  text: string,
  baseEpochNs: bigint,
): string {
  return jsonText({
    "endpoint_url": url,
    "request_sent_ns": baseEpochNs + BigInt(page.sentNs),
    "first_byte_ns": baseEpochNs + BigInt(page.firstByteNs),
    "latency_ns": BigInt(page.latencyNs),
    "content_type": contentType,
    "text": text,
  }, 0);
}

/** The last line. */
export function recordingTail({ startNs, endNs, wasCancelled }: RecordingWindow): string {
  return jsonText({
    "profiling_start_ns": startNs,
    "profiling_end_ns": endNs,
    "was_cancelled": wasCancelled,
  }, 0);
}
