import { buildGoProgram } from "../go_program.ts";
import { startGreetingProcess } from "../../process/greeting_process.ts";
import { CA_CERTIFICATE, SERVER_CERTIFICATE, SERVER_KEY } from "../certificates.ts";
import { TLS_FRONT_SOURCE } from "./tls_front_source.ts";

/** Built once, and removed at the end. */
let program: Promise<string> | undefined;

/** Serves TLS in front of a load target; see `tls_front_source.ts`. */
export class TlsFront {
  readonly #process: Deno.ChildProcess;
  readonly #client = Deno.createHttpClient({ caCerts: [Deno.readTextFileSync(CA_CERTIFICATE)] });
  readonly url: string;

  private constructor(process: Deno.ChildProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  /** @param targetUrl of a load target on this machine, without TLS */
  static async start(targetUrl: string): Promise<TlsFront> {
    program ??= build();
    const { port } = new URL(targetUrl);
    const { process, greeting } = await startGreetingProcess(
      await program,
      [port, SERVER_CERTIFICATE, SERVER_KEY],
    );
    const address = /listening on (\S+)/.exec(greeting)?.[1];
    if (address === undefined) throw new Error("The TLS front did not start");
    return new TlsFront(process, `https://${address}`);
  }

  /** The times of each request so far, as a load target tells them. */
  async times(): Promise<string> {
    const response = await fetch(`${this.url}/mock/truth`, { client: this.#client });
    return await response.text();
  }

  async stop(): Promise<void> {
    this.#client.close();
    this.#process.kill("SIGTERM");
    await this.#process.status;
  }
}

async function build(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "bench-" });
  addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  return await buildGoProgram(folder, "tlsfront", TLS_FRONT_SOURCE, []);
}
