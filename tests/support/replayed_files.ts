/** The files of server metrics out of pages that a test writes down. */

import type { FileSink } from "../../src/report/export/file_sink.ts";
import { resolveMetricsOutput } from "../../src/config/plan/servers/resolve_server_metrics.ts";
import type { MetricsFileOptions } from "../../src/config/options/profile/server_metrics_types.ts";
import { replay } from "../../src/results/server_metrics/replay.ts";
import { BASE_EPOCH_NS, ENDPOINT_URL, type TimedPage } from "./metrics_pages.ts";
import { type ParquetFile, readParquetBytes } from "./parquet_rows.ts";

/** What is replayed, and how. */
export interface ReplaySettings extends MetricsFileOptions {
  /** Seconds of the run: the window of the statistics. */
  readonly start: number;
  readonly end: number;
  readonly contentType?: string;
  readonly endpointsConfigured?: readonly string[];
  readonly benchmarkId?: string;
}

// deno-lint-ignore no-explicit-any -- what a reader of a file sees
type Json = any;

/** The files of a replay. Getting one that was not written fails. */
export interface ReplayedFiles {
  readonly names: readonly string[];
  readonly json: Json;
  readonly jsonText: string;
  readonly csv: string;
  readonly jsonl: string;
  /** Lines of the JSONL, parsed. */
  readonly lines: readonly Json[];
  readonly parquetBytes: Uint8Array<ArrayBuffer>;
  parquet(): Promise<ParquetFile>;
}

/** Pages of several endpoints by their URLs, or those of one. */
export type ReplayedPages = readonly TimedPage[] | Readonly<Record<string, readonly TimedPage[]>>;

/** Replays pages into memory. */
export async function replayedFiles(
  pages: ReplayedPages,
  settings: ReplaySettings,
): Promise<ReplayedFiles> {
  const { start, end, contentType, endpointsConfigured, benchmarkId, ...options } = settings;
  const epoch = (second: number): bigint => BASE_EPOCH_NS + BigInt(Math.round(second * 1e9));
  const byUrl = isList(pages) ? { [ENDPOINT_URL]: pages } : pages;
  const scrapes = Object.entries(byUrl).flatMap(([endpointUrl, pages]) =>
    pages.map(([second, text]) => ({
      endpointUrl,
      sentNs: epoch(second) - 1_000n,
      firstByteNs: epoch(second),
      latencyNs: 2_000_000n,
      contentType: contentType ?? "text/plain; version=0.0.4",
      text,
    }))
  ).sort((a, b) => Number(a.firstByteNs - b.firstByteNs));
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  await replay(
    {
      benchmarkId: benchmarkId ?? "00000000-0000-4000-8000-000000000001",
      startNs: epoch(start),
      endNs: epoch(end),
      sliceDuration: undefined,
      wasCancelled: false,
      endpointsConfigured: endpointsConfigured ?? [],
      endpointUrls: [...new Set(scrapes.map(({ endpointUrl }) => endpointUrl))],
      scrapes,
    },
    resolveMetricsOutput({ serverMetricsFormats: ["json,csv,jsonl,parquet"], ...options }),
    undefined,
    memorySink(files),
    "host",
  );
  const bytesOf = (format: string): Uint8Array<ArrayBuffer> => {
    const bytes = files.get(`server_metrics_export.${format}`);
    if (bytes === undefined) throw new Error(`No ${format} was written`);
    return bytes;
  };
  const textOf = (format: string): string => new TextDecoder().decode(bytesOf(format));
  return {
    names: [...files.keys()],
    get json() {
      return JSON.parse(textOf("json"));
    },
    get jsonText() {
      return textOf("json");
    },
    get csv() {
      return textOf("csv");
    },
    get jsonl() {
      return textOf("jsonl");
    },
    get lines() {
      return textOf("jsonl").trimEnd().split("\n").map((line) => JSON.parse(line));
    },
    get parquetBytes() {
      return bytesOf("parquet");
    },
    parquet: () => readParquetBytes(bytesOf("parquet").buffer),
  };
}

function isList(pages: ReplayedPages): pages is readonly TimedPage[] {
  return Array.isArray(pages);
}

/** Files that end up in a map. */
export function memorySink(files: Map<string, Uint8Array<ArrayBuffer>>): FileSink {
  const encoder = new TextEncoder();
  const add = (name: string, piece: string | Uint8Array): void => {
    const before = files.get(name) ?? new Uint8Array(0);
    const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
    const after = new Uint8Array(before.length + bytes.length);
    after.set(before);
    after.set(bytes, before.length);
    files.set(name, after);
  };
  return {
    async write(name, pieces) {
      for (const piece of pieces) add(name, piece);
      await Promise.resolve();
    },
    openLines: (name) => {
      add(name, "");
      return {
        append(lines) {
          for (const bytes of lines) add(name, bytes);
        },
        close() {},
      };
    },
  };
}
