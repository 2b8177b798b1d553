/** Reads recordings of metrics pages: JSON lines, or one JSON document. */

import * as z from "zod";
import { RECORDING_FORMAT, RECORDING_VERSION } from "../export/recording.ts";

/** A recording. Times are nanoseconds since 1970. */
export interface Recording {
  readonly benchmarkId: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  /** Seconds; undefined if the record does not say. */
  readonly sliceDuration: number | undefined;
  readonly wasCancelled: boolean;
  readonly endpointsConfigured: readonly string[];
  /**
   * The pages, for each endpoint in the order of their times. Those of a long run are more than fits
   * into memory as texts: they are read anew each time that they are gone through.
   */
  readonly scrapes: Iterable<RecordedScrape>;
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
export class RecordingError extends Error {
  override readonly name = "RecordingError";
}

const LINE_FEED = 10;
/** Longer texts are more than the engine takes. */
const MAX_DOCUMENT_BYTES = 2 ** 29 - 24;

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
  "format": z.literal(RECORDING_FORMAT),
  "version": z.literal(RECORDING_VERSION),
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

/** Conversion of a document's URLs to those of its endpoints. */
export interface RecordingUrls {
  /** The metrics endpoint of an inference server. */
  ofServer(url: string): string;
  /** An endpoint that was named. */
  named(url: string): string;
}

/**
 * Reads a record.
 * @param record bytes of the file; must not change as long as the pages are used
 * @throws {RecordingError} with the line, if it is none
 */
export function readRecording(record: Uint8Array, urls: RecordingUrls): Recording {
  const [first] = linesOf(record);
  const start = head.safeParse(parsed(first?.text ?? ""));
  return start.success ? readLines(record, start.data) : readDocument(record, urls);
}

function readDocument(record: Uint8Array, urls: RecordingUrls): Recording {
  const document = record.length > MAX_DOCUMENT_BYTES ? undefined : parsed(decoded(record));
  if (document === undefined) {
    throw new RecordingError("Neither JSON lines of recorded pages nor one JSON document");
  }
  const result = whole.safeParse(document);
  if (!result.success) {
    throw new RecordingError(z.prettifyError(result.error).replaceAll("\n", "; "));
  }
  const data = result.data;
  return {
    benchmarkId: data["benchmark_id"] ?? "",
    startNs: data["profiling_start_ns"],
    endNs: data["profiling_end_ns"],
    sliceDuration: data["slice_duration"] ?? undefined,
    wasCancelled: data["was_cancelled"] ?? false,
    endpointsConfigured: [
      ...(data["endpoint_urls"] ?? []).map((url) => urls.ofServer(url)),
      ...(data["server_metrics_urls"] ?? []).map((url) => urls.named(url)),
    ],
    scrapes: inOrder(data["scrapes"].map(scrapeOf)),
  };
}

function readLines(record: Uint8Array, first: z.infer<typeof head>): Recording {
  let startNs: bigint | undefined;
  let endNs: bigint | undefined;
  let last: z.infer<typeof window> | undefined;
  const lastNs = new Map<string, bigint>();
  for (const line of pageLines(record)) {
    if ("window" in line) {
      last = line.window;
      continue;
    }
    const { firstByteNs, endpointUrl } = line.scrape;
    if (firstByteNs < (lastNs.get(endpointUrl) ?? firstByteNs)) {
      throw new RecordingError(`Line ${line.number} is older than the page before it`);
    }
    lastNs.set(endpointUrl, firstByteNs);
    if (startNs === undefined || firstByteNs < startNs) startNs = firstByteNs;
    if (endNs === undefined || firstByteNs > endNs) endNs = firstByteNs;
  }
  return {
    benchmarkId: first["benchmark_id"],
    startNs: last?.["profiling_start_ns"] ?? startNs ?? 0n,
    endNs: last?.["profiling_end_ns"] ?? endNs ?? 0n,
    sliceDuration: undefined,
    wasCancelled: last === undefined || (last["was_cancelled"] ?? false),
    endpointsConfigured: first["endpoints_configured"],
    scrapes: {
      *[Symbol.iterator]() {
        for (const line of pageLines(record)) if ("scrape" in line) yield line.scrape;
      },
    },
  };
}

/** A line behind the first one. */
type PageLine = { readonly scrape: RecordedScrape; readonly number: number } | {
  readonly window: z.infer<typeof window>;
};

/**
 * The lines behind the first one.
 * @throws {RecordingError} if one is neither a page nor the window
 */
function* pageLines(record: Uint8Array): Generator<PageLine> {
  for (const { text, number, isLast } of linesOf(record)) {
    if (number === 1 || text === "") continue;
    const value = parsed(text);
    const page = scrape.safeParse(value);
    const tail = page.success ? undefined : window.safeParse(value);
    if (page.success) yield { scrape: scrapeOf(page.data), number };
    else if (tail?.success) yield { window: tail.data };
    // The last line of a run that died may be cut.
    else if (!isLast) throw new RecordingError(`Line ${number} is no recorded page`);
  }
}

/** The lines of a text, one after another; `isLast` is one without a line feed. */
function* linesOf(
  bytes: Uint8Array,
): Generator<{ readonly text: string; readonly number: number; readonly isLast: boolean }> {
  for (let start = 0, number = 1; start < bytes.length; number++) {
    const lineFeed = bytes.indexOf(LINE_FEED, start);
    const end = lineFeed < 0 ? bytes.length : lineFeed;
    yield { text: decoded(bytes.subarray(start, end)), number, isLast: lineFeed < 0 };
    start = end + 1;
  }
}

function decoded(bytes: Uint8Array): string {
  if (bytes.length > MAX_DOCUMENT_BYTES) throw new RecordingError("A line is too long");
  return new TextDecoder().decode(bytes);
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
