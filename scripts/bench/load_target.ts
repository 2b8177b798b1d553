import { freePortAt } from "../../src/run/runner/free_port.ts";
import { startGreetingProcess } from "../process/greeting_process.ts";
import { productCommand } from "./product.ts";
import { cpuSecondsOf } from "./process_tree.ts";

/** How the load target times its replies. */
export interface TargetTiming {
  readonly ttftMs: number;
  readonly itlMs: number;
  /**
   * Events that are sent with one write. The product's own mock server writes what is due, however
   * much that is, and has no use for it.
   * @default 1
   */
  readonly eventsPerWrite?: number;
}

/** What else it is to do. */
export interface TargetOptions extends TargetTiming {
  /** Standard deviation of the TTFT, normally distributed, as a share of it. @default 0 */
  readonly ttftCv?: number;
  /** The same of the ITL. @default 0 */
  readonly itlCv?: number;
  /** Whether it keeps the times of every request and write. @default false */
  readonly keepsTimes?: boolean;
  /** Share of requests that fail in each of {@linkcode FAILURES}. @default 0 */
  readonly failureShare?: number;
}

/**
 * How requests may fail: two statuses, a connection that breaks in mid-stream, an event that is no
 * JSON, an error inside a stream. By their names in `mockllm` and in the product's own mock server.
 */
const FAILURES = [
  ["429", "429"],
  ["500", "500"],
  ["disconnect", "reset"],
  ["malformed", "malformed"],
  ["sse", "in-band"],
] as const;

/** What the load target itself saw. */
export interface ServerTruth {
  readonly requests: number;
  readonly succeeded: number;
  /** Requests that it made fail. */
  readonly injected: number;
  /** Events with content that were written. */
  readonly events: number;
  /** Epoch in milliseconds; NaN before the first request. */
  readonly firstRequestMs: number;
  /** From the first request to the end of the last reply. */
  readonly spanSeconds: number;
  readonly ttftP50Ms: number;
  readonly ttftP99Ms: number;
}

const HOST = "127.0.0.1";
/** What a load target starts with, where that is permitted: it goes before everything else. */
const NICE = "-15";

/** A server with known timing, in a process of its own. */
export class LoadTarget {
  readonly #process: Deno.ChildProcess;
  readonly #readTruth: (url: string) => Promise<ServerTruth>;
  readonly url: string;

  private constructor(
    process: Deno.ChildProcess,
    url: string,
    readTruth: (url: string) => Promise<ServerTruth>,
  ) {
    this.#process = process;
    this.#readTruth = readTruth;
    this.url = url;
  }

  /**
   * Starts `mockllm`, which paces within some hundredths of a millisecond.
   * @param peersFolder where it is
   */
  static startMockllm(peersFolder: string, options: TargetOptions): Promise<LoadTarget> {
    const port = freePortAt(HOST);
    const args = [
      ...["-ports", `${port}`, "-ttft-ms", `${options.ttftMs}`, "-itl-ms", `${options.itlMs}`],
      ...["-ttft-cv", `${options.ttftCv ?? 0}`, "-itl-cv", `${options.itlCv ?? 0}`],
      ...["-flush-every", `${options.eventsPerWrite ?? 1}`],
    ];
    if (options.keepsTimes) args.push("-truth");
    for (const [name] of FAILURES) args.push(`-err-${name}`, `${options.failureShare ?? 0}`);
    // Its pacing thread alone.
    if (Deno.uid() === 0) args.push("-nice", NICE);
    return LoadTarget.#start(`${peersFolder}/mockllm`, args, () => port, mockllmTruth);
  }

  /** Starts the product's own mock server. */
  static startOwn(options: TargetOptions): Promise<LoadTarget> {
    const product = productCommand(undefined, [
      ...["mock", "--port", "0"],
      ...["--ttft", latency(options.ttftMs, options.ttftCv)],
      ...["--itl", latency(options.itlMs, options.itlCv)],
      ...(options.keepsTimes ? ["--truth"] : []),
      ...FAILURES.flatMap(([, name]) => ["--faults", `${name}:${options.failureShare ?? 0}`]),
    ]);
    const portOf = (greeting: string) => Number(/:(\d+)/.exec(greeting)?.[1]);
    // Where the machine is busy, it is the client that is measured, not the target.
    const [command, args] = options.keepsTimes && Deno.uid() === 0
      ? ["nice", ["-n", NICE, product.command, ...product.args]]
      : [product.command, product.args];
    return LoadTarget.#start(command, args, portOf, ownTruth);
  }

  static async #start(
    command: string,
    args: readonly string[],
    portOf: (greeting: string) => number,
    readTruth: (url: string) => Promise<ServerTruth>,
  ): Promise<LoadTarget> {
    const { process, greeting } = await startGreetingProcess(command, args);
    const port = portOf(greeting);
    if (greeting === "" || Number.isNaN(port)) {
      throw new Error(`The load target did not start: ${command} ${args.join(" ")}`);
    }
    return new LoadTarget(process, `http://${HOST}:${port}`, readTruth);
  }

  /** CPU time so far. */
  get cpuSeconds(): number {
    return cpuSecondsOf(this.#process.pid);
  }

  /** What it has seen so far. */
  truth(): Promise<ServerTruth> {
    return this.#readTruth(this.url);
  }

  /** The times of each request so far, a line each; see `truth/served_requests.ts`. */
  async times(): Promise<string> {
    return await (await fetch(`${this.url}/mock/truth`)).text();
  }

  /** Ends it. */
  async stop(): Promise<void> {
    try {
      this.#process.kill("SIGTERM");
    } catch {
      // It is gone.
    }
    await this.#process.status;
  }
}

/** Normally distributed milliseconds, as the product's mock server is told them. */
function latency(ms: number, variation = 0): string {
  return variation === 0 ? `${ms}` : `normal:${ms}:${ms * variation}`;
}

async function mockllmTruth(url: string): Promise<ServerTruth> {
  const stats = await (await fetch(`${url}/mock/stats`)).json();
  const firstMs = stats["first_request_unix_ns"] / 1e6;
  return {
    requests: stats["requests"],
    succeeded: stats["success"],
    injected: ["http429", "http500", "inj_disconnect", "inj_malformed", "inj_sse"]
      .reduce((sum, name) => sum + stats[name], 0),
    events: stats["events"],
    firstRequestMs: firstMs === 0 ? NaN : firstMs,
    spanSeconds: Math.max(0, stats["last_response_unix_ns"] / 1e6 - firstMs) / 1000,
    ttftP50Ms: stats["ttft_ms"]["p50"],
    ttftP99Ms: stats["ttft_ms"]["p99"],
  };
}

async function ownTruth(url: string): Promise<ServerTruth> {
  const stats = await (await fetch(`${url}/mock/stats?requests=1`)).json();
  let firstMs = Infinity;
  let lastMs = -Infinity;
  let injected = 0;
  for (const served of stats["served"]) {
    if (FAILURES.some(([, name]) => name === served["outcome"])) injected++;
    const receivedMs = served["received_epoch_ms"];
    firstMs = Math.min(firstMs, receivedMs);
    lastMs = Math.max(lastMs, receivedMs + (served["sent_after_ms"].at(-1) ?? 0));
  }
  return {
    requests: stats["requests"],
    succeeded: stats["succeeded"],
    injected,
    events: stats["content_events"],
    firstRequestMs: firstMs === Infinity ? NaN : firstMs,
    spanSeconds: Math.max(0, lastMs - firstMs) / 1000,
    ttftP50Ms: stats["ttft_ms"]["p50"],
    ttftP99Ms: stats["ttft_ms"]["p99"],
  };
}
