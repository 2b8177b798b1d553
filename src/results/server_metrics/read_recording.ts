/** Reads recordings of metrics pages: JSON lines, or one JSON document. */

import * as z from "npm:zod@4.6.7";
import {
  RECORDING_FORMAT,
  RECORDING_VERSION,
} from "../../report/export/server_metrics/recording.ts";
import { linesOf, LongTextError, textOf } from "./recording_lines.ts";

/** A recording. Times are nanoseconds since 1970. */
export interface Recording {
  readonly benchmarkId: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  /** Seconds; undefined if the record does not say. */
  readonly sliceDuration: number | undefined;
  readonly wasCancelled: boolean;
  readonly endpointsConfigured: readonly string[];
  /** Endpoints that pages are from, in the order of their first pages. */
  readonly endpointUrls: readonly string[];
  /**
   * The pages, for each endpoint in the order of their times. Those of a long run are more than fits
   * into memory: they are read from the file again each time.
   */
  readonly scrapes: Iterable<RecordedScrape> | AsyncIterable<RecordedScrape>;
}

/** Gives the bytes of a file, from its beginning at each call. */
export type OpenFile = () => AsyncIterable<Uint8Array>;

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
 * Reads a record. All of its lines are looked at, none is kept.
 * @param open gives the file, which must not change as long as the pages are used
 * @throws {RecordingError} with the line, if it is none
 */
export async function readRecording(open: OpenFile, urls: RecordingUrls): Promise<Recording> {
  try {
    const start = head.safeParse(parsed(await firstLineOf(open())));
    return start.success ? await readLines(open, start.data) : await readDocument(open, urls);
  } catch (error) {
    if (error instanceof LongTextError) throw new RecordingError(error.message);
    throw error;
  }
}

async function firstLineOf(file: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const { text } of linesOf(file)) return text;
  return "";
}

async function readDocument(open: OpenFile, urls: RecordingUrls): Promise<Recording> {
  const document = parsed(await textOf(open()));
  if (document === undefined) {
    throw new RecordingError("Neither JSON lines of recorded pages nor one JSON document");
  }
  const result = whole.safeParse(document);
  if (!result.success) {
    throw new RecordingError(z.prettifyError(result.error).replaceAll("\n", "; "));
  }
  const data = result.data;
  const scrapes = inOrder(data["scrapes"].map(scrapeOf));
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
    endpointUrls: [...new Set(scrapes.map(({ endpointUrl }) => endpointUrl))],
    scrapes,
  };
}

async function readLines(open: OpenFile, first: z.infer<typeof head>): Promise<Recording> {
  let startNs: bigint | undefined;
  let endNs: bigint | undefined;
  let last: z.infer<typeof window> | undefined;
  const lastNs = new Map<string, bigint>();
  for await (const line of pageLines(open())) {
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
    endpointUrls: [...lastNs.keys()],
    scrapes: {
      async *[Symbol.asyncIterator]() {
        for await (const line of pageLines(open())) if ("scrape" in line) yield line.scrape;
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
async function* pageLines(file: AsyncIterable<Uint8Array>): AsyncGenerator<PageLine> {
  for await (const { text, number, isCut } of linesOf(file)) {
    if (number === 1 || text === "") continue;
    const value = parsed(text);
    const page = scrape.safeParse(value);
    const tail = page.success ? undefined : window.safeParse(value);
    if (page.success) yield { scrape: scrapeOf(page.data), number };
    else if (tail?.success) yield { window: tail.data };
    // The last line of a run that died may be cut.
    else if (!isCut) throw new RecordingError(`Line ${number} is not a recorded page`);
  }
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
