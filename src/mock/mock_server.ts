/**
 * An inference server on sockets, with known timing: for demos, tests and benchmarks. It serves
 * every endpoint type, as the type itself says.
 */

import { BuiltinTokenizer, VOCABULARY_URL } from "../dataset/tokenizers/builtin_tokenizer.ts";
import { readEmbeddedFile } from "../files/embedded_file.ts";
import { writeAll } from "../files/write_all.ts";
import type { Tokenizer } from "../dataset/tokenizers/tokenizer.ts";
import type { EndpointType } from "../endpoint/protocol/endpoint_type.ts";
import { ENDPOINT_TYPES } from "../endpoint/endpoint_types.ts";
import { wholeReply } from "../http/reply_text.ts";
import { randomStream } from "../statistics/random_stream.ts";
import type { Summary } from "../statistics/summarize.ts";
import { EndpointRoutes, routeOf } from "./endpoint_routes.ts";
import type { MockConnection } from "./mock_connection.ts";
import { MockEngine } from "./mock_engine.ts";
import { latencyDistribution } from "./latency_distribution.ts";
import { rehearsalConnections } from "./mock_rehearsal.ts";
import { MockPages } from "./mock_pages.ts";
import {
  defaultMockOptions,
  FAULT_KINDS,
  type FaultKind,
  type MockOptions,
} from "./mock_options.ts";
import type { ServedRequest } from "./mock_truth.ts";
import { type MockRequest, RequestReader } from "./request_reader.ts";
import { RateLimiter } from "./rate_limiter.ts";

/** Serves until it is closed. */
export class MockServer {
  readonly #options: MockOptions;
  readonly #routes: EndpointRoutes;
  readonly #types: readonly EndpointType[];
  readonly #tokenizer: Tokenizer;
  /** undefined for a server that answers what is given to it alone. */
  readonly #listener: Deno.TcpListener | Deno.TlsListener | undefined;
  readonly #engine: MockEngine;
  readonly #pages: MockPages;
  readonly #limiter: RateLimiter;
  readonly #connections = new Set<MockConnection>();
  #requests = 0;
  #closed = false;

  private constructor(
    options: MockOptions,
    types: readonly EndpointType[],
    tokenizer: Tokenizer,
    listener: Deno.TcpListener | Deno.TlsListener | undefined,
    engine: MockEngine,
  ) {
    this.#options = options;
    this.#types = types;
    this.#tokenizer = tokenizer;
    this.#routes = new EndpointRoutes(types);
    this.#engine = engine;
    this.#pages = new MockPages(options, this.#engine);
    this.#limiter = new RateLimiter(options.rateLimit);
    this.#listener = listener;
    if (listener !== undefined) this.#accept(listener);
  }

  /**
   * Starts a server.
   * @param types what it serves; where several have one path, the first that recognizes a body
   * @throws {Deno.errors.AddrInUse} if the port is taken
   */
  static async start(
    options: MockOptions,
    types: Iterable<EndpointType> = ENDPOINT_TYPES.values(),
  ): Promise<MockServer> {
    const tokenizer = new BuiltinTokenizer(await readEmbeddedFile(VOCABULARY_URL));
    const { hostname, port, certificate } = options;
    const listener = certificate === undefined
      ? Deno.listen({ hostname, port })
      : Deno.listenTls({ hostname, port, ...certificate, alpnProtocols: ["http/1.1"] });
    const engine = new MockEngine(options, tokenizer);
    return new MockServer(options, [...types], tokenizer, listener, engine);
  }

  /**
   * Answers requests that count nowhere, so that the first ones that count are answered in time.
   * @returns how many chunks it wrote
   */
  async rehearse(): Promise<number> {
    const type = this.#types.find(({ name }) => name === "chat");
    if (type === undefined) return 0;
    const ttft = latencyDistribution("2");
    const itl = latencyDistribution("0.5");
    const options = { ...defaultMockOptions(), ttft, itl };
    const engine = new MockEngine(options, this.#tokenizer, this.#engine.clock);
    const server = new MockServer(options, this.#types, this.#tokenizer, undefined, engine);
    await Promise.all(rehearsalConnections(type.path).map((one) => server.#serve(one)));
    return server.lateness.count;
  }

  get port(): number {
    return (this.#listener?.addr as Deno.NetAddr).port;
  }

  /** Base URL. */
  get url(): string {
    const { hostname, certificate } = this.#options;
    return `${certificate === undefined ? "http" : "https"}://${hostname}:${this.port}`;
  }

  /** How late its writes were, against their schedule; without delays there is none. */
  get lateness(): Summary {
    return this.#engine.truth.lateness;
  }

  /** How often it was asked to forget its prefix cache. */
  get cacheResets(): number {
    return this.#pages.cacheResets;
  }

  /** The true times of the requests that have ended since the last call. */
  takeServed(): ServedRequest[] {
    return this.#engine.truth.takeServed();
  }

  /** Ends the server and every connection. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#listener?.close();
    for (const connection of this.#connections) closeQuietly(connection);
    this.#engine.close();
  }

  async #accept(listener: Deno.TcpListener | Deno.TlsListener): Promise<void> {
    try {
      for await (const connection of listener) {
        // The runtime has no such switch for connections with TLS.
        if ("setNoDelay" in connection) connection.setNoDelay(true);
        this.#serve(connection);
      }
    } catch (error) {
      if (!this.#closed) throw error;
    }
  }

  async #serve(connection: MockConnection): Promise<void> {
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
      const fault = this.#limiter.admits(receivedMs) ? this.#faultOf(number) : "429";
      return await this.#engine.answer({ connection, request, route, receivedMs, number, fault });
    }
    const job = request.method === "GET" ? this.#engine.jobs.at(path) : undefined;
    await writeAll(
      connection,
      job === undefined
        ? this.#pages.answer(request.method, path, query ?? "")
        : wholeReply("200 OK", job.contentType, job.body),
    );
    return true;
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
