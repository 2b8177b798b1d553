import type { PayloadTable } from "../dataset/payload_table.ts";
import { artifactNames } from "../export/artifact_names.ts";
import { ExportError } from "../export/export_error.ts";
import type { FileSink, LineSink } from "../export/file_sink.ts";
import { rawRecordLine } from "../export/raw_record_json.ts";
import { type RecordJsonOptions, recordLine } from "../export/record_json.ts";
import type { FullRecord } from "../metrics/full_record.ts";
import type { RecordMetric } from "../metrics/record_metrics.ts";
import { isSecretHeader } from "../plan/request_header.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import { REDACTED } from "../sandbox/redactor.ts";

/** Lines are handed to the operating system when this many characters have gathered. */
const FLUSH_CHARACTERS = 64 * 1024;

/** What the files of records need besides the plan. */
export interface RecordFilesOptions {
  readonly baseEpochNs: bigint;
  readonly payloads: PayloadTable;
  /** The metrics whose values {@linkcode RecordFiles.add} gets. */
  readonly metrics: readonly RecordMetric[];
  readonly redact: (text: string) => string;
  /** Called once if a file cannot be written; no record is written after that. */
  onFailure(message: string): void;
}

/** The files that get a line for each request while the run goes on. */
export class RecordFiles {
  readonly #json: RecordJsonOptions;
  readonly #options: RecordFilesOptions;
  readonly #keepRecords: boolean;
  readonly #keepRaw: boolean;
  readonly #requestHeaders: Record<string, string>;
  readonly names: string[] = [];
  #lines: string[] = [];
  #rawLines: string[] = [];
  #characters = 0;
  #files: Promise<{ records: LineSink | undefined; raw: LineSink | undefined }>;
  #writing: Promise<void> = Promise.resolve();
  #failure: string | undefined;

  constructor(plan: RunPlan, sink: FileSink, options: RecordFilesOptions) {
    this.#options = options;
    this.#keepRecords = plan.output.exportLevel !== "summary";
    this.#keepRaw = plan.output.exportLevel === "raw";
    const hasWarmup = plan.phases.some((phase) => phase.kind === "warmup");
    this.#json = {
      baseEpochNs: options.baseEpochNs,
      payloads: options.payloads,
      targets: plan.targets,
      metrics: options.metrics,
      chunkGaps: plan.body.streaming,
      httpTrace: plan.output.exportHttpTrace,
      phaseIndex: { warmup: 0, profiling: hasWarmup ? 1 : 0 },
    };
    this.#requestHeaders = Object.fromEntries(
      plan.headers.map(([name, value]) => [name, isSecretHeader(name) ? REDACTED : value]),
    );
    const names = artifactNames(plan.output.prefix);
    if (this.#keepRecords) this.names.push(names.records);
    if (this.#keepRaw) this.names.push(names.rawRecords);
    this.#files = this.#open(sink, names.records, names.rawRecords);
  }

  /** Adds a record. `values` are those of the run's metrics. */
  add(full: FullRecord, values: Float64Array): void {
    if (!this.#keepRecords || this.#failure !== undefined) return;
    const line = recordLine(full, values, this.#json);
    this.#lines.push(line);
    this.#characters += line.length;
    if (this.#keepRaw) {
      const { redact } = this.#options;
      const raw = rawRecordLine(full, this.#json, { headers: this.#requestHeaders, redact });
      this.#rawLines.push(raw);
      this.#characters += raw.length;
    }
    if (this.#characters >= FLUSH_CHARACTERS) this.flush();
  }

  /** Hands the lines that have gathered to the operating system. */
  flush(): void {
    if (this.#characters === 0) return;
    const lines = textOf(this.#lines);
    const rawLines = textOf(this.#rawLines);
    this.#lines = [];
    this.#rawLines = [];
    this.#characters = 0;
    this.#writing = this.#writing.then(async () => {
      if (this.#failure !== undefined) return;
      const files = await this.#files;
      try {
        if (lines !== "") await files.records?.append(lines);
        if (rawLines !== "") await files.raw?.append(rawLines);
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  /** Waits until what was handed over is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Writes what is left. Returns what went wrong, if anything did. */
  async close(): Promise<string | undefined> {
    this.flush();
    await this.#writing;
    const files = await this.#files.catch(() => undefined);
    await files?.records?.close();
    await files?.raw?.close();
    return this.#failure;
  }

  async #open(
    sink: FileSink,
    records: string,
    raw: string,
  ): Promise<{ records: LineSink | undefined; raw: LineSink | undefined }> {
    try {
      return {
        records: this.#keepRecords ? await sink.openLines(records) : undefined,
        raw: this.#keepRaw ? await sink.openLines(raw) : undefined,
      };
    } catch (error) {
      this.#fail(error);
      return { records: undefined, raw: undefined };
    }
  }

  #fail(error: unknown): void {
    if (!(error instanceof ExportError)) throw error;
    if (this.#failure !== undefined) return;
    this.#failure = error.message;
    this.#options.onFailure(error.message);
  }
}

function textOf(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
