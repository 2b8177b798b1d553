/** The configuration file of inference-perf: one row for each of its keys, by their paths. */

import { parse, parseDocument } from "npm:yaml@2.9.1";
import { UsageError } from "../options/usage_error.ts";
import { nearest } from "../options/nearest.ts";
import { ForeignLine } from "./foreign_line.ts";
import {
  type ForeignOption,
  ignored,
  part,
  reads,
  UNMADE_DATASET,
  unsupported,
} from "./foreign_option.ts";
import type { ForeignTool } from "./foreign_tool.ts";
import { meanOf, setImages, setLengths } from "./inference_perf_data.ts";
import type { OurLine, OurOption } from "./our_line.ts";
import { API_PATHS, setGoodput, setPublicDataset } from "./translated_values.ts";

const SWEEP = "one command line is one run: begin with --request-rate inf for the highest rate";
const REPORT = "results are always written whole";
const CLOUD = "results are written to a folder";
const PROMETHEUS = "server metrics are read from the servers themselves, see --server-metrics";
const BREAKER = "a run is ended by --slo with --abort-on-slo";
const SESSIONS = "sessions are made by --session-turns-mean and its like";
const RETRIES = "a request that fails is a failed request";
const WHATEVER = "value";

/** See the module's comment. A row also stands for all keys below it. */
export const INFERENCE_PERF: ForeignTool = {
  name: "inference-perf",
  version: "0.7",
  words: [["inference-perf"]],
  abbreviates: false,
  options: [
    part("api.type", "completion"),
    part("api.streaming", "false"),
    part("api.headers"),
    unsupported("api.slo_unit", "no objective is sent to the server"),
    unsupported("api.slo_tpot_header", "no objective is sent to the server"),
    unsupported("api.slo_ttft_header", "no objective is sent to the server"),
    reads("api.response_format", ([json = ""], ours) => {
      const { type = "json_schema", name = "structured_output", json_schema: schema = null } = JSON
        .parse(json);
      const format = type === "json_object" ? { type } : { type, json_schema: { name, schema } };
      ours.add("extra-inputs", JSON.stringify({ response_format: format }), "api.response_format");
    }),
    reads(
      "api.session_id_header_key",
      ([name = ""], ours) => ours.set("session-header", name, "api.session_id_header_key"),
    ),
    unsupported("api.session_token_header_key", "nothing of a reply is sent back"),
    part("data.type", "mock"),
    part("data.path"),
    unsupported("data.corpus_file_path", "prompts are made of a text of our own"),
    part("data.input_distribution"),
    part("data.output_distribution"),
    part("data.shared_prefix.num_unique_system_prompts data.shared_prefix.num_groups", "10"),
    part(
      "data.shared_prefix.num_users_per_system_prompt data.shared_prefix.num_prompts_per_group",
      "10",
    ),
    part("data.shared_prefix.system_prompt_len", "100"),
    part("data.shared_prefix.question_len", "50"),
    part("data.shared_prefix.output_len", "50"),
    part("data.shared_prefix.seed"),
    part("data.shared_prefix.question_distribution"),
    part("data.shared_prefix.output_distribution"),
    unsupported("data.shared_prefix.enable_multi_turn_chat", SESSIONS),
    part("data.shared_prefix.multimodal"),
    part("data.multimodal"),
    unsupported("data.trace", "see --input-file and its formats"),
    unsupported("data.otel_trace_replay", UNMADE_DATASET),
    unsupported("data.weka_trace_replay", UNMADE_DATASET),
    unsupported("data.conversation_replay", SESSIONS),
    ignored("data.visionarena", "its rows are read as there are requests", WHATEVER),
    unsupported("data.synthetic_agentic", UNMADE_DATASET),
    unsupported("data.use_chat_template", "the client applies no chat template"),
    part("load.type", "constant"),
    unsupported("load.interval", "each stage is a run of its own: wait between them yourself"),
    part("load.stages"),
    unsupported("load.sweep", SWEEP),
    reads(
      "load.num_workers",
      ([value = ""], ours) => ours.set("workers", value, "load.num_workers"),
    ),
    unsupported("load.worker_max_concurrency", "set --concurrency to the most requests in flight"),
    ignored(
      "load.worker_max_tcp_connections",
      "there is one connection for each request in flight",
      WHATEVER,
    ),
    unsupported("load.trace", "see --input-file and its formats"),
    unsupported("load.circuit_breakers", BREAKER),
    reads(
      "load.request_timeout",
      ([value = ""], ours) => ours.set("request-timeout-seconds", value, "load.request_timeout"),
    ),
    unsupported("load.request_retries", RETRIES),
    unsupported("load.request_retry_backoff_sec", RETRIES),
    part("load.stage_teardown_grace_seconds", "120"),
    part("load.lora_traffic_split"),
    part("load.base_seed"),
    unsupported("metrics", PROMETHEUS),
    ignored("report.request_lifecycle.summary", REPORT, WHATEVER),
    ignored("report.request_lifecycle.per_stage", REPORT, WHATEVER),
    ignored("report.request_lifecycle.per_request", REPORT, WHATEVER),
    unsupported(
      "report.request_lifecycle.per_request_fields",
      "requests and replies go to a file by --export-level raw",
    ),
    ignored("report.request_lifecycle.per_adapter", REPORT, WHATEVER),
    ignored("report.request_lifecycle.per_adapter_stage", REPORT, WHATEVER),
    ignored("report.request_lifecycle.percentiles", "p1 to p99 are always reported", WHATEVER),
    reads("report.request_lifecycle.use_server_output_tokens", ([value], ours) => {
      ours.took("report.request_lifecycle.use_server_output_tokens");
      if (value === "true") ours.set("use-server-token-count", true);
    }),
    ignored("report.request_lifecycle.max_error_messages", "errors are counted by kind", WHATEVER),
    ignored("report.prometheus", PROMETHEUS, WHATEVER),
    ignored("report.session_lifecycle", REPORT, WHATEVER),
    reads("report.goodput.constraints", ([json = ""], ours) => {
      const pairs = Object.entries(JSON.parse(json)).map(([name, seconds]) => `${name}:${seconds}`);
      setGoodput(pairs, ours, 1000);
      ours.note("report.goodput.constraints", "seconds there, milliseconds here");
    }),
    reads(
      "storage.local_storage.path",
      ([path = ""], ours) =>
        ours.set("artifact-dir", path.replace("{timestamp}", "run"), "storage.local_storage.path"),
    ),
    reads(
      "storage.local_storage.report_file_prefix",
      ([name = ""], ours) =>
        ours.set("profile-export-prefix", name, "storage.local_storage.report_file_prefix"),
    ),
    unsupported("storage.google_cloud_storage", CLOUD),
    unsupported("storage.simple_storage_service", CLOUD),
    ignored("server.type", "the API is the same; the server is asked what it is", WHATEVER),
    part("server.model_name"),
    part("server.base_url"),
    part("server.ignore_eos", "true"),
    part("server.api_key"),
    reads(
      "server.cert_path",
      ([path = ""], ours) => ours.set("client-cert", path, "server.cert_path"),
    ),
    reads(
      "server.key_path",
      ([path = ""], ours) => ours.set("client-key", path, "server.key_path"),
    ),
    reads(
      "tokenizer.pretrained_model_name_or_path",
      ([name = ""], ours) => ours.set("tokenizer", name, "tokenizer.pretrained_model_name_or_path"),
    ),
    ignored("tokenizer.trust_remote_code", "a tokenizer's code is never run", WHATEVER),
    unsupported("tokenizer.token", "set HF_TOKEN"),
    unsupported("tokenizer.load_timeout", "loading has no time limit of its own"),
    unsupported("circuit_breakers", BREAKER),
  ],
  together(theirs: ForeignLine, ours: OurLine): void {
    setServer(theirs, ours);
    setData(theirs, ours);
    setStages(theirs, ours);
    const seed = theirs.value("load.base_seed") ?? theirs.value("data.shared_prefix.seed");
    if (seed !== undefined) {
      ours.set("random-seed", seed, "load.base_seed", "data.shared_prefix.seed");
    }
  },
};

/**
 * Reads a configuration file.
 * @param name for errors
 * @param settings of the command line by their paths, which override those of the file
 * @throws {UsageError} if it is no YAML, or has a key that inference-perf does not know
 */
export function readInferencePerf(
  content: string,
  name: string,
  settings: ReadonlyMap<string, string> = new Map(),
): ForeignLine {
  const document = parseDocument(content);
  const [error] = document.errors;
  if (error !== undefined) {
    throw new UsageError(name, `Not a YAML file: ${error.message.split("\n")[0]}`);
  }
  for (const [path, text] of settings) document.setIn(path.split("."), parse(text));
  const given = new Map<ForeignOption, string[]>();
  collect(document.toJS(), [], given, name);
  if (given.size === 0) throw new UsageError(name, "It has no settings of inference-perf");
  return new ForeignLine(INFERENCE_PERF, given);
}

function collect(
  value: unknown,
  path: readonly string[],
  given: Map<ForeignOption, string[]>,
  name: string,
): void {
  const key = path.join(".");
  const option = INFERENCE_PERF.options.find(({ names }) => names.includes(key));
  if (option !== undefined) {
    if (value !== null) {
      given.set(option, [typeof value === "object" ? JSON.stringify(value) : String(value)]);
    }
    return;
  }
  const keys = INFERENCE_PERF.options.flatMap(({ names }) => names);
  const isInside = path.length === 0 || keys.some((one) => one.startsWith(`${key}.`));
  if (isInside && (value === null || value === undefined)) return;
  if (!isInside || typeof value !== "object" || Array.isArray(value)) {
    const parent = path.slice(0, -1).join(".");
    const meant = nearest(key, keys.filter((one) => one.startsWith(parent)));
    throw new UsageError(
      `${name}: ${key || "its content"}`,
      `inference-perf has no such setting${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    );
  }
  for (const [word, inner] of Object.entries(value as object)) {
    collect(inner, [...path, word], given, name);
  }
}

function setServer(theirs: ForeignLine, ours: OurLine): void {
  ours.set("url", theirs.value("server.base_url") ?? "http://localhost:8000", "server.base_url");
  const split: readonly { readonly name: string; readonly split: number }[] = JSON.parse(
    theirs.value("load.lora_traffic_split") ?? "[]",
  );
  const model = theirs.value("server.model_name");
  if (split.length > 0) {
    ours.set(
      "model",
      split.map(({ name }) => name),
      "load.lora_traffic_split",
      "server.model_name",
    );
    ours.set("model-selection-strategy", "weighted", "load.lora_traffic_split");
    ours.set(
      "model-weights",
      split.map(({ split }) => split).join(","),
      "load.lora_traffic_split",
    );
  } else if (model !== undefined) ours.set("model", model, "server.model_name");
  const type = theirs.value("api.type") ?? "completion";
  const ourType = type === "completion"
    ? "completions"
    : type === "anthropic_messages"
    ? "messages"
    : type;
  if (API_PATHS[ourType] === undefined && ourType !== "messages") {
    ours.none("api.type", `no API like ${type}`);
  } else ours.set("endpoint-type", ourType, "api.type");
  if (theirs.value("api.streaming") === "true") ours.set("streaming", true, "api.streaming");
  ours.took("api.streaming", "server.ignore_eos");
  const key = theirs.value("server.api_key");
  if (key !== undefined) ours.set("api-key", key, "server.api_key");
  for (const [name, value] of Object.entries(JSON.parse(theirs.value("api.headers") ?? "{}"))) {
    ours.add("header", `${name}:${value}`, "api.headers");
  }
  if (theirs.value("server.ignore_eos") !== "false") {
    ours.add("extra-inputs", "ignore_eos:true", "server.ignore_eos");
  }
}

function setData(theirs: ForeignLine, ours: OurLine): void {
  const type = theirs.value("data.type") ?? "mock";
  ours.took("data.type");
  if (type === "random" || type === "synthetic" || type === "mock") {
    setLengths(theirs, ours, "data.input_distribution", "data.output_distribution");
    setImages(theirs, ours, "data.multimodal");
  } else if (type === "shared_prefix") {
    const [groups, users] = [
      "data.shared_prefix.num_unique_system_prompts",
      "data.shared_prefix.num_users_per_system_prompt",
    ];
    ours.set("num-prefix-prompts", theirs.value(groups) ?? "", groups);
    ours.set(
      "num-dataset-entries",
      Number(theirs.value(groups)) * Number(theirs.value(users)),
      users,
    );
    const prefix = "data.shared_prefix.system_prompt_len";
    ours.set("prefix-prompt-length", meanOf(theirs.value(prefix) ?? ""), prefix);
    const of = (old: string, name: string): string => theirs.has(old) ? old : name;
    setLengths(
      theirs,
      ours,
      of("data.shared_prefix.question_distribution", "data.shared_prefix.question_len"),
      of("data.shared_prefix.output_distribution", "data.shared_prefix.output_len"),
    );
    setImages(theirs, ours, "data.multimodal");
    setImages(theirs, ours, "data.shared_prefix.multimodal");
    ours.took("data.shared_prefix.question_len", "data.shared_prefix.output_len");
  } else if (type === "shareGPT" && theirs.has("data.path")) {
    setPublicDataset(ours, type, theirs.value("data.path"), "data.type", "data.path");
  } else if (theirs.has("data.path")) {
    ours.set("input-file", theirs.value("data.path") ?? "", "data.path");
    ours.note(
      "data.path",
      `a file of ${type} may have to be written as {"text": ..., "output_length": ...} lines`,
    );
  } else if (setPublicDataset(ours, type, undefined, "data.type")) {
    ours.note("data.type", "the usual part and columns of the data set are read");
  } else {ours.none(
      "data.type",
      `the data set ${type} is not known here: name a file by --input-file`,
    );}
}

interface Stage {
  readonly rate?: number;
  readonly duration?: number;
  readonly "num_requests"?: number;
  readonly "concurrency_level"?: number;
}

/** Each stage is a run, all of them a sweep. */
function setStages(theirs: ForeignLine, ours: OurLine): void {
  const type = theirs.value("load.type") ?? "constant";
  ours.took("load.type", "load.stages", "load.stage_teardown_grace_seconds");
  const stages: readonly Stage[] = JSON.parse(theirs.value("load.stages") ?? "[]");
  if (type === "concurrent") {
    ours.vary(
      stages.map(({ num_requests: count = 1, concurrency_level: level = 1 }): OurOption[] => [
        ["--concurrency", [String(level)]],
        ["--request-count", [String(count)]],
      ]),
    );
  } else if (type === "constant" || type === "poisson") {
    ours.set("arrival-pattern", type, "load.type");
    ours.set(
      "benchmark-grace-period",
      theirs.value("load.stage_teardown_grace_seconds") ?? "",
      "load.stage_teardown_grace_seconds",
    );
    ours.vary(stages.map(({ rate = 1, duration = 1 }): OurOption[] => [
      ["--request-rate", [String(rate)]],
      ["--benchmark-duration", [String(duration)]],
    ]));
  } else {
    ours.none("load.type", `requests are not sent like ${type}`);
    if (stages.length > 0) ours.none("load.stages", `stages of ${type}`);
  }
  if (stages.length === 0) ours.vary([[]]);
}
