import { fileURLToPath } from "node:url";

const TRACE = fileURLToPath(
  new URL("../../fixtures/datasets/mooncake_trace.jsonl", import.meta.url),
);

/** A load that three shards can share. */
export interface LoadShape {
  readonly options: readonly string[];
  /** Requests of the measurement, where their number follows from the options alone. */
  readonly requests?: number;
}

/** Every load shape, by what it is called. */
export const LOAD_SHAPES: Readonly<Record<string, LoadShape>> = {
  closed: {
    options: ["--concurrency", "9", "--request-count", "60", "--warmup-request-count", "7"],
    requests: 60,
  },
  duration: {
    options: [...["--concurrency", "9", "--benchmark-duration", "2"], "--warmup-duration", "1"],
  },
  ramp: {
    options: [
      ...["--concurrency", "12", "--concurrency-ramp-duration", "2", "--request-count", "90"],
    ],
    requests: 90,
  },
  prefill: {
    options: ["--concurrency", "12", "--prefill-concurrency", "4", "--request-count", "60"],
    requests: 60,
  },
  constant: {
    options: [
      ...["--request-rate", "30", "--arrival-pattern", "constant", "--request-count", "60"],
      ...["--warmup-request-rate", "20", "--warmup-request-count", "10"],
    ],
    requests: 60,
  },
  poisson: {
    options: ["--request-rate", "30", "--request-count", "60", "--concurrency", "30"],
    requests: 60,
  },
  gamma: {
    options: [
      ...["--request-rate", "30", "--arrival-pattern", "gamma", "--arrival-smoothness", "3"],
      ...["--request-count", "60"],
    ],
    requests: 60,
  },
  "rate-ramp": {
    options: [
      ...["--request-rate", "40", "--request-rate-ramp-duration", "2", "--request-count", "60"],
    ],
    requests: 60,
  },
  series: {
    options: [
      ...["--request-rate-series", '[{"time_s":0,"qps":5},{"time_s":3,"qps":30}]'],
      ...["--benchmark-duration", "4"],
    ],
  },
  users: {
    options: [
      ...["--user-centric-rate", "20", "--num-users", "10", "--num-sessions", "20"],
      ...["--session-turns-mean", "3"],
    ],
  },
  sessions: {
    options: ["--concurrency", "6", "--num-sessions", "18", "--session-turns-mean", "3"],
  },
  schedule: {
    options: ["--input-file", TRACE, "--custom-dataset-type", "mooncake-trace", "--fixed-schedule"],
  },
  cancelled: {
    options: ["--concurrency", "9", "--request-count", "60", "--request-cancellation-rate", "20"],
    requests: 60,
  },
};
