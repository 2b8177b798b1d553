import { HANG_MS } from "./hang_guard.ts";
import type { CliResult } from "./run_cli.ts";

/**
 * Waits for the end of a program.
 * @throws {Error} if it does not end within {@linkcode HANG_MS}
 */
export async function endOf(child: Deno.ChildProcess): Promise<CliResult> {
  let hangs = false;
  const timer = setTimeout(() => {
    hangs = true;
    child.kill("SIGKILL");
  }, HANG_MS);
  const { code, stdout, stderr } = await child.output();
  clearTimeout(timer);
  const decoder = new TextDecoder();
  const result = { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  if (hangs) throw new Error(`It does not end. It said: ${result.stdout}${result.stderr}`);
  return result;
}
