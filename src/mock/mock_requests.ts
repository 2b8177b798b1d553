import type { TokenCoder } from "../load/dataset/tokenizers/tokenizer.ts";
import type { EndpointType } from "../client/endpoint/protocol/endpoint_type.ts";
import { writeAll } from "../core/files/write_all.ts";
import { wholeReply } from "../client/http/reply_text.ts";
import { randomStream } from "../core/statistics/random_stream.ts";
import { AlarmClock } from "./alarm_clock.ts";
import { EndpointRoutes, routeOf } from "./endpoint_routes.ts";
import { latencyDistribution } from "./latency_distribution.ts";
import type { MockConnection } from "./mock_connection.ts";
import { MockEngine } from "./mock_engine.ts";
import {
  defaultMockOptions,
  FAULT_KINDS,
  type FaultKind,
  type MockOptions,
} from "./mock_options.ts";
import { MockPages } from "./mock_pages.ts";
import { rehearsalConnections } from "./mock_rehearsal.ts";
import { type MockRequest, RequestReader } from "./request_reader.ts";
import { RateLimiter } from "./rate_limiter.ts";

/** Answers the requests of connections, wherever these come from, and counts what it did. */
export class MockRequests {
  readonly engine: MockEngine;
  readonly pages: MockPages;
  readonly #options: MockOptions;
  readonly #types: readonly EndpointType[];
  readonly #tokenizer: TokenCoder;
  readonly #clock: AlarmClock;
  readonly #routes: EndpointRoutes;
  readonly #limiter: RateLimiter;
  readonly #connections = new Set<MockConnection>();
  /** Requests of each session so far, where one of them is to fail. */
  readonly #calls = new Map<string, number>();
  #requests = 0;

  /**
   * @param types what is served; where several have one path, the first that recognizes a body
   * @param clock rings at the times of writes
   */
  constructor(
    options: MockOptions,
    types: readonly EndpointType[],
    tokenizer: TokenCoder,
    clock: AlarmClock = new AlarmClock(),
  ) {
    this.#options = options;
    this.#types = types;
    this.#tokenizer = tokenizer;
    this.#clock = clock;
    this.#routes = new EndpointRoutes(types);
    this.engine = new MockEngine(options, tokenizer, clock);
    this.pages = new MockPages(options, this.engine);
    this.#limiter = new RateLimiter(options.rateLimit);
  }

  /**
   * Answers requests that are not counted, so that the first counted ones are answered in time.
   * @returns how many chunks were written
   */
  async rehearse(): Promise<number> {
    const type = this.#types.find(({ name }) => name === "chat");
    if (type === undefined) return 0;
    const rehearsed = new MockRequests(
      { ...defaultMockOptions(), ttft: latencyDistribution("2"), itl: latencyDistribution("0.5") },
      this.#types,
      this.#tokenizer,
      this.#clock,
    );
    await Promise.all(rehearsalConnections(type.path).map((one) => rehearsed.serve(one)));
    return rehearsed.engine.truth.lateness.count;
  }

  /** Serves a connection until one end closes it. */
  async serve(connection: MockConnection): Promise<void> {
    this.#connections.add(connection);
    const reader = new RequestReader(connection);
    try {
      for (;;) {
        const request = await reader.next();
        if (request === undefined) break;
        const goesOn = await this.#answer(connection, request);
        if (!goesOn || !request.keepAlive) break;
      }
    } catch {
      // The client is gone, or sent what is no request.
    }
    this.#connections.delete(connection);
    closeQuietly(connection);
  }

  /** Closes every connection; what was not written never is. */
  close(): void {
    for (const connection of this.#connections) closeQuietly(connection);
    this.#clock.close();
  }

  /** Answers a request; false if the connection is to be closed. */
  async #answer(connection: MockConnection, request: MockRequest): Promise<boolean> {
    const [path, query] = request.path.split("?") as [string, string | undefined];
    const routes = this.#routes.at(request.method, path);
    const [first] = routes;
    if (first !== undefined) {
      const route = routes.length === 1
        ? first
        : routeOf(routes, first.type.body.decode(request.body)) ?? first;
      const receivedMs = performance.now();
      const number = this.#requests++;
      const fault = this.#limiter.admits(receivedMs)
        ? this.#isFailingCall(request) ? "500" : this.#faultOf(number)
        : "429";
      return await this.engine.answer({ connection, request, route, receivedMs, number, fault });
    }
    const job = request.method === "GET" ? this.engine.jobs.at(path) : undefined;
    await writeAll(
      connection,
      job === undefined
        ? this.pages.answer(request.method, path, query ?? "")
        : wholeReply("200 OK", job.contentType, job.body),
    );
    return true;
  }

  /** Whether it is the request of its session that is to fail. */
  #isFailingCall({ headers }: MockRequest): boolean {
    const { failCall } = this.#options;
    const session = headers.get("x-correlation-id");
    if (failCall === undefined || session === undefined) return false;
    const call = (this.#calls.get(session) ?? 0) + 1;
    this.#calls.set(session, call);
    return call === failCall;
  }

  #faultOf(number: number): FaultKind | undefined {
    const { faults, seed } = this.#options;
    if (faults.size === 0) return undefined;
    let drawn = randomStream(seed, "mock.faults", number)();
    for (const kind of FAULT_KINDS) {
      const rate = faults.get(kind) ?? 0;
      if (drawn < rate) return kind;
      drawn -= rate;
    }
    return undefined;
  }
}

function closeQuietly(connection: MockConnection): void {
  try {
    connection.close();
  } catch {
    // It was closed before.
  }
}
