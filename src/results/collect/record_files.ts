import type { PayloadSource } from "../../load/dataset/payloads/payload_table.ts";
import { configuredType } from "../../client/endpoint/endpoint_types.ts";
import { artifactNames } from "../../report/export/artifact_names.ts";
import { ExportError } from "../../report/export/export_error.ts";
import type { FileSink, LineSink } from "../../report/export/file_sink.ts";
import {
  type RawRequest,
  writeRawRecordLine,
} from "../../report/export/requests/raw_record_json.ts";
import { JsonBytes } from "../../report/export/json_bytes.ts";
import { RecordLines } from "../../report/export/requests/record_lines.ts";
import { type UnsentCall, unsentLine } from "../../report/export/requests/unsent_line.ts";
import type { FullRecord } from "../../measurement/metrics/full_record.ts";
import type { RecordMetric } from "../../measurement/metrics/record_metrics.ts";
import type { ResolvedObjective } from "../../measurement/metrics/objectives.ts";
import type { Redactor } from "../../core/secrets/redactor.ts";
import { redactedHeaders } from "../../core/secrets/secret_headers.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";

/** Lines are handed to the operating system when this many bytes have gathered. */
const FLUSH_BYTES = 64 * 1024;

/** Settings of the files of records besides the plan. */
export interface RecordFilesOptions {
  readonly baseEpochNs: bigint;
  readonly payloads: PayloadSource;
  /** The metrics whose values {@linkcode RecordFiles.add} gets. */
  readonly metrics: readonly RecordMetric[];
  readonly objectives: readonly ResolvedObjective[];
  /** Tokens of a block of prefix caches. */
  readonly blockTokens: number;
  readonly redact: Redactor;
  /** Called once for each file that cannot be written; it gets no more records. */
  onFailure(message: string): void;
}

/** A file of lines that are gathered; it ends with the first that cannot be written. */
interface Gathering {
  readonly sink: LineSink;
  readonly lines: JsonBytes;
  hasFailed: boolean;
}

/** The files that get a line for each request while the run goes on. */
export class RecordFiles {
  readonly #lines: RecordLines;
  readonly #options: RecordFilesOptions;
  readonly #rawRequest: RawRequest;
  readonly #unsentContext: Parameters<typeof unsentLine>[1];
  readonly names: string[] = [];
  readonly #records: Gathering | undefined;
  readonly #raw: Gathering | undefined;
  #failure: string | undefined;

  constructor(plan: RunPlan, sink: FileSink, options: RecordFilesOptions) {
    this.#options = options;
    const hasWarmup = plan.phases.some((phase) => phase.kind === "warmup");
    this.#lines = new RecordLines({
      baseEpochNs: options.baseEpochNs,
      payloads: options.payloads,
      targets: plan.targets,
      models: plan.models,
      metrics: options.metrics,
      objectives: options.objectives,
      chunkGaps: plan.body.streaming,
      blockTokens: options.blockTokens,
      httpTrace: plan.output.exportHttpTrace,
      phaseIndex: { warmup: 0, profiling: hasWarmup ? 1 : 0 },
    });
    this.#unsentContext = { targets: plan.targets, phaseIndex: hasWarmup ? 1 : 0 };
    this.#rawRequest = {
      payloads: options.payloads,
      format: configuredType(plan).body,
      headers: Object.fromEntries(redactedHeaders(plan.headers)),
      redact: options.redact,
    };
    const names = artifactNames(plan.output.prefix);
    const { exportLevel } = plan.output;
    if (exportLevel !== "summary") this.#records = this.#open(sink, names.records);
    if (exportLevel === "raw") this.#raw = this.#open(sink, names.rawRecords);
  }

  /** Adds a record. `values` are those of the run's metrics. */
  add(full: FullRecord, values: Float64Array): void {
    const [records, raw] = [this.#records, this.#raw];
    if (records !== undefined && !records.hasFailed) {
      this.#lines.write(records.lines, full, values);
      records.lines.text("\n");
    }
    if (raw !== undefined && !raw.hasFailed) {
      writeRawRecordLine(raw.lines, full, this.#lines, this.#rawRequest);
      raw.lines.text("\n");
    }
    const gathered = (records?.lines.length ?? 0) + (raw?.lines.length ?? 0);
    if (gathered >= FLUSH_BYTES) this.flush();
  }

  /** Adds the line of a call that was not sent. */
  addUnsent(call: UnsentCall): void {
    const records = this.#records;
    if (records === undefined || records.hasFailed) return;
    records.lines.text(`${unsentLine(call, this.#unsentContext)}\n`);
    if (records.lines.length >= FLUSH_BYTES) this.flush();
  }

  /** Hands the lines that have gathered to the operating system. */
  flush(): void {
    this.#append(this.#records);
    this.#append(this.#raw);
  }

  /** Writes what is left. Returns what went wrong first, if anything did. */
  close(): string | undefined {
    this.flush();
    for (const file of [this.#records, this.#raw]) {
      try {
        file?.sink.close();
      } catch (error) {
        this.#fail(error);
      }
    }
    return this.#failure;
  }

  #open(sink: FileSink, name: string): Gathering | undefined {
    this.names.push(name);
    try {
      return { sink: sink.openLines(name), lines: new JsonBytes(), hasFailed: false };
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #append(file: Gathering | undefined): void {
    if (file === undefined || file.lines.length === 0) return;
    try {
      file.sink.append([file.lines.view]);
    } catch (error) {
      file.hasFailed = true;
      this.#fail(error);
    } finally {
      file.lines.clear();
    }
  }

  #fail(error: unknown): void {
    if (!(error instanceof ExportError)) throw error;
    this.#failure ??= error.message;
    this.#options.onFailure(error.message);
  }
}
