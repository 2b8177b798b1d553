import { type ClientReport, type LoadClient, type LoadOrder, MODEL } from "./load_client.ts";
import type { CommandLine } from "./measured_process.ts";

const PROGRAM = new URL("./bare_loop.ts", import.meta.url).pathname;
const RESULT = "result.json";

/** Name of its column. */
export const BARE_LOOP = "bare loop";

/** What the runtime itself costs, as a client: see `bare_loop.ts`. */
export class BareLoop implements LoadClient {
  readonly name = BARE_LOOP;

  commandLine(order: LoadOrder, url: string, folder: string): CommandLine {
    const { concurrency, requests, tokens } = order;
    return {
      command: Deno.execPath(),
      args: [
        ...["run", "--quiet", "--allow-net", `--allow-write=${folder}`, PROGRAM],
        ...[url, `${concurrency}`, `${requests}`, `${tokens}`, MODEL, `${folder}/${RESULT}`],
      ],
    };
  }

  async report(folder: string): Promise<ClientReport> {
    return JSON.parse(await Deno.readTextFile(`${folder}/${RESULT}`));
  }
}
