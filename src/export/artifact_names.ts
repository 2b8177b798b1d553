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
  };
}

/** The name of a server metrics file. */
export function serverMetricsName(prefix: string | undefined, format: string): string {
  return `${prefix === undefined ? "server_metrics_export" : `${prefix}_server_metrics`}.${format}`;
}
