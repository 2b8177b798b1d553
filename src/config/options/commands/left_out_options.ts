import type { OptionTable } from "../option.ts";

const LEFT_OUT = "Left out";

/**
 * Returns the row of an option that is known but not supported: it is refused with the reason, and
 * not shown in help.
 */
function leftOut<Kind extends "flag" | "text" | "texts">(kind: Kind, refused: string) {
  const value = "value";
  return {
    kind,
    group: LEFT_OUT,
    help: refused,
    value,
    hidden: true,
    refused,
    inFile: false,
  } as const;
}

const VIDEO = leftOut(
  "text",
  "Synthetic video is not supported: use video URLs with --public-dataset mmvu, or request " +
    "bodies with --custom-dataset-type raw-payload",
);
const BASETEN_REASON = "The format baseten-trace is not supported; convert it to mooncake-trace";
const BASETEN = leftOut("text", BASETEN_REASON);
const BASETEN_FLAG = leftOut("flag", BASETEN_REASON);
const ACCURACY_REASON = "Answers of a model are not graded: --expect-regex checks replies, " +
  "lm-evaluation-harness grades models";
const ACCURACY = leftOut("text", ACCURACY_REASON);
const ACCURACY_FLAG = leftOut("flag", ACCURACY_REASON);
const WANDB = leftOut(
  "text",
  "Weights & Biases is not supported: results go to --mlflow-tracking-uri, --otlp, or the files",
);
const OPTIMIZER = leftOut(
  "text",
  "Searches over several parameters are not supported: --search max-concurrency or max-request-rate with " +
    "--slo finds a capacity, lists such as --concurrency 1,4,16 --isl 128,1024 try every point",
);
const DEGRADATION = leftOut(
  "text",
  "The search for a knee is not supported: sweep --concurrency 1,2,4,8,16 and read it from the table",
);
const SWEPT_LENGTHS = leftOut(
  "text",
  "Curves of AIPerf's recipes are not supported: give the lengths, as --isl 256,512,1024 or " +
    "--osl 64,256",
);
const PROFILER_REASON = "The server's profiler is not started: call it before and after the " +
  "run, as curl -X POST http://host:port/start_profile";

/**
 * Options of AIPerf that are not supported, so that an error can give the reason and the
 * replacement.
 */
export const LEFT_OUT_OPTIONS = {
  videoWidth: VIDEO,
  videoHeight: VIDEO,
  videoFps: VIDEO,
  videoDuration: VIDEO,
  videoSynthType: VIDEO,
  videoFormat: VIDEO,
  videoCodec: VIDEO,
  videoBatchSize: { ...VIDEO, aliases: ["batch-size-video"] },
  videoAudioSampleRate: VIDEO,
  videoAudioNumChannels: VIDEO,
  videoAudioCodec: VIDEO,
  videoAudioDepth: VIDEO,
  traceSessionSampleRatio: BASETEN,
  maxIdleGapCapSeconds: BASETEN,
  replaySpeedup: leftOut(
    "text",
    "Is about baseten-trace, which is not read: --synthesis-speedup-ratio speeds up other traces",
  ),
  openLoopReplay: BASETEN_FLAG,
  noOpenLoopReplay: BASETEN_FLAG,
  openLoopStrict: BASETEN_FLAG,
  omitKvHints: BASETEN_FLAG,
  forceMinTokens: BASETEN_FLAG,
  noForceMinTokens: BASETEN_FLAG,
  accuracyBenchmark: ACCURACY,
  accuracyTasks: ACCURACY,
  accuracyNShots: ACCURACY,
  accuracyEnableCot: ACCURACY_FLAG,
  accuracyNoEnableCot: ACCURACY_FLAG,
  accuracyGrader: ACCURACY,
  accuracySystemPrompt: ACCURACY,
  accuracyVerbose: ACCURACY_FLAG,
  wandbProject: WANDB,
  wandbEntity: WANDB,
  wandbRunName: WANDB,
  wandbTag: WANDB,
  searchSpace: OPTIMIZER,
  searchMetric: OPTIMIZER,
  searchStat: OPTIMIZER,
  searchDirection: OPTIMIZER,
  searchInitialPoints: OPTIMIZER,
  searchRandomSeed: OPTIMIZER,
  searchPlanner: OPTIMIZER,
  searchStyle: OPTIMIZER,
  searchPercentilePooling: OPTIMIZER,
  searchSlaTier: OPTIMIZER,
  optunaSampler: OPTIMIZER,
  optunaAcquisition: OPTIMIZER,
  optunaTerminator: OPTIMIZER,
  boConstraintMode: OPTIMIZER,
  sloAttainmentFraction: leftOut(
    "text",
    'Is an objective here: --goodput with --slo "good_request_fraction>=0.95"',
  ),
  variant: {
    ...leftOut(
      "text",
      "Points of several options are lists of one length: --concurrency 1,8 --isl 128,1024 " +
        "--sweep-type zip",
    ),
    aliases: ["sweep-variant"],
  },
  islOslPairs: leftOut(
    "text",
    "Pairs are lists of one length: 128/128,512/256 is --isl 128,512 --osl 128,256 " +
      "--sweep-type zip",
  ),
  degradationThreshold: DEGRADATION,
  degradationMetricTag: DEGRADATION,
  degradationStat: DEGRADATION,
  islMin: SWEPT_LENGTHS,
  islMax: SWEPT_LENGTHS,
  islSteps: SWEPT_LENGTHS,
  oslMin: SWEPT_LENGTHS,
  oslMax: SWEPT_LENGTHS,
  oslSteps: SWEPT_LENGTHS,
  concurrencySteps: DEGRADATION,
  serverProfiler: leftOut("flag", PROFILER_REASON),
  serverProfilerTimeoutSeconds: leftOut("text", PROFILER_REASON),
  serverProfilerStartPath: leftOut("text", PROFILER_REASON),
  serverProfilerStopPath: leftOut("text", PROFILER_REASON),
  exportOutputsJson: leftOut(
    "flag",
    "No outputs.json is written: --export-level raw writes every reply to profile_export_raw.jsonl",
  ),
  uuidAndStrip: leftOut(
    "flag",
    "Images are sent in full each time: leaving them out requires vLLM's image cache",
  ),
} as const satisfies OptionTable;
