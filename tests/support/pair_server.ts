/**
 * A prefill and a decode instance behind a router, on one port: requests at `/v1/chat/completions`, pages of
 * both at `/prefill/metrics` and `/decode/metrics` with vLLM's names. The router gives each request to
 * both instances, one after the other or at once.
 */

/** How the router gives requests to the instances. */
export type PairDispatch = "sequential" | "concurrent";

/** Times of an instance, in seconds. */
interface InstanceTimes {
  requests: number;
  tokens: number;
  ttft: number;
  queue: number;
  prefill: number;
}

/** A running pair. */
export interface PairServer {
  readonly url: string;
  readonly prefill: Readonly<InstanceTimes>;
  readonly decode: Readonly<InstanceTimes>;
  [Symbol.asyncDispose](): Promise<void>;
}

const PROMPT_TOKENS = 20;
const QUEUE_MS = 2;
const PREFILL_MS = 18;
const FIRST_STEP_MS = 9;

/** Starts a pair whose replies have so many tokens. */
export function startPair(dispatch: PairDispatch, tokens = 5): PairServer {
  const none = (): InstanceTimes => ({ requests: 0, tokens: 0, ttft: 0, queue: 0, prefill: 0 });
  const [prefill, decode] = [none(), none()];
  const handle = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname === "/prefill/metrics") return new Response(pageOf(prefill, 1));
    if (pathname === "/decode/metrics") return new Response(pageOf(decode, 2));
    if (pathname !== "/v1/chat/completions") return new Response("", { status: 404 });
    await request.body?.cancel();
    const [queued, prefilled] = [await passed(QUEUE_MS), await passed(PREFILL_MS)];
    const own = queued + prefilled;
    add(prefill, { tokens: 1, ttft: own, queue: queued, prefill: prefilled });
    const step = await passed(FIRST_STEP_MS);
    // An instance that gets the request at once waits for the prefill.
    add(decode, {
      tokens,
      ttft: dispatch === "sequential" ? step : own + step,
      queue: 0,
      prefill: 0,
    });
    return new Response(eventsOf(tokens), { headers: { "content-type": "text/event-stream" } });
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handle);
  return {
    ...{ url: `http://127.0.0.1:${server.addr.port}`, prefill, decode },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Works for a time; returns how long it took, in seconds. */
async function passed(ms: number): Promise<number> {
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, ms));
  return (performance.now() - start) / 1e3;
}

function add(instance: InstanceTimes, more: Omit<InstanceTimes, "requests">): void {
  instance.requests++;
  instance.tokens += more.tokens;
  instance.ttft += more.ttft;
  instance.queue += more.queue;
  instance.prefill += more.prefill;
}

function eventsOf(tokens: number): string {
  const event = (more: Readonly<Record<string, unknown>>): string =>
    `data: ${
      JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "m", ...more })
    }\n\n`;
  const chunks = Array.from({ length: tokens }, (_, at) =>
    event({
      choices: [{
        ...{ index: 0, delta: { content: ` w${at}` } },
        "finish_reason": at === tokens - 1 ? "length" : null,
      }],
    }));
  const usage = {
    ...{ "prompt_tokens": PROMPT_TOKENS, "completion_tokens": tokens },
    "total_tokens": PROMPT_TOKENS + tokens,
  };
  return chunks.join("") + event({ choices: [], usage }) + "data: [DONE]\n\n";
}

function pageOf(
  { prefill, queue, requests, tokens, ttft }: InstanceTimes,
  started: number,
): string {
  const counter = (name: string, value: number, labels = ""): string =>
    `# TYPE vllm:${name} counter\nvllm:${name}_total{engine="0"${labels}} ${value}\n`;
  const histogram = (name: string, sum: number): string =>
    `# TYPE vllm:${name} histogram\n` +
    `vllm:${name}_bucket{engine="0",le="+Inf"} ${requests}\n` +
    `vllm:${name}_count{engine="0"} ${requests}\nvllm:${name}_sum{engine="0"} ${sum}\n`;
  return `# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds ${started}\n` +
    counter("request_success", requests, ',finished_reason="length"') +
    counter("prompt_tokens", requests * PROMPT_TOKENS) +
    counter("generation_tokens", tokens) +
    histogram("time_to_first_token_seconds", ttft) +
    histogram("request_queue_time_seconds", queue) +
    histogram("request_prefill_time_seconds", prefill);
}
