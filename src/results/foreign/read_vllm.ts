import { benchFigures, benchLoad, benchRequests } from "./bench_result.ts";
import { type ForeignResult, type JsonObject, listIn, numberIn } from "./foreign_result.ts";

/** Whether an object is a result of `vllm bench serve`. */
export function isVllmResult(value: JsonObject): boolean {
  return "model_id" in value && "duration" in value && "completed" in value;
}

/** Kinds of API by the names of vLLM's backends. */
const ENDPOINT_TYPES: Readonly<Record<string, string>> = {
  "openai": "completions",
  "vllm": "completions",
  "openai-chat": "chat",
  "openai-responses": "responses",
  "openai-audio": "audio-transcription",
  "openai-embeddings": "embeddings",
  "infinity-embeddings": "embeddings",
  "openai-embeddings-chat": "chat-embeddings",
  "openai-embeddings-vlm2vec": "chat-embeddings",
  "openai-embeddings-clip": "chat-embeddings",
  "infinity-embeddings-clip": "chat-embeddings",
  "vllm-rerank": "cohere-rankings",
};

/**
 * Reads a result of `vllm bench serve`, with or without `--save-detailed`.
 * @param writtenMs when its file was written
 */
export function readVllm(result: JsonObject, writtenMs: number): ForeignResult {
  const durationSeconds = numberIn(result["duration"]);
  const starts = listIn(result["start_times"]).map(numberIn);
  const first = starts.reduce((least, start) => start < least ? start : least, Infinity);
  const requests = benchRequests(
    result,
    (latencies) =>
      latencies.map((_, at) =>
        Number.isFinite(starts[at]) ? ((starts[at] as number) - first) * 1e9 : 0
      ),
  );
  const completed = numberIn(result["completed"]);
  const failed = numberIn(result["failed"]);
  const isDetailed = Array.isArray(result["ttfts"]);
  const isPooling = "input_sequence_throughput" in result;
  const kind = String(result["endpoint_type"] ?? result["backend"] ?? "");
  return {
    product: "vllm/bench_serve",
    startMs: (dateOf(result["date"]) ?? writtenMs) - durationSeconds * 1e3,
    durationSeconds,
    model: String(result["model_id"]),
    url: undefined,
    endpointType: ENDPOINT_TYPES[kind] ?? kind,
    load: benchLoad(result, numberIn(result["num_prompts"])),
    requests,
    figures: benchFigures(result),
    succeeded: completed,
    failed: Number.isFinite(failed)
      ? failed
      : Math.max(0, numberIn(result["num_prompts"]) - completed || 0),
    notes: [
      ...(requests === undefined
        ? ["The file has only statistics; use --save-detailed in vLLM to include each request"]
        : starts.length > 0
        ? []
        : [
          "The file has no request start times: all requests are placed at the start of the run",
          ...(isDetailed || isPooling ? [] : [
            "The file has only the latencies of requests; use --save-detailed in vLLM for details",
          ]),
        ]),
      ...(kind === "openai-chat"
        ? ["vLLM until 0.32 counts the first chunk as the first token, also one without text"]
        : []),
    ],
  };
}

/** `20261121-232306`, when the result was written, read as UTC. */
function dateOf(value: unknown): number | undefined {
  const [, y, m, d, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/.exec(String(value)) ?? [];
  if (y === undefined) return undefined;
  return Date.UTC(
    Number(y),
    Number(m) - 1,
    Number(d),
    Number(hour),
    Number(minute),
    Number(second),
  );
}
