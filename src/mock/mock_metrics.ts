import type { ScriptedDrafts } from "../client/endpoint/protocol/reply_writer.ts";
import { ExpositionHistogram, floatText } from "./exposition_histogram.ts";

/** Bounds of vLLM's histograms, in seconds and tokens. */
const TTFT_BOUNDS = [
  0.001,
  0.005,
  0.01,
  0.02,
  0.04,
  0.06,
  0.08,
  0.1,
  0.25,
  0.5,
  0.75,
  1,
  2.5,
  5,
  7.5,
  10,
  20,
  40,
  80,
  160,
  640,
  2560,
];
const ITL_BOUNDS = [
  0.01,
  0.025,
  0.05,
  0.075,
  0.1,
  0.15,
  0.2,
  0.3,
  0.4,
  0.5,
  0.75,
  1,
  2.5,
  5,
  7.5,
  10,
  20,
  40,
  80,
];
const E2E_BOUNDS = [
  0.3,
  0.5,
  0.8,
  1,
  1.5,
  2,
  2.5,
  5,
  10,
  15,
  20,
  30,
  40,
  50,
  60,
  120,
  240,
  480,
  960,
  1920,
  7680,
];
const TOKEN_BOUNDS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  1000,
  2000,
  5000,
  10_000,
  20_000,
  50_000,
  100_000,
];
/** Tokens that the pretended cache holds. */
const CACHE_TOKENS = 500_000;

/** The server's own view of what it served, exposed as vLLM does. */
export class MockMetrics {
  readonly #labels: string;
  readonly #ttft = new ExpositionHistogram(TTFT_BOUNDS);
  readonly #itl = new ExpositionHistogram(ITL_BOUNDS);
  readonly #e2e = new ExpositionHistogram(E2E_BOUNDS);
  readonly #prompt = new ExpositionHistogram(TOKEN_BOUNDS);
  readonly #generation = new ExpositionHistogram(TOKEN_BOUNDS);
  readonly #success = new Map<string, number>([["stop", 0], ["length", 0], ["abort", 0]]);
  #promptTokens = 0;
  #generationTokens = 0;
  #cachedTokens = 0;
  readonly #acceptedAt: number[];
  #drafts = 0;
  #draftTokens = 0;
  running = 0;
  waiting = 0;

  /** @param draftTokens tokens of each draft; 0 without speculative decoding */
  constructor(model: string, draftTokens = 0) {
    this.#acceptedAt = new Array<number>(draftTokens).fill(0);
    const name = model.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");
    this.#labels = `engine="0",model_name="${name}"`;
  }

  /** A request began to be served. */
  begin(promptTokens: number): void {
    this.running++;
    this.#promptTokens += promptTokens;
    this.#cachedTokens += promptTokens;
  }

  /** The first tokens were sent. */
  firstTokens(seconds: number, tokens: number): void {
    this.#ttft.observe(seconds);
    this.#addTokens(tokens);
  }

  /** The first tokens of a further choice were sent: the time to the first of all is known. */
  otherTokens(tokens: number): void {
    this.#addTokens(tokens);
  }

  /** More tokens were sent, this long after the previous ones. */
  nextTokens(seconds: number, tokens: number): void {
    if (tokens === 0) return;
    // vLLM observes steps, which have several tokens with drafts.
    if (this.#acceptedAt.length > 0) this.#itl.observe(seconds);
    else this.#itl.observe(seconds / tokens, tokens);
    this.#addTokens(tokens);
  }

  /** The drafts of a request were verified. */
  verified({ drafts, draftTokens, histogram }: ScriptedDrafts): void {
    this.#drafts += drafts;
    this.#draftTokens += draftTokens;
    histogram.forEach((count, accepted) => {
      for (let position = 0; position < accepted; position++) {
        (this.#acceptedAt[position] as number) += count;
      }
    });
  }

  /** A request ended. */
  end(reason: string, seconds: number, promptTokens: number, generated: number): void {
    this.running--;
    this.#cachedTokens -= promptTokens + generated;
    // As in vLLM, where a request that calls tools is one that stopped.
    const name = reason === "tool_calls" ? "stop" : reason;
    this.#success.set(name, (this.#success.get(name) ?? 0) + 1);
    if (reason === "abort") return;
    this.#e2e.observe(seconds);
    this.#prompt.observe(promptTokens);
    this.#generation.observe(generated);
  }

  /** The page of `/metrics`. */
  exposition(): string {
    const labels = this.#labels;
    const success = [...this.#success].map(([reason, count]): [string, number] => [
      `finished_reason="${reason}",${labels}`,
      count,
    ]);
    return [
      plain("vllm:num_requests_running", "gauge", "Number of requests being served.", [
        [labels, this.running],
      ]),
      plain("vllm:num_requests_waiting", "gauge", "Number of requests waiting to be served.", [
        [labels, this.waiting],
      ]),
      plain("vllm:kv_cache_usage_perc", "gauge", "KV-cache usage. 1 means 100 percent usage.", [
        [labels, Math.min(1, this.#cachedTokens / CACHE_TOKENS)],
      ]),
      plain("vllm:prompt_tokens_total", "counter", "Number of prefill tokens processed.", [
        [labels, this.#promptTokens],
      ]),
      plain("vllm:generation_tokens_total", "counter", "Number of generation tokens processed.", [
        [labels, this.#generationTokens],
      ]),
      plain("vllm:request_success_total", "counter", "Count of ended requests.", success),
      ...this.#draftLines(),
      histogram("vllm:time_to_first_token_seconds", "Time to first token in seconds.", this.#ttft),
      histogram("vllm:inter_token_latency_seconds", "Inter-token latency in seconds.", this.#itl),
      histogram("vllm:e2e_request_latency_seconds", "End to end latency in seconds.", this.#e2e),
      histogram("vllm:request_prompt_tokens", "Number of prefill tokens.", this.#prompt),
      histogram("vllm:request_generation_tokens", "Number of generation tokens.", this.#generation),
    ].map((part) => typeof part === "string" ? part : part(labels)).join("");
  }

  /** Counters of drafts; none without speculative decoding. */
  #draftLines(): string[] {
    const labels = this.#labels;
    if (this.#acceptedAt.length === 0) return [];
    const accepted = this.#acceptedAt.reduce((sum, count) => sum + count, 0);
    const name = "vllm:spec_decode_num";
    return [
      plain(`${name}_drafts_total`, "counter", "Number of drafts.", [[labels, this.#drafts]]),
      plain(`${name}_draft_tokens_total`, "counter", "Number of draft tokens.", [
        [labels, this.#draftTokens],
      ]),
      plain(`${name}_accepted_tokens_total`, "counter", "Number of accepted tokens.", [
        [labels, accepted],
      ]),
      plain(
        `${name}_accepted_tokens_per_pos_total`,
        "counter",
        "Accepted tokens by position.",
        this.#acceptedAt.map((count, position) => [`${labels},position="${position}"`, count]),
      ),
    ];
  }

  #addTokens(tokens: number): void {
    this.#generationTokens += tokens;
    this.#cachedTokens += tokens;
  }
}

function plain(
  name: string,
  type: string,
  help: string,
  samples: readonly (readonly [labels: string, value: number])[],
): string {
  const lines = samples.map(([labels, value]) => `${name}{${labels}} ${floatText(value)}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function histogram(
  name: string,
  help: string,
  values: ExpositionHistogram,
): (labels: string) => string {
  return (labels) =>
    `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${values.lines(name, labels)}`;
}
