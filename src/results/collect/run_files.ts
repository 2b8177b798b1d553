/** The folder `run/` inside a run's artifact folder. */
export const RUN_FOLDER = "run";

/** The files of a run folder, by their names in the artifact folder. */
export const RUN_FILES = {
  manifest: `${RUN_FOLDER}/run.json`,
  records: `${RUN_FOLDER}/records.bin`,
  serverMetrics: `${RUN_FOLDER}/server_metrics.bin`,
  gpuTelemetry: `${RUN_FOLDER}/gpu_telemetry.bin`,
  canaries: `${RUN_FOLDER}/canaries.bin`,
  prefixHits: `${RUN_FOLDER}/prefix_hits.bin`,
  sessions: `${RUN_FOLDER}/sessions.jsonl`,
} as const;
