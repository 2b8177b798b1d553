/** A run at a moment, for tests of what is drawn from it. */

import type { LiveModel, LiveTimes } from "../../src/report/live/live_model.ts";

const HISTOGRAM = { bounds: [0.05, 0.1], counts: [3, 4, 1], sum: 0.6 };

const TIMES: LiveTimes = {
  count: 8,
  p50Ms: 60.5,
  p99Ms: 111,
  recentP50Ms: 59,
  recentP99Ms: 98,
  histogram: HISTOGRAM,
};

/** A model with something in every part of it. */
export function liveModel(fields: Partial<LiveModel> = {}): LiveModel {
  const curve = [1, 2, NaN, 4, 5, 6, 7, 8];
  return {
    targets: ["http://node1:8000/v1", "http://node2:8000/v1"],
    model: "Qwen3-0.6B",
    benchmarkId: "b1",
    tags: [["commit", "1a2b"], ["gpu-type", "h100"]],
    version: "1.2.3",
    phase: "profiling",
    stage: "",
    elapsedSeconds: 12.4,
    leftSeconds: 15,
    plannedSeconds: NaN,
    soFar: "SATURATED so far: 15 requests run, 1 wait",
    share: 0.459,
    requestCount: 160,
    sessions: undefined,
    load: { loop: "closed", concurrency: 16, ratePerSecond: NaN, isPaused: false, changes: [] },
    sent: 90,
    succeeded: 72,
    failed: 2,
    cancelled: 0,
    inFlight: 16,
    queued: 0,
    contentChunks: 4000,
    outputTokens: 8000,
    requestsPerSecond: 27.1,
    tokensPerSecond: 1736,
    results: {
      phase: "profiling",
      valid: 72,
      good: 68,
      ttft: TIMES,
      itl: { ...TIMES, p50Ms: 8, p99Ms: 8.34 },
      latency: { ...TIMES, p50Ms: 566, p99Ms: 622 },
      sendSlipP99Ms: 0.1,
      objectives: [{ tag: "time_to_first_token", threshold: 100, unit: "ms", metShare: 0.944 }],
      errorKinds: { "http_status": 2 },
      errors: [{ kind: "http_status", status: 429, message: "Too\n\x1b[31m many", count: 2 }],
      canaries: {
        count: 50,
        p50Ms: 0.1,
        p99Ms: 0.4,
        maxMs: 2.1,
        histogram: HISTOGRAM,
        stallSeconds: 0.3,
      },
      workerDelaysMs: [0.3, 0.4],
      servers: [{
        url: "http://node1:8000/metrics",
        kind: "vLLM",
        figures: [
          { label: "running", of: "count", value: 14.7 },
          { label: "waiting", of: "count", value: 0 },
          { label: "KV cache", of: "share", value: 0.008 },
          { label: "queue time", of: "time", value: 12.3 },
        ],
        problem: undefined,
      }],
      levels: { running: 14.7, waiting: 0, kvUsage: 0.008 },
    },
    workers: [0, 1].map((number) => ({
      number,
      isAlive: true,
      inFlight: 8,
      chunksPerSecond: 868,
      delayP99Ms: 0.3,
    })),
    cpuSeconds: 1.5,
    cpuCores: 0.14,
    cores: 2,
    stolenShare: 0.002,
    history: {
      requestsPerSecond: curve,
      tokensPerSecond: curve,
      inFlight: curve,
      ttftP50Ms: curve,
      ttftP99Ms: curve,
      itlP50Ms: curve,
      itlP99Ms: curve,
      running: curve,
      waiting: curve,
      kvUsage: curve,
    },
    warnings: [],
    ...fields,
  };
}
