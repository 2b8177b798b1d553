/** Upper bounds of histograms as an inference server has them, in seconds. */
const BOUNDS = [
  ...["0.001", "0.005", "0.01", "0.02", "0.04", "0.06", "0.08", "0.1", "0.25", "0.5", "0.75"],
  ...["1.0", "2.5", "5.0", "7.5", "10.0", "20.0", "40.0", "80.0", "160.0", "+Inf"],
];
const HISTOGRAMS = [
  ...["time_to_first_token", "inter_token_latency", "e2e_request_latency", "request_queue_time"],
  ...["request_inference_time", "request_prefill_time", "request_decode_time"],
  ...["request_prompt", "request_generation", "iteration", "request_params_n"],
].map((name) => `vllm:${name}_seconds`);
const COUNTERS = [
  ...["prompt_tokens", "generation_tokens", "num_preemptions", "prefix_cache_queries"],
  ...["prefix_cache_hits", "request_success", "spec_decode_num_drafts", "external_cache_hits"],
].map((name) => `vllm:${name}`);
const GAUGES = [
  ...["num_requests_running", "num_requests_waiting", "kv_cache_usage_perc"],
  ...["engine_sleep_state", "lora_requests", "num_requests_swapped", "cache_config"],
].map((name) => `vllm:${name}`);
const MODEL = "meta-llama/Llama-3.1-8B-Instruct";

/**
 * A page as Python's client writes it for a server with some engines, at some scrape: between two
 * scrapes counters and sums grow, buckets of half the engines do, gauges move.
 */
export function metricsPage(engines: number, scrape: number): string {
  const lines: string[] = [];
  const describe = (name: string, type: string) =>
    lines.push(`# HELP ${name} What ${name} measures on this server.`, `# TYPE ${name} ${type}`);
  const each = (write: (engine: number, labels: string) => void) => {
    for (let engine = 0; engine < engines; engine++) {
      write(engine, `engine="${engine}",model_name="${MODEL}"`);
    }
  };
  for (const [index, name] of GAUGES.entries()) {
    describe(name, "gauge");
    each((engine, labels) =>
      lines.push(`${name}{${labels}} ${(engine * 7 + scrape * index) % 97}.0`)
    );
  }
  for (const [index, name] of COUNTERS.entries()) {
    describe(`${name}_total`, "counter");
    each((engine, labels) =>
      lines.push(`${name}_total{${labels}} ${1e5 + engine * 31 + scrape * (index + 1)}.0`)
    );
    describe(`${name}_created`, "gauge");
    each((engine, labels) =>
      lines.push(`${name}_created{${labels}} 1.7901234567${engine + 100}e+09`)
    );
  }
  for (const [index, name] of HISTOGRAMS.entries()) {
    describe(name, "histogram");
    each((engine, labels) => {
      const grown = engine % 2 === 0 ? scrape : 0;
      for (const [bucket, bound] of BOUNDS.entries()) {
        lines.push(
          `${name}_bucket{engine="${engine}",le="${bound}",model_name="${MODEL}"} ${
            bucket * 17 + (bucket >> 1) * grown
          }.0`,
        );
      }
      const count = (BOUNDS.length - 1) * 17 + ((BOUNDS.length - 1) >> 1) * grown;
      lines.push(`${name}_count{${labels}} ${count}.0`);
      lines.push(`${name}_sum{${labels}} ${count * 0.1730000000000001 + index + engine / 7}`);
    });
  }
  return `${lines.join("\n")}\n`;
}
