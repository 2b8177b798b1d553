/** A process that says in its first line where it listens. */
export interface GreetingProcess {
  readonly process: Deno.ChildProcess;
  /** What it said first; empty if it ended before. */
  readonly greeting: string;
}

/** Starts a server and waits for its first words. */
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
  return { process, greeting };
}
