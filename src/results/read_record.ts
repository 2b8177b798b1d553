/** Reads files of recorded pages: JSON lines, or one JSON document. */

import * as z from "zod";
import { RECORD_FORMAT, RECORD_VERSION } from "../export/scrape_record.ts";

/** Recorded pages, in the order of their times for each endpoint. Times are ns since 1970. */
export interface RecordedScrapes {
  readonly benchmarkId: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  /** Seconds; undefined if the record does not say. */
  readonly sliceDuration: number | undefined;
  readonly wasCancelled: boolean;
  readonly endpointsConfigured: readonly string[];
  readonly scrapes: readonly RecordedScrape[];
}

/** A recorded page. */
export interface RecordedScrape {
  readonly endpointUrl: string;
  readonly sentNs: bigint;
  readonly firstByteNs: bigint;
  readonly latencyNs: bigint;
  readonly contentType: string;
  readonly text: string;
}

/** A record that cannot be read. */
export class RecordError extends Error {
  override readonly name = "RecordError";
}

const nanoseconds = z.union([z.bigint(), z.string().regex(/^-?\d+$/).transform(BigInt)]);

const scrape = z.object({
  "endpoint_url": z.string().min(1),
  "request_sent_ns": nanoseconds,
  "first_byte_ns": nanoseconds.nullish(),
  "latency_ns": nanoseconds,
  "content_type": z.string().nullish(),
  "text": z.string(),
});

const window = z.object({
  "profiling_start_ns": nanoseconds,
  "profiling_end_ns": nanoseconds,
  "was_cancelled": z.boolean().optional(),
});

const head = z.object({
  "format": z.literal(RECORD_FORMAT),
  "version": z.literal(RECORD_VERSION),
  "benchmark_id": z.string(),
  "endpoints_configured": z.array(z.string()),
});

const whole = window.extend({
  "benchmark_id": z.string().optional(),
  "slice_duration": z.number().positive().nullish(),
  "endpoint_urls": z.array(z.string()).optional(),
  "server_metrics_urls": z.array(z.string()).optional(),
  "scrapes": z.array(scrape),
});

/** How the URLs of a single document become those of its endpoints. */
export interface RecordUrls {
  /** The metrics endpoint of an inference server. */
  ofServer(url: string): string;
  /** An endpoint that was named. */
  named(url: string): string;
}

/**
 * Reads a record.
 * @throws {RecordError} with the line, if it is none
 */
export function readRecord(text: string, urls: RecordUrls): RecordedScrapes {
  const [firstLine = ""] = text.split("\n", 1);
  const first = parsed(firstLine);
  if (first !== undefined && head.safeParse(first).success) return readLines(text);
  const document = parsed(text);
  if (document === undefined) {
    throw new RecordError("Neither JSON lines of recorded pages nor one JSON document");
  }
  const result = whole.safeParse(document);
  if (!result.success) throw new RecordError(z.prettifyError(result.error).replaceAll("\n", "; "));
  const record = result.data;
  return {
    benchmarkId: record["benchmark_id"] ?? "",
    startNs: record["profiling_start_ns"],
    endNs: record["profiling_end_ns"],
    sliceDuration: record["slice_duration"] ?? undefined,
    wasCancelled: record["was_cancelled"] ?? false,
    endpointsConfigured: [
      ...(record["endpoint_urls"] ?? []).map((url) => urls.ofServer(url)),
      ...(record["server_metrics_urls"] ?? []).map((url) => urls.named(url)),
    ],
    scrapes: inOrder(record["scrapes"].map(scrapeOf)),
  };
}

function readLines(text: string): RecordedScrapes {
  const lines = text.split("\n");
  const first = head.parse(parsed(lines[0] as string));
  const scrapes: RecordedScrape[] = [];
  let last: z.infer<typeof window> | undefined;
  for (let number = 1; number < lines.length; number++) {
    const line = lines[number] as string;
    if (line === "") continue;
    const value = parsed(line);
    const page = scrape.safeParse(value);
    if (page.success) {
      scrapes.push(scrapeOf(page.data));
      continue;
    }
    const tail = window.safeParse(value);
    if (tail.success) last = tail.data;
    // The last line of a run that died may be cut.
    else if (number < lines.length - 1) {
      throw new RecordError(`Line ${number + 1} is no recorded page`);
    }
  }
  const sorted = inOrder(scrapes);
  const times = sorted.map(({ firstByteNs }) => firstByteNs);
  return {
    benchmarkId: first["benchmark_id"],
    startNs: last?.["profiling_start_ns"] ?? times[0] ?? 0n,
    endNs: last?.["profiling_end_ns"] ?? times.at(-1) ?? 0n,
    sliceDuration: undefined,
    wasCancelled: last === undefined || (last["was_cancelled"] ?? false),
    endpointsConfigured: first["endpoints_configured"],
    scrapes: sorted,
  };
}

function scrapeOf(line: z.infer<typeof scrape>): RecordedScrape {
  const sentNs = line["request_sent_ns"];
  return {
    endpointUrl: line["endpoint_url"],
    sentNs,
    firstByteNs: line["first_byte_ns"] ?? sentNs + line["latency_ns"],
    latencyNs: line["latency_ns"],
    contentType: line["content_type"] ?? "",
    text: line["text"],
  };
}

function inOrder(scrapes: readonly RecordedScrape[]): RecordedScrape[] {
  return [...scrapes].sort((a, b) =>
    a.firstByteNs < b.firstByteNs ? -1 : a.firstByteNs > b.firstByteNs ? 1 : 0
  );
}

/** JSON whose nanoseconds are big integers, digit for digit; undefined if it is no JSON object. */
function parsed(text: string): unknown {
  try {
    const value = JSON.parse(text, reviveNanoseconds as (key: string, value: unknown) => unknown);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function reviveNanoseconds(key: string, value: unknown, context?: { source?: string }): unknown {
  if (!key.endsWith("_ns") || typeof value !== "number") return value;
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? BigInt(source) : BigInt(Math.round(value));
}
