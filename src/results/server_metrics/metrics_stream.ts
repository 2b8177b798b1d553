/** The files that get a line for each scrape while the run goes on. */

import { ExportError } from "../../report/export/export_error.ts";
import type { FileSink, LineSink } from "../../report/export/file_sink.ts";
import {
  recordingHead,
  recordingLine,
  recordingTail,
  type RecordingWindow,
} from "../../report/export/server_metrics/recording.ts";
import { phaseFields } from "../../report/export/requests/phase_fields.ts";
import { serverMetricsLine } from "../../report/export/server_metrics/server_metrics_line.ts";
import { TextChunks } from "../../report/export/server_metrics/text_chunks.ts";
import type { ScrapeMessage } from "../../telemetry/scrape/messages.ts";
import type { EndpointSeries } from "../../telemetry/timeseries/endpoint_series.ts";

/** Bytes of waiting lines that are written at once. */
const FLUSH_BYTES = 1 << 20;

/** A phase of the run that is measured; times are nanoseconds of the run's clock. */
interface Phase {
  readonly fields: string;
  readonly startNs: number;
  endNs: number;
}

/** Files of scrapes as lines. */
export interface MetricsStreamOptions {
  /** Name of the JSONL file; undefined for none. */
  readonly linesName: string | undefined;
  readonly lines: FileSink;
  /** Name of the file of the pages as received; undefined for none. */
  readonly recordingName: string | undefined;
  readonly recording: FileSink;
  /** Lines that are gathered before they are written. */
  readonly batchLines: number;
  readonly baseEpochNs: bigint;
  readonly benchmarkId: string;
  readonly endpointsConfigured: readonly string[];
  readonly redact: (text: string) => string;
  /** Called once for each file that cannot be written; it gets no more lines. */
  onFailure(message: string): void;
}

/** See the module's comment. */
export class MetricsStream {
  readonly #options: MetricsStreamOptions;
  readonly #lines: Lines | undefined;
  readonly #recording: Lines | undefined;
  /** Phases of the run, the last one first. */
  readonly #phases: Phase[] = [];

  constructor(options: MetricsStreamOptions) {
    this.#options = options;
    const { linesName, lines, recordingName, recording } = options;
    const fail = (message: string) => options.onFailure(message);
    if (linesName !== undefined) {
      this.#lines = new Lines(lines, linesName, options.batchLines, fail);
    }
    if (recordingName !== undefined) {
      this.#recording = new Lines(recording, recordingName, options.batchLines, fail);
      this.#recording.add([recordingHead(options.benchmarkId, options.endpointsConfigured)]);
      // A file that cannot be written is better reported before the run than after it.
      this.#recording.flush();
    }
  }

  /** Scrapes from `startNs` on belong to this phase. */
  beginPhase(kind: "warmup" | "profiling", startNs: number): void {
    const fields = phaseFields(kind, this.#phases.length);
    this.#phases.unshift({ fields, startNs, endNs: Infinity });
  }

  /** The phase under way ended; what comes after belongs to none. */
  endPhase(endNs: number): void {
    const [phase] = this.#phases;
    if (phase !== undefined) phase.endNs = endNs;
  }

  #phaseFieldsAt(atNs: number): string {
    const phase = this.#phases.find(({ startNs }) => startNs <= atNs);
    return phase !== undefined && atNs <= phase.endNs ? phase.fields : "";
  }

  /** Adds a scrape that `series` has taken in. */
  add(
    url: string,
    series: EndpointSeries,
    message: Extract<ScrapeMessage, { type: "page" }>,
  ): void {
    const { baseEpochNs, redact } = this.#options;
    const { page, text, contentType } = message;
    if (!page.duplicate && series.timesNs.at(-1) === page.firstByteNs) {
      const phase = this.#phaseFieldsAt(page.firstByteNs);
      this.#lines?.add(serverMetricsLine(series, page, url, baseEpochNs, phase));
    }
    if (text !== undefined) {
      this.#recording?.add([recordingLine(url, page, contentType, redact(text), baseEpochNs)]);
    }
  }

  /** The files of the run that there are; a scrape that gave nothing has no line in them. */
  get names(): string[] {
    const { linesName } = this.#options;
    return linesName === undefined || this.#lines?.isEmpty ? [] : [linesName];
  }

  /**
   * Writes what is left.
   * @returns what went wrong, if anything did
   */
  close(window: RecordingWindow | undefined): string | undefined {
    if (window !== undefined) this.#recording?.add([recordingTail(window)]);
    const failure = this.#lines?.close();
    return this.#recording?.close() ?? failure;
  }
}

/** Lines on their way into one file, which is made for the first of them. */
class Lines {
  readonly #sink: FileSink;
  readonly #name: string;
  readonly #batch: number;
  readonly #onFailure: (message: string) => void;
  /** Lines that are not handed over yet. Bytes, as texts of large pages would be much garbage. */
  readonly #waiting = new TextChunks();
  #lines = 0;
  #file: LineSink | undefined;
  #failure: string | undefined;

  constructor(
    sink: FileSink,
    name: string,
    batch: number,
    onFailure: (message: string) => void,
  ) {
    this.#sink = sink;
    this.#name = name;
    this.#batch = batch;
    this.#onFailure = onFailure;
  }

  /** Whether there has been no line. */
  get isEmpty(): boolean {
    return this.#file === undefined && this.#lines === 0;
  }

  /** Adds a line, in pieces without its line end. */
  add(line: Iterable<string>): void {
    if (this.#failure !== undefined) return;
    for (const piece of line) this.#waiting.add(piece);
    this.#waiting.add("\n");
    this.#lines++;
    if (this.#lines >= this.#batch || this.#waiting.length > FLUSH_BYTES) this.flush();
  }

  close(): string | undefined {
    this.flush();
    try {
      this.#file?.close();
    } catch (error) {
      this.#fail(error);
    }
    return this.#failure;
  }

  /** Writes what has gathered. */
  flush(): void {
    if (this.#lines === 0) return;
    try {
      this.#file ??= this.#sink.openLines(this.#name);
      this.#file.append(this.#waiting);
    } catch (error) {
      this.#fail(error);
    }
    this.#waiting.clear();
    this.#lines = 0;
  }

  #fail(error: unknown): void {
    if (!(error instanceof ExportError)) throw error;
    if (this.#failure === undefined) this.#onFailure(error.message);
    this.#failure ??= error.message;
  }
}
