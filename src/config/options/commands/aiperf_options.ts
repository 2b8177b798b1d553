import { COUNT, SECONDS } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";

/** Version of AIPerf whose options `inferometer profile` takes. */
export const AIPERF_VERSION = "0.13.0";

const AIPERF = "AIPerf compatibility";

/** Without effect, so that what AIPerf takes is taken. */
const IGNORED = { group: AIPERF, noEffect: true } as const;

/**
 * Options that AIPerf has and that `inferometer profile` takes, so that its command lines work: they
 * ask for what happens anyway, or for what there is nothing to do about.
 */
export const AIPERF_OPTIONS = {
  urlStrategy: {
    kind: "text",
    group: AIPERF,
    help: "Distribution of requests among several servers",
    value: "strategy",
    choices: ["round-robin"],
    default: "round-robin",
    restatesDefault: true,
  },
  apiPort: {
    kind: "number",
    group: AIPERF,
    help: "Port of the live page (AIPerf name for --live); requires the printed token",
    unit: "port",
    min: 1,
    max: 65_535,
    integer: true,
  },
  apiHost: {
    kind: "text",
    group: AIPERF,
    help: "Host of the live page (AIPerf name for --live)",
    value: "address",
    needs: ["apiPort"],
  },
  noAutoPlot: {
    kind: "flag",
    group: AIPERF,
    help: "Do not draw plots after the run (default)",
    restatesDefault: true,
  },
  verbose: {
    kind: "flag",
    ...IGNORED,
    short: "v",
    aliases: ["extra-verbose"],
    help: "No effect: there is no log",
  },
  logLevel: {
    kind: "text",
    ...IGNORED,
    help: "No effect: there is no log",
    value: "level",
    choices: ["trace", "debug", "info", "notice", "warning", "success", "error", "critical"],
  },
  statsInterval: {
    ...SECONDS,
    ...IGNORED,
    help: "No effect: progress depends on --ui",
    max: 1000,
  },
  recordProcessors: {
    ...COUNT,
    ...IGNORED,
    aliases: ["record-processor-service-count"],
    help: "No effect: one thread computes the results",
    unit: "processes",
  },
  tokenizerTrustRemoteCode: {
    kind: "flag",
    ...IGNORED,
    help: "No effect: tokenizer code is never executed",
  },
  zmqHost: { kind: "text", ...IGNORED, help: "No effect: threads share memory", value: "address" },
  zmqDualBind: { kind: "flag", ...IGNORED, help: "No effect: threads share memory" },
  autoPlot: {
    kind: "flag",
    ...IGNORED,
    help: "No effect: report.html contains the charts, and inferometer plot exports them",
    excludes: ["noAutoPlot"],
  },
  plotRequired: {
    kind: "flag",
    ...IGNORED,
    help: "No effect: a run fails if report.html cannot be written",
  },
  noAllowDatasetWrap: {
    kind: "flag",
    group: AIPERF,
    help: "Replay recorded sessions once each (default)",
    restatesDefault: true,
    excludes: ["allowDatasetWrap"],
  },
  zmqIpcPath: { kind: "text", ...IGNORED, help: "No effect: threads share memory", value: "path" },
} as const satisfies OptionTable;
