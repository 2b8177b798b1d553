import {
  type ClientReport,
  type LoadClient,
  type LoadOrder,
  MODEL,
  PROMPT_TOKENS,
} from "./load_client.ts";
import { ENGINE_FLAGS } from "../../src/config/sandbox/engine_flags.ts";
import type { CommandLine } from "./measured_process.ts";

/** What the product reports besides what every client does. */
export interface ProductReport extends ClientReport {
  readonly sendSlipP50Ms: number;
  readonly sendSlipP99Ms: number;
}

/** Name of our own column. */
export const OURS = "inferometer";

const MAIN = new URL("../../src/main.ts", import.meta.url).pathname;

/**
 * The product's command line with these arguments.
 * @param binary the executable; undefined for the sources
 */
export function productCommand(binary: string | undefined, args: readonly string[]): CommandLine {
  if (binary !== undefined) return { command: binary, args };
  return sourceCommand(MAIN, ENGINE_FLAGS, args);
}

function sourceCommand(main: string, engineFlags: string, args: readonly string[]): CommandLine {
  return {
    command: Deno.execPath(),
    args: ["run", "--allow-all", "--quiet", engineFlags, main, ...args],
  };
}

function profileArguments(
  order: LoadOrder,
  url: string,
  folder: string,
  options: readonly string[],
): string[] {
  return [
    ...["profile", "--url", url, "--model", MODEL, "--streaming", "--ui", "none"],
    ...["--concurrency", `${order.concurrency}`, "--request-count", `${order.requests}`],
    ...["--isl", `${PROMPT_TOKENS}`, "--osl", `${order.tokens}`],
    ...["--artifact-dir", folder, "--overwrite", ...options],
    ...(order.serverMetrics ? [] : ["--no-server-metrics"]),
  ];
}

async function summaryOf(folder: string): Promise<Record<string, Record<string, unknown>>> {
  return JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`));
}

function clientReport(json: Awaited<ReturnType<typeof summaryOf>>): ClientReport {
  return {
    failed: json["requests"]?.["failed"] as number,
    ttftP50Ms: json["time_to_first_token"]?.["p50"] as number,
    ttftP99Ms: json["time_to_first_token"]?.["p99"] as number,
  };
}

/** Another version of the product, from its sources, as a peer. */
export class Before implements LoadClient {
  readonly name = "before";
  readonly #folder: string;
  readonly #engineFlags: string;

  private constructor(folder: string, engineFlags: string) {
    this.#folder = folder;
    this.#engineFlags = engineFlags;
  }

  /**
   * It is started as it was then: flags of the engine are a part of it.
   * @param folder where its sources are
   */
  static async in(folder: string): Promise<Before> {
    const flagsOf = (room: string) =>
      import(`file://${folder}/src/${room}/engine_flags.ts`) as Promise<{ ENGINE_FLAGS: string }>;
    // Versions of 0.1.0 had no wings.
    const { ENGINE_FLAGS } = await flagsOf("config/sandbox").catch(() => flagsOf("sandbox"));
    return new Before(folder, ENGINE_FLAGS);
  }

  commandLine(order: LoadOrder, url: string, folder: string): CommandLine {
    const args = profileArguments(order, url, folder, []);
    return sourceCommand(`${this.#folder}/src/main.ts`, this.#engineFlags, args);
  }

  async report(folder: string): Promise<ClientReport> {
    return clientReport(await summaryOf(folder));
  }
}

/** The product as a client. */
export class Product implements LoadClient<ProductReport> {
  readonly name = OURS;
  readonly #binary: string | undefined;
  readonly #options: readonly string[];

  /** @param options added to each command line */
  constructor(binary: string | undefined, options: readonly string[] = []) {
    this.#binary = binary;
    this.#options = options;
  }

  commandLine(order: LoadOrder, url: string, folder: string): CommandLine {
    return productCommand(this.#binary, profileArguments(order, url, folder, this.#options));
  }

  async report(folder: string): Promise<ProductReport> {
    const json = await summaryOf(folder);
    const slip = json["client_health"]?.["send_slip_ms"] as Readonly<Record<string, number>>;
    return {
      ...clientReport(json),
      sendSlipP50Ms: slip["p50"] as number,
      sendSlipP99Ms: slip["p99"] as number,
    };
  }
}
