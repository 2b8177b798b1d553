import {
  figuresOf,
  type ForeignFigures,
  type ForeignRequest,
  type ForeignResult,
  type JsonObject,
  listIn,
  numberIn,
  numbersIn,
  objectIn,
} from "./foreign_result.ts";

/** Whether an object is a `benchmarks.json` of GuideLLM. */
export function isGuidellmResult(value: JsonObject): boolean {
  const [first] = listIn(value["benchmarks"]);
  return "requests" in objectIn(first) || "metrics" in objectIn(first);
}

/** Our tags, and the factor to milliseconds, by their names. */
const METRICS: readonly (readonly [name: string, tag: string, unit: string, factor: number])[] = [
  ["request_latency", "request_latency", "ms", 1e3],
  ["time_to_first_token_ms", "time_to_first_token", "ms", 1],
  ["inter_token_latency_ms", "inter_token_latency", "ms", 1],
  ["prompt_token_count", "input_sequence_length", "tokens", 1],
  ["output_token_count", "output_sequence_length", "tokens", 1],
];

/** Kinds of API by words in GuideLLM's names. */
const ENDPOINT_TYPES: readonly (readonly [part: RegExp, type: string])[] = [
  [/chat/, "chat"],
  [/responses/, "responses"],
  [/embeddings|pooling/, "embeddings"],
  [/audio/, "audio-transcription"],
];

/** Reads the benchmarks of a `benchmarks.json`, each a run of its own. */
export function readGuidellm(value: JsonObject): ForeignResult[] {
  const version = objectIn(value["metadata"])["guidellm_version"];
  return listIn(value["benchmarks"]).map(objectIn).map((benchmark) =>
    readBenchmark(benchmark, typeof version === "string" ? version : "benchmark")
  );
}

function readBenchmark(benchmark: JsonObject, version: string): ForeignResult {
  const config = objectIn(benchmark["config"] ?? benchmark["args"]);
  const worker = objectIn(benchmark["worker"]);
  // GuideLLM until 0.3 tells of its backend, and counts requests, in other places.
  const backend = objectIn(
    config["backend"] ?? { target: worker["backend_target"], model: worker["backend_model"] },
  );
  const strategy = objectIn(config["strategy"] ?? config["profile"]);
  const startSeconds = numberIn(
    benchmark["start_time"] ?? objectIn(benchmark["run_stats"])["start_time"],
  );
  const endSeconds = numberIn(
    benchmark["end_time"] ?? objectIn(benchmark["run_stats"])["end_time"],
  );
  const named = numberIn(benchmark["duration"]);
  const durationSeconds = Number.isFinite(named) ? named : endSeconds - startSeconds;
  const all = objectIn(benchmark["requests"]);
  const groups = [["successful", undefined], ["errored", "failed"], [
    "incomplete",
    "not finished",
  ]] as const;
  const requests = groups.flatMap(([name, error]) =>
    listIn(all[name]).map((request) => requestOf(objectIn(request), startSeconds, error))
  ).sort((a, b) => a.startNs - b.startNs);
  const totals = objectIn(
    objectIn(benchmark["metrics"])["request_totals"] ?? benchmark["request_totals"],
  );
  const succeeded = numberIn(totals["successful"]);
  const kept = requests.filter(({ error }) => error === undefined).length;
  const isWhole = requests.length > 0 && !(succeeded > kept);
  const format = String(
    backend["request_format"] ?? backend["request_type"] ??
      objectIn(listIn(all["successful"])[0])["request_type"] ?? "chat",
  );
  const figures = figuresOfMetrics(objectIn(benchmark["metrics"]));
  for (
    const [tag, figure] of figuresOf([
      ["request_throughput", "requests/sec", succeeded / durationSeconds],
    ])
  ) figures.set(tag, figure);
  return {
    product: `guidellm/${version}`,
    startMs: startSeconds * 1e3,
    durationSeconds,
    model: String(backend["model"] ?? ""),
    url: typeof backend["target"] === "string" ? backend["target"] : undefined,
    endpointType: ENDPOINT_TYPES.find(([part]) => part.test(format))?.[1] ?? "completions",
    load: loadOf(strategy, Math.max(numberIn(totals["total"]) || 0, requests.length)),
    requests: requests.length === 0 ? undefined : requests,
    figures: isWhole ? new Map() : figures,
    succeeded,
    failed: (numberIn(totals["errored"]) || 0) + (numberIn(totals["incomplete"]) || 0),
    notes: isWhole
      ? []
      : [`The file has ${kept} of ${succeeded} requests; statistics are those of GuideLLM`],
  };
}

function requestOf(request: JsonObject, zero: number, error: string | undefined): ForeignRequest {
  const start = numberIn(request["request_start_time"] ?? request["start_time"]);
  const end = numberIn(request["request_end_time"] ?? request["end_time"]);
  const latency = numberIn(request["request_latency"]);
  const told = request["error"] ?? objectIn(request["info"])["error"];
  return {
    startNs: (start - zero) * 1e9,
    latencyMs: (Number.isFinite(latency) ? latency : end - start) * 1e3,
    ttftMs: numberIn(request["time_to_first_token_ms"]),
    itlMs: numberIn(request["inter_token_latency_ms"]),
    inputTokens: numberIn(request["prompt_tokens"]) || NaN,
    outputTokens: numberIn(request["output_tokens"]),
    gapsMs: undefined,
    error: error === undefined ? undefined : typeof told === "string" ? told : error,
  };
}

function figuresOfMetrics(metrics: JsonObject): Map<string, ForeignFigures> {
  const figures = new Map<string, ForeignFigures>();
  for (const [name, tag, unit, factor] of METRICS) {
    const { percentiles, ...values } = objectIn(objectIn(metrics[name])["successful"]);
    const stats: Record<string, number> = {
      avg: numberIn(values["mean"]),
      min: numberIn(values["min"]),
      max: numberIn(values["max"]),
      std: numberIn(values["std_dev"]),
    };
    for (const [key, value] of Object.entries(objectIn(percentiles))) {
      const percent = /^p(0\d|[1-9]\d)$/.exec(key)?.[1];
      if (percent !== undefined) stats[`p${Number(percent)}`] = numberIn(value);
    }
    const scaled = numbersIn(
      Object.fromEntries(Object.entries(stats).map(([key, value]) => [key, value * factor])),
    );
    if (Object.keys(scaled).length > 0) figures.set(tag, { unit, stats: scaled });
  }
  return figures;
}

function loadOf(strategy: JsonObject, requests: number): Record<string, string | number> {
  const kind = String(strategy["type_"] ?? strategy["kind"] ?? "");
  const rate = numberIn(strategy["rate"]);
  const concurrency = kind === "synchronous"
    ? 1
    : numberIn(strategy["streams"] ?? strategy["max_concurrency"]);
  return {
    type: kind === "constant" || kind === "poisson" ? kind : "concurrency",
    ...numbersIn({ requests, rate, concurrency }),
  };
}
