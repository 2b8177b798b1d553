/** Whether another program is there and, with these arguments, ends well; it is told nothing more. */
export function works(command: string, args: readonly string[] = ["--version"]): boolean {
  try {
    const quiet = { stdin: "null", stdout: "null", stderr: "null" } as const;
    return new Deno.Command(command, { args: [...args], ...quiet }).outputSync().success;
  } catch {
    return false;
  }
}
