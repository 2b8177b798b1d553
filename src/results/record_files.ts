import type { PayloadTable } from "../dataset/payload_table.ts";
import { endpointType } from "../endpoint/endpoint_types.ts";
import { artifactNames } from "../export/artifact_names.ts";
import { ExportError } from "../export/export_error.ts";
import type { FileSink, LineSink } from "../export/file_sink.ts";
import { rawRecordLine, type RawRequest } from "../export/raw_record_json.ts";
import { type RecordJsonOptions, recordLine } from "../export/record_json.ts";
import type { FullRecord } from "../metrics/full_record.ts";
import type { RecordMetric } from "../metrics/record_metrics.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { redactedHeaders } from "../secrets/secret_headers.ts";
import type { RunPlan } from "../plan/run_plan.ts";

const encoder = new TextEncoder();
/** Lines are handed to the operating system when this many characters have gathered. */
const FLUSH_CHARACTERS = 64 * 1024;

/** Settings of the files of records besides the plan. */
export interface RecordFilesOptions {
  readonly baseEpochNs: bigint;
  readonly payloads: PayloadTable;
  /** The metrics whose values {@linkcode RecordFiles.add} gets. */
  readonly metrics: readonly RecordMetric[];
  readonly redact: Redactor;
  /** Called once if a file cannot be written; no record is written after that. */
  onFailure(message: string): void;
}

/** The files that get a line for each request while the run goes on. */
export class RecordFiles {
  readonly #json: RecordJsonOptions;
  readonly #options: RecordFilesOptions;
  readonly #keepRecords: boolean;
  readonly #keepRaw: boolean;
  readonly #rawRequest: RawRequest;
  readonly names: string[] = [];
  #lines: string[] = [];
  #rawLines: string[] = [];
  #characters = 0;
  #records: LineSink | undefined;
  #raw: LineSink | undefined;
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
      models: plan.models,
      metrics: options.metrics,
      chunkGaps: plan.body.streaming,
      httpTrace: plan.output.exportHttpTrace,
      phaseIndex: { warmup: 0, profiling: hasWarmup ? 1 : 0 },
    };
    this.#rawRequest = {
      format: endpointType(plan.endpointType).body,
      headers: Object.fromEntries(redactedHeaders(plan.headers)),
      redact: options.redact,
    };
    const names = artifactNames(plan.output.prefix);
    if (this.#keepRecords) this.names.push(names.records);
    if (this.#keepRaw) this.names.push(names.rawRecords);
    try {
      if (this.#keepRecords) this.#records = sink.openLines(names.records);
      if (this.#keepRaw) this.#raw = sink.openLines(names.rawRecords);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Adds a record. `values` are those of the run's metrics. */
  add(full: FullRecord, values: Float64Array): void {
    if (!this.#keepRecords || this.#failure !== undefined) return;
    const line = recordLine(full, values, this.#json);
    this.#lines.push(line);
    this.#characters += line.length;
    if (this.#keepRaw) {
      const raw = rawRecordLine(full, this.#json, this.#rawRequest);
      this.#rawLines.push(raw);
      this.#characters += raw.length;
    }
    if (this.#characters >= FLUSH_CHARACTERS) this.flush();
  }

  /** Hands the lines that have gathered to the operating system. */
  flush(): void {
    if (this.#characters === 0) return;
    this.#append(this.#records, this.#lines);
    this.#append(this.#raw, this.#rawLines);
    this.#lines = [];
    this.#rawLines = [];
    this.#characters = 0;
  }

  /** Writes what is left. Returns what went wrong, if anything did. */
  close(): string | undefined {
    this.flush();
    this.#records?.close();
    this.#raw?.close();
    return this.#failure;
  }

  #append(file: LineSink | undefined, lines: readonly string[]): void {
    if (this.#failure !== undefined || lines.length === 0) return;
    try {
      file?.append([encoder.encode(`${lines.join("\n")}\n`)]);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (!(error instanceof ExportError)) throw error;
    if (this.#failure !== undefined) return;
    this.#failure = error.message;
    this.#options.onFailure(error.message);
  }
}
