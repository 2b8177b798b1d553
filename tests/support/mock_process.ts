/** The product's own mock server, in a process of its own as a user would start it. */

import { spawnCli } from "./run_cli.ts";

/** What the mock server says it did to a request, by its own clock. */
export interface ServedRequest {
  readonly "request_id": string;
  readonly "received_epoch_ms": number;
  /** Milliseconds from there to each write of content. */
  readonly "sent_after_ms": readonly number[];
  readonly "prompt_tokens": number;
  readonly "output_tokens": number;
  readonly "outcome": string;
  /** Way in which the answer was broken; missing if it was whole. */
  readonly "corruption"?: string;
}

/** The page `/mock/stats?requests=1`. */
export interface MockStats {
  readonly requests: number;
  readonly succeeded: number;
  readonly served: readonly ServedRequest[];
}

/** A running mock server. */
export interface MockProcess extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  stats(): Promise<MockStats>;
  signal(signal: Deno.Signal): void;
  /** Ends it without mercy and waits until it is gone. */
  kill(): Promise<void>;
}

/** Starts `inferometer mock` and waits until it listens. */
export async function startMock(args: readonly string[] = [], port = 0): Promise<MockProcess> {
  const child = spawnCli(["mock", "--port", String(port), ...args]);
  const stderr = new Response(child.stderr).text();
  const url = await listeningUrl(child.stdout);
  if (url === undefined) throw new Error(`The mock server did not start: ${await stderr}`);
  let ended = false;
  child.status.then(() => {
    ended = true;
  });
  const kill = async (): Promise<void> => {
    if (!ended) child.kill("SIGKILL");
    await child.status;
    await stderr;
  };
  return {
    url,
    port: Number(new URL(url).port),
    async stats() {
      const response = await fetch(`${url}/mock/stats?requests=1`);
      return await response.json();
    },
    signal: (signal) => child.kill(signal),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

/** Reads the line that tells the address; undefined if the process ends before. */
async function listeningUrl(stdout: ReadableStream<Uint8Array>): Promise<string | undefined> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of stdout) {
    text += decoder.decode(bytes, { stream: true });
    const match = /listening on (\S+)\n/.exec(text);
    if (match !== null) return match[1];
  }
  return undefined;
}
