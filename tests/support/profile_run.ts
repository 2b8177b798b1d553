import { type Artifacts, readArtifacts } from "./artifacts.ts";
import { HANG_MS } from "./hang_guard.ts";
import { type CliOptions, type CliResult, spawnCli } from "./run_cli.ts";

/** Without the metrics of servers, whose last values a run waits for. */
export const PROFILE: readonly string[] = ["profile", "--no-server-metrics"];

/** A run of `inferometer profile` and its files. */
export interface ProfileRun extends CliResult {
  readonly artifacts: Artifacts;
}

/**
 * Runs `inferometer profile` into a folder and reads what it wrote.
 * @param folder that must be empty, unless the arguments say `--overwrite`
 */
export async function runProfile(
  folder: string,
  args: readonly string[],
  options: CliOptions = {},
): Promise<ProfileRun> {
  const result = await endOf(spawnCli([...PROFILE, "--artifact-dir", folder, ...args], options));
  if (result.code === 2) throw new Error(`The run did not start: ${result.stderr}`);
  try {
    return { ...result, artifacts: await readArtifacts(folder) };
  } catch (error) {
    throw new Error(`It ended with ${result.code} and said: ${result.stderr}`, { cause: error });
  }
}

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
