/** What a command came to. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command to its end.
 * @param input what it gets at its standard input; nothing by default
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  input?: string,
): Promise<Ran> {
  const child = new Deno.Command(command, {
    args: [...args],
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = child.output();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  }
  const { code, stdout, stderr } = await output;
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** Whether a command is installed. */
export async function hasCommand(command: string): Promise<boolean> {
  return (await runCommand("sh", ["-c", `command -v ${command}`])).code === 0;
}
