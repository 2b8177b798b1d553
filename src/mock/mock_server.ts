/**
 * Inference server on sockets, with known timing: for demos, tests and benchmarks. It serves every
 * endpoint type, as the type defines it.
 */

import { BuiltinTokenizer, VOCABULARY_URL } from "../load/dataset/tokenizers/builtin_tokenizer.ts";
import { readEmbeddedFile } from "../core/files/embedded_file.ts";
import type { TokenCoder } from "../load/dataset/tokenizers/tokenizer.ts";
import type { EndpointType } from "../client/endpoint/protocol/endpoint_type.ts";
import { ENDPOINT_TYPES } from "../client/endpoint/endpoint_types.ts";
import type { Summary } from "../core/statistics/summarize.ts";
import type { MockOptions } from "./mock_options.ts";
import { MockRequests } from "./mock_requests.ts";
import type { ServedRequest } from "./mock_truth.ts";

/** Serves until it is closed. */
export class MockServer {
  readonly #options: MockOptions;
  readonly #listener: Deno.TcpListener | Deno.TlsListener;
  readonly #requests: MockRequests;
  #closed = false;

  private constructor(
    options: MockOptions,
    types: Iterable<EndpointType>,
    tokenizer: TokenCoder,
  ) {
    this.#options = options;
    this.#requests = new MockRequests(options, [...types], tokenizer);
    const { hostname, port, certificate } = options;
    this.#listener = certificate === undefined
      ? Deno.listen({ hostname, port })
      : Deno.listenTls({ hostname, port, ...certificate, alpnProtocols: ["http/1.1"] });
    this.#accept();
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
    return new MockServer(options, types, tokenizer);
  }

  /** See {@linkcode MockRequests.rehearse}. */
  rehearse(): Promise<number> {
    return this.#requests.rehearse();
  }

  get port(): number {
    return (this.#listener.addr as Deno.NetAddr).port;
  }

  /** Base URL. */
  get url(): string {
    const { hostname, certificate } = this.#options;
    return `${certificate === undefined ? "http" : "https"}://${hostname}:${this.port}`;
  }

  /** How late its writes were, against their schedule; without delays there is none. */
  get lateness(): Summary {
    return this.#requests.engine.truth.lateness;
  }

  /** How often it was asked to forget its prefix cache. */
  get cacheResets(): number {
    return this.#requests.pages.cacheResets;
  }

  /** The true times of the requests that have ended since the last call. */
  takeServed(): ServedRequest[] {
    return this.#requests.engine.truth.takeServed();
  }

  /** Ends the server and every connection. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#listener.close();
    this.#requests.close();
  }

  async #accept(): Promise<void> {
    try {
      for await (const connection of this.#listener) {
        // The runtime has no such switch for connections with TLS.
        if ("setNoDelay" in connection) connection.setNoDelay(true);
        this.#requests.serve(connection);
      }
    } catch (error) {
      if (!this.#closed) throw error;
    }
  }
}
