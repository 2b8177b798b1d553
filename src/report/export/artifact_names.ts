/** Names of a run's files. */
export interface ArtifactNames {
  readonly json: string;
  readonly csv: string;
  readonly records: string;
  readonly rawRecords: string;
  readonly slicesJson: string;
  readonly slicesCsv: string;
  readonly inputs: string;
  readonly console: string;
  readonly page: string;
  /** The conversations of a run turn by turn, if it has any of several turns. */
  readonly conversations: string;
  /** A line for each session, if the run has any of several turns. */
  readonly sessions: string;
}

/** File with the outcome of sending the results to other systems. */
export const EXPORTS_FILE = "exports.json";

/** Files of gates, which other programs look for under these names. */
export const GATE_FILES = {
  gateJson: "gate.json",
  gateMarkdown: "gate.md",
  gateJunit: "junit.xml",
} as const;

/**
 * Folder of the `gate` command's files, inside a run's artifact folder; gate files in the run's
 * folder itself are for the run's own objectives.
 */
export const GATE_FOLDER = "gate";

/** Folder of the `plot` command's charts, inside a run's artifact folder. */
export const PLOT_FOLDER = "plots";

/** Whether a file in {@linkcode PLOT_FOLDER} has the name of one of its charts. */
export function isPlotName(name: string): boolean {
  return /^((time|turn|ttft|itl|latency)-[a-z-]+|requests|errors)\.(svg|png)$/.test(name);
}

/**
 * The names that AIPerf gives its files.
 * @param prefix the user's own beginning of the names; undefined for the usual ones
 */
export function artifactNames(prefix: string | undefined): ArtifactNames {
  const records = prefix ?? "profile_export";
  const summary = prefix ?? "profile_export_aiperf";
  return {
    json: `${summary}.json`,
    csv: `${summary}.csv`,
    records: `${records}.jsonl`,
    rawRecords: `${records}_raw.jsonl`,
    slicesJson: `${summary}_timeslices.json`,
    slicesCsv: `${summary}_timeslices.csv`,
    inputs: "inputs.json",
    console: `${records}_console.txt`,
    page: prefix === undefined ? "report.html" : `${prefix}_report.html`,
    sessions: prefix === undefined ? "sessions.jsonl" : `${prefix}_sessions.jsonl`,
    conversations: prefix === undefined ? "conversations.html" : `${prefix}_conversations.html`,
  };
}

/** The name of a server metrics file. */
export function serverMetricsName(prefix: string | undefined, format: string): string {
  return `${prefix === undefined ? "server_metrics_export" : `${prefix}_server_metrics`}.${format}`;
}

/** The name of the file of GPU samples. */
export function gpuTelemetryName(prefix: string | undefined): string {
  return prefix === undefined ? "gpu_telemetry_export.jsonl" : `${prefix}_gpu_telemetry.jsonl`;
}

/** The name of the file of network probes. */
export function networkLatencyName(prefix: string | undefined): string {
  return `${prefix ?? "profile_export"}_network_latency.jsonl`;
}

/** Every file that a run may write, but for the prompts: they may be the next run's input. */
export function resultNames(prefix: string | undefined): string[] {
  const { inputs, ...names } = artifactNames(prefix);
  const formats = ["json", "csv", "parquet", "jsonl"];
  const metrics = formats.map((format) => serverMetricsName(prefix, format));
  return [
    ...Object.values(names),
    ...metrics,
    gpuTelemetryName(prefix),
    networkLatencyName(prefix),
    ...Object.values(GATE_FILES),
    EXPORTS_FILE,
  ]
    .filter((name) => name !== inputs);
}
