import { benchFigures, benchLoad, benchRequests } from "./bench_result.ts";
import {
  type ForeignResult,
  type JsonObject,
  listIn,
  numberIn,
  objectIn,
} from "./foreign_result.ts";

/** Whether an object is a result of SGLang's `bench_serving`. */
export function isSglangResult(value: JsonObject): boolean {
  return "duration" in value && "completed" in value &&
    ("mean_e2e_latency_ms" in value || "total_output_tokens_retokenized" in value);
}

/**
 * Reads a line of SGLang's `bench_serving`, with or without `--output-details`.
 * @param writtenMs when its file was written
 */
export function readSglang(result: JsonObject, writtenMs: number): ForeignResult {
  const durationSeconds = numberIn(result["duration"]);
  const rate = numberIn(result["request_rate"]);
  const concurrency = numberIn(result["max_concurrency"]);
  const requests = benchRequests(
    result,
    (latencies) =>
      Number.isFinite(rate)
        ? latencies.map((_, at) => at / rate * 1e9)
        : slotStarts(latencies, Number.isFinite(concurrency) ? concurrency : latencies.length),
  );
  const server = objectIn(result["server_info"]);
  const backend = String(result["backend"]);
  return {
    product: "sglang/bench_serving",
    startMs: writtenMs - durationSeconds * 1e3,
    durationSeconds,
    model: String(server["served_model_name"] ?? server["model_path"] ?? ""),
    url: undefined,
    endpointType: /embedding/.test(backend)
      ? "embeddings"
      : /chat/.test(backend)
      ? "chat"
      : /^sglang(-native)?$/.test(backend)
      ? "generate"
      : "completions",
    load: benchLoad(result, requests?.length ?? numberIn(result["completed"])),
    requests,
    // Of embeddings it writes zeros where tokens out are meant.
    figures: new Map(
      [...benchFigures(result)].filter(([tag]) =>
        !/embedding/.test(backend) || /^request_|input|isl|^goodput$/.test(tag)
      ),
    ),
    succeeded: numberIn(result["completed"]),
    failed: requests?.filter(({ error }) => error !== undefined).length ?? NaN,
    notes: requests === undefined
      ? ["The file has only statistics; use --output-details in SGLang to include each request"]
      : [
        "SGLang does not record request start times: they are derived from its " +
        (Number.isFinite(rate) ? "rate" : "limit of requests in flight") + " and their order make",
        ...(listIn(result["latencies"]).length === 0
          ? ["A request's latency is its TTFT and the times between its chunks"]
          : []),
      ],
  };
}

/** Starts of requests that wait in a row for one of some slots. */
export function slotStarts(latenciesMs: readonly number[], slots: number): number[] {
  const free = new Array<number>(Math.max(1, Math.min(slots, latenciesMs.length))).fill(0);
  return latenciesMs.map((latency) => {
    let next = 0;
    for (let slot = 1; slot < free.length; slot++) {
      if ((free[slot] as number) < (free[next] as number)) next = slot;
    }
    const startNs = free[next] as number;
    free[next] = startNs + (Number.isFinite(latency) ? latency * 1e6 : 0);
    return startNs;
  });
}
