/** The product with other checks of answers than usual, as clients of the case `answers`. */

import type { ClientReport, LoadClient, LoadOrder } from "./load_client.ts";
import type { CommandLine } from "./measured_process.ts";
import { Product } from "./product.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
/** Where replies are given to the detectors. */
const PLACE = "src/results/collect/run_results.ts";
const CALL = /detectors: type\.producesTokens \? [^\n]*/;
const LATENCIES = ["time_to_first_token", "inter_token_latency", "request_latency"];

/** Report of a run with the confidence intervals of its latencies. */
export interface CheckedReport extends ClientReport {
  /** By metric and statistic; those without an upper end are left out. */
  readonly intervals: ReadonlyMap<string, { readonly lower: number; readonly upper: number }>;
}

/** A variant of the product. */
export type CheckedClient = LoadClient<CheckedReport>;

/** The product with more options. */
export class WithAnswers implements CheckedClient {
  readonly name: string;
  readonly sendsMore: boolean;
  readonly #product: Product;

  constructor(name: string, binary: string | undefined, options: readonly string[]) {
    this.name = name;
    this.sendsMore = options.length > 0;
    this.#product = new Product(binary, options);
  }

  commandLine(order: LoadOrder, url: string, folder: string): CommandLine {
    return this.#product.commandLine(order, url, folder);
  }

  async report(folder: string): Promise<CheckedReport> {
    return { ...await this.#product.report(folder), intervals: await intervalsIn(folder) };
  }
}

/** The product whose sources leave out the detectors of anomalies. */
export class WithoutChecks extends WithAnswers {
  readonly #sources: string;

  private constructor(name: string, sources: string) {
    super(name, undefined, []);
    this.#sources = sources;
  }

  /**
   * Copies the sources, and takes the detectors out.
   * @throws {Error} if they are not where they were
   */
  static async make(name: string): Promise<WithoutChecks> {
    const sources = await Deno.makeTempDir({ prefix: "bench-sources-" });
    const { success } = await new Deno.Command("cp", {
      args: ["-r", `${ROOT}src`, `${ROOT}deno.json`, `${ROOT}deno.lock`, sources],
    }).output();
    const text = success ? await Deno.readTextFile(`${sources}/${PLACE}`) : "";
    if (!CALL.test(text)) throw new Error(`${PLACE} does not give replies to detectors`);
    await Deno.writeTextFile(`${sources}/${PLACE}`, text.replace(CALL, "detectors: undefined,"));
    return new WithoutChecks(name, sources);
  }

  override commandLine(order: LoadOrder, url: string, folder: string): CommandLine {
    const { args } = super.commandLine(order, url, folder);
    const own = `${this.#sources}/src/main.ts`;
    return {
      command: Deno.execPath(),
      args: args.map((word) => word === `${ROOT}src/main.ts` ? own : word),
    };
  }

  /** Removes the sources. */
  async remove(): Promise<void> {
    await Deno.remove(this.#sources, { recursive: true });
  }
}

async function intervalsIn(folder: string): Promise<CheckedReport["intervals"]> {
  const json = JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`));
  const found = LATENCIES.flatMap((tag) =>
    Object.entries<{ lower?: number; upper?: number | null }>(json["sampling_error"]?.[tag] ?? {})
      .flatMap(([statistic, { lower, upper }]) =>
        typeof lower === "number" && typeof upper === "number"
          ? [[`${tag}_${statistic}`, { lower, upper }] as const]
          : []
      )
  );
  return new Map(found);
}
