/** A real Prometheus that scrapes one target. */

import { until } from "./until.ts";

const PATHS = ["/usr/bin/prometheus", "/usr/local/bin/prometheus"];

/** Path of a Prometheus on this machine; undefined if there is none. */
export function findPrometheus(): string | undefined {
  return PATHS.find((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });
}

/** See the module's comment. */
export class Prometheus implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #folder: string;
  readonly #url: string;

  private constructor(process: Deno.ChildProcess, folder: string, url: string) {
    this.#process = process;
    this.#folder = folder;
    this.#url = url;
  }

  /**
   * Starts it; it scrapes the target several times a second.
   * @param token that it shows
   */
  static async start(path: string, target: string, token: string): Promise<Prometheus> {
    const folder = await Deno.makeTempDir();
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    listener.close();
    await Deno.writeTextFile(
      `${folder}/prometheus.yml`,
      [
        "global: { scrape_interval: 250ms, scrape_timeout: 250ms }",
        "scrape_configs:",
        "  - job_name: inferometer",
        "    authorization:",
        `      credentials: ${token}`,
        `    static_configs: [{ targets: ["${target}"] }]`,
        "",
      ].join("\n"),
    );
    const process = new Deno.Command(path, {
      args: [
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const prometheus = new Prometheus(process, folder, `http://127.0.0.1:${port}`);
    await until("Prometheus is ready", async () => {
      const reply = await fetch(`${prometheus.#url}/-/ready`).catch(() => undefined);
      await reply?.body?.cancel();
      return reply?.status === 200;
    });
    return prometheus;
  }

  /** The value of a query that gives one; undefined without any. */
  async value(query: string): Promise<number | undefined> {
    const reply = await fetch(`${this.#url}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { data, error } = await reply.json();
    if (error !== undefined) throw new Error(error);
    if (data.result.length > 1) throw new Error(`${query}: ${JSON.stringify(data.result)}`);
    const text = data.result[0]?.value[1];
    return text === undefined ? undefined : Number(text);
  }

  /** The type that it knows of a metric. */
  async metadata(metric: string): Promise<string | undefined> {
    const reply = await fetch(`${this.#url}/api/v1/targets/metadata?metric=${metric}`);
    return (await reply.json()).data[0]?.type;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGTERM");
    await this.#process.status;
    await Deno.remove(this.#folder, { recursive: true });
  }
}
