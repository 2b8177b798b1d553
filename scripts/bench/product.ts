import {
  type ClientReport,
  type LoadClient,
  type LoadOrder,
  MODEL,
  PROMPT_TOKENS,
} from "./load_client.ts";
import { ENGINE_FLAGS } from "../../src/sandbox/engine_flags.ts";
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
  return {
    command: Deno.execPath(),
    args: ["run", "--allow-all", "--quiet", ENGINE_FLAGS, MAIN, ...args],
  };
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
    return productCommand(this.#binary, [
      ...["profile", "--url", url, "--model", MODEL, "--streaming", "--ui", "none"],
      ...["--concurrency", `${order.concurrency}`, "--request-count", `${order.requests}`],
      ...["--isl", `${PROMPT_TOKENS}`, "--osl", `${order.tokens}`],
      ...["--artifact-dir", folder, "--overwrite", ...this.#options],
      ...(order.serverMetrics ? [] : ["--no-server-metrics"]),
    ]);
  }

  async report(folder: string): Promise<ProductReport> {
    const json = JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`));
    const slip = json["client_health"]["send_slip_ms"];
    return {
      failed: json["requests"]["failed"],
      ttftP50Ms: json["time_to_first_token"]["p50"],
      ttftP99Ms: json["time_to_first_token"]["p99"],
      sendSlipP50Ms: slip["p50"],
      sendSlipP99Ms: slip["p99"],
    };
  }
}
