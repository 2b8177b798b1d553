/** `genai-perf profile`; AIPerf has most of its options. */

import type { ForeignLine } from "./foreign_line.ts";
import { type ForeignOption, ignored, part, reads, same, unsupported } from "./foreign_option.ts";
import type { ForeignTool } from "./foreign_tool.ts";
import type { OurLine } from "./our_line.ts";

const SWEEP = "one command line is one run: write one for each value";
const NOT_PROFILE = "it belongs to another of its commands";

const AUDIO_NAMES = [
  "--audio-length-mean",
  "--audio-length-stddev",
  "--audio-format",
  "--audio-num-channels",
  "--batch-size-audio",
];

/** See the module's comment. */
export const GENAI_PERF: ForeignTool = {
  name: "genai-perf profile",
  version: "0.0.16",
  words: [["genai-perf", "profile"], ["genai_perf.main", "profile"]],
  abbreviates: true,
  behindDashes: unsupported("--", "options of perf_analyzer behind two dashes", "values"),
  options: [
    ignored("--service-kind", "--endpoint-type says it (of versions before 0.0.9)", "value"),
    unsupported("--sweep-type", SWEEP),
    unsupported("--sweep-range", SWEEP),
    unsupported("--sweep-list", SWEEP),
    ...AUDIO_NAMES.map((name): ForeignOption => same(name, name.slice(2))),
    same("--audio-depths", "audio-depths", "values"),
    same("--audio-sample-rates", "audio-sample-rates", "values"),
    unsupported("-f --file", NOT_PROFILE),
    unsupported("--override-config", NOT_PROFILE, "nothing"),
    part("-m --model", undefined, "values"),
    reads(
      "--model-selection-strategy",
      ([value = ""], ours) =>
        ours.set(
          "model-selection-strategy",
          value.replaceAll("_", "-"),
          "--model-selection-strategy",
        ),
    ),
    part("--backend", "tensorrtllm"),
    reads("--endpoint", ([path = ""], ours) => {
      ours.set("custom-endpoint", path.replace(/^\/?/, "/"), "--endpoint");
    }),
    part("--endpoint-type", "kserve"),
    same("--server-metrics-url --server-metrics-urls", "server-metrics", "values"),
    same("--streaming", "streaming", "nothing"),
    part("-u --url"),
    same("--image-width-mean", "image-width-mean"),
    same("--image-width-stddev", "image-width-stddev"),
    same("--image-height-mean", "image-height-mean"),
    same("--image-height-stddev", "image-height-stddev"),
    same("--image-format", "image-format"),
    same("--batch-size-image", "batch-size-image"),
    part("--batch-size-text --batch-size -b"),
    reads("--extra-inputs", (values, ours) => {
      for (const value of values) {
        if (!/^rankings:/.test(value)) ours.add("extra-inputs", value, "--extra-inputs");
      }
    }),
    reads(
      "--goodput -g",
      (values, ours) => ours.set("goodput", values.join(" "), "--goodput"),
      "values",
    ),
    reads("--header -H", (values, ours) => {
      for (const value of values) ours.add("header", value, "--header");
    }),
    part("--input-file"),
    same("--num-dataset-entries --num-prompts --num-payloads", "num-dataset-entries"),
    same("--num-prefix-prompts", "num-prefix-prompts"),
    same("--output-tokens-mean --osl", "osl"),
    reads(
      "--output-tokens-mean-deterministic",
      (_, ours) =>
        ours.add("extra-inputs", "ignore_eos:true", "--output-tokens-mean-deterministic"),
      "nothing",
    ),
    same("--output-tokens-stddev", "osl-stddev"),
    same("--random-seed", "random-seed"),
    unsupported("--grpc-method", "there is no gRPC"),
    same("--synthetic-input-tokens-mean --isl", "isl"),
    same("--synthetic-input-tokens-stddev", "isl-stddev"),
    same("--prefix-prompt-length", "prefix-prompt-length"),
    same("--warmup-request-count --num-warmup-requests", "warmup-request-count"),
    ignored("-v --verbose", "there is no log"),
    same("--artifact-dir", "artifact-dir"),
    unsupported("--checkpoint-dir", "there are no checkpoints"),
    ignored("--generate-plots", "report.html has charts; see inferometer plot"),
    unsupported("--enable-checkpointing", "there are no checkpoints", "nothing"),
    reads(
      "--profile-export-file",
      ([name = ""], ours) =>
        ours.set("profile-export-prefix", name.replace(/\.json$/, ""), "--profile-export-file"),
    ),
    unsupported("--input-directory -d", NOT_PROFILE),
    same("--concurrency", "concurrency"),
    part("--measurement-interval -p"),
    same("--request-count --num-requests", "request-count"),
    same("--request-rate", "request-rate"),
    same("--fixed-schedule", "fixed-schedule", "nothing"),
    unsupported(
      "-s --stability-percentage",
      "a run is measured once; compare shows whether runs differ",
    ),
    same("--num-sessions", "num-sessions"),
    same("--session-concurrency", "concurrency"),
    part("--session-delay-ratio"),
    same("--session-turn-delay-mean", "session-turn-delay-mean"),
    same("--session-turn-delay-stddev", "session-turn-delay-stddev"),
    same("--session-turns-mean", "session-turns-mean"),
    same("--session-turns-stddev", "session-turns-stddev"),
    same("--tokenizer", "tokenizer"),
    same("--tokenizer-revision", "tokenizer-revision"),
    same("--tokenizer-trust-remote-code", "tokenizer-trust-remote-code", "nothing"),
    ignored("--version", "see inferometer version"),
    ignored("-h --help", "see inferometer profile --help"),
  ],
  together(theirs: ForeignLine, ours: OurLine): void {
    const models = theirs.values("--model");
    if (models.length > 0) ours.set("model", models, "-m");
    const url = theirs.value("--url");
    ours.set("url", url ?? "localhost:8000", "-u");
    ours.set("endpoint-type", endpointType(theirs), "--endpoint-type");
    setInput(theirs, ours);
    if (theirs.has("--backend")) {
      ours.none("--backend", "it chooses the format of Triton's own API");
    }
    const interval = theirs.number("--measurement-interval");
    if (interval !== undefined) {
      ours.set("benchmark-duration", interval / 1000, "--measurement-interval", "-p");
      ours.note(
        "--measurement-interval",
        "milliseconds there, seconds here; one window, not several until they agree",
      );
    }
    if (!theirs.has("--concurrency") && !theirs.has("--request-rate")) ours.set("concurrency", 1);
  },
};

/** Endpoint types that have another name here. */
const ENDPOINT_TYPES: Readonly<Record<string, string>> = {
  "generate": "kserve",
  "multimodal": "chat",
  "vision": "chat",
  "nvclip": "nim-embeddings",
  "rankings": "nim-rankings",
};

function endpointType(theirs: ForeignLine): string {
  const type = theirs.value("--endpoint-type") ?? "kserve";
  if (type === "rankings") {
    const servers = theirs.values("--extra-inputs").find((value) => value.startsWith("rankings:"));
    if (servers === "rankings:tei") return "hf-tei-rankings";
    if (servers === "rankings:cohere") return "cohere-rankings";
  }
  return ENDPOINT_TYPES[type] ?? type.replaceAll("_", "-");
}

/** Translates the source of prompts, and skips what has no effect with a file of prompts. */
function setInput(theirs: ForeignLine, ours: OurLine): void {
  const file = theirs.value("--input-file");
  const isRanking = theirs.value("--endpoint-type") === "rankings";
  const [batch, ratio] = [theirs.value("--batch-size-text"), theirs.value("--session-delay-ratio")];
  if (file !== undefined && !file.startsWith("synthetic:")) {
    ours.set("input-file", file.replace(/^payload:/, ""), "--input-file");
    if (batch !== undefined) {
      ours.none("--batch-size-text", 'rows of the file have several texts as {"texts": [...]}');
    }
    if (ratio !== undefined) ours.none("--session-delay-ratio", "the file's own delays are kept");
    return;
  }
  if (file !== undefined) ours.note("--input-file", "left out: prompts are synthetic without it");
  if (batch !== undefined) {
    ours.set(isRanking ? "rankings-passages-mean" : "batch-size", batch, "--batch-size-text");
  }
  if (ratio !== undefined) ours.set("session-turn-delay-ratio", ratio, "--session-delay-ratio");
}
