/** A process that says in its first line where it listens. */
export interface GreetingProcess extends AsyncDisposable {
  readonly process: Deno.ChildProcess;
  /** What it said first; empty if it ended before. */
  readonly greeting: string;
}

/** Starts a server and waits for its first words. Disposing of it ends it. */
export async function startGreetingProcess(
  command: string,
  args: readonly string[],
): Promise<GreetingProcess> {
  const process = new Deno.Command(command, {
    args: [...args],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const output = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value: greeting = "" } = await output.read();
  // Whatever else it says is of no interest, but must not block it.
  output.cancel();
  return {
    process,
    greeting,
    async [Symbol.asyncDispose]() {
      try {
        process.kill("SIGTERM");
      } catch {
        // It has ended by itself.
      }
      await process.status;
    },
  };
}

/**
 * The URL that a greeting names.
 * @throws {Error} if it names none
 */
export function greetedUrl(greeting: string): string {
  const url = /http:\S+/.exec(greeting)?.[0];
  if (url === undefined) throw new Error(`The mock server does not say where it is: ${greeting}`);
  return url;
}
