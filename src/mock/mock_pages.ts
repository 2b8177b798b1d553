import { wholeReply } from "../client/http/reply_text.ts";
import { EXPOSITION_TYPE } from "../telemetry/prometheus/content_type.ts";
import type { MockGpus } from "./mock_gpus.ts";
import type { MockMetrics } from "./mock_metrics.ts";
import type { MockOptions } from "./mock_options.ts";
import { errorReply, jsonReply } from "./mock_replies.ts";
import type { MockTruth } from "./mock_truth.ts";
import type { PrefixCache } from "./prefix_cache.ts";

/** Parts of the server that its pages expose. */
interface MockParts {
  readonly metrics: MockMetrics;
  readonly gpus: MockGpus;
  readonly truth: MockTruth;
  /** undefined where none is simulated. */
  readonly prefixes: PrefixCache | undefined;
}

/**
 * Pages of the mock server apart from its replies: its model, its metrics, and its ground truth.
 */
export class MockPages {
  readonly #options: Pick<MockOptions, "model" | "gpus" | "truth">;
  readonly #metrics: MockMetrics;
  readonly #gpus: MockGpus;
  readonly #truth: MockTruth;
  readonly #prefixes: PrefixCache | undefined;
  /** How often the server was asked to forget its prefix cache. */
  cacheResets = 0;

  constructor(
    options: Pick<MockOptions, "model" | "gpus" | "truth">,
    { metrics, gpus, truth, prefixes }: MockParts,
  ) {
    this.#options = options;
    this.#metrics = metrics;
    this.#gpus = gpus;
    this.#truth = truth;
    this.#prefixes = prefixes;
  }

  /** The answer to a request that asks for no generation. */
  answer(method: string, path: string, query: string): Uint8Array {
    const { model } = this.#options;
    switch (path) {
      case "/v1/models":
        return jsonReply("200 OK", {
          "object": "list",
          "data": [{
            "id": model,
            "object": "model",
            "created": 0,
            "owned_by": "inferometer mock",
          }],
        });
      case "/health":
        return wholeReply("200 OK", "text/plain", "");
      case "/metrics":
        return wholeReply("200 OK", EXPOSITION_TYPE, this.#metrics.exposition());
      case "/dcgm/metrics":
        return this.#options.gpus > 0
          ? wholeReply("200 OK", EXPOSITION_TYPE, this.#gpus.exposition())
          : errorReply("404 Not Found", "There are GPUs with --gpus only");
      case "/mock/gpus":
        return jsonReply("200 OK", this.#gpus.truth());
      case "/mock/stats":
        return jsonReply("200 OK", this.#truth.stats(listsRequests(query)));
      case "/mock/truth":
        return this.#options.truth
          ? wholeReply(
            "200 OK",
            "text/plain",
            listsRequests(query) ? this.#truth.requestLines() : this.#truth.lines(),
          )
          : errorReply("404 Not Found", "Times are kept with --truth only");
      case "/reset_prefix_cache":
        this.#prefixes?.clear();
        // Counted, so that tests see who asked.
        this.cacheResets++;
        return wholeReply("200 OK", "text/plain", "");
      case "/mock/reset":
        this.#truth.reset();
        return jsonReply("200 OK", {});
      default:
        return errorReply(
          method === "GET" || method === "POST" ? "404 Not Found" : "405 Method Not Allowed",
          `No ${method} ${path} here`,
        );
    }
  }
}

/** Whether a query requests the data of each request. */
function listsRequests(query: string): boolean {
  return /(^|&)requests=1/.test(query);
}
