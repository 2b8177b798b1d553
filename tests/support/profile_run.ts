import { type Artifacts, readArtifacts } from "./artifacts.ts";
import { type CliOptions, type CliResult, runCli } from "./run_cli.ts";

export { endOf } from "./end_of.ts";

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
  const result = await runCli([...PROFILE, "--artifact-dir", folder, ...args], options);
  if (result.code === 2) throw new Error(`The run did not start: ${result.stderr}`);
  try {
    return { ...result, artifacts: await readArtifacts(folder) };
  } catch (error) {
    throw new Error(`It ended with ${result.code} and said: ${result.stderr}`, { cause: error });
  }
}
