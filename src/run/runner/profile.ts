import type { ProfileOptions } from "../../config/options/profile/profile_types.ts";
import type { ProfileHooks, ProfileResult } from "./profile_result.ts";

/**
 * Runs a benchmark in this process, as `inferometer profile` does: the same options, the same files.
 *
 * It needs the flag `--unstable-worker-options`, and the permissions to reach the servers, to read
 * what the options name, and to write the artifact folder. Its threads get no more than each one
 * needs; this thread keeps what it has.
 *
 * @example
 * ```ts ignore
 * import { profile } from "@inferometer/inferometer";
 * const { metrics } = await profile({
 *   url: ["http://127.0.0.1:8000"],
 *   streaming: true,
 *   concurrency: 16,
 *   requestCount: 200,
 * });
 * console.log(metrics["time_to_first_token"]?.p50, "ms");
 * ```
 *
 * @throws {UsageError} naming the option that cannot be used
 * @throws {DatasetError} if prompts or tokenizer cannot be read
 * @throws {ServerUnavailableError} if the server does not get ready, or does not name its model
 * @throws {ExportError} if a result cannot be written
 * @throws {Error} on other runtimes than Deno, or if its packages of npm cannot be loaded
 */
export async function profile(
  options: ProfileOptions,
  hooks: ProfileHooks = {},
): Promise<ProfileResult> {
  if (!("Deno" in globalThis)) {
    throw new Error("profile() needs Deno, whose permissions confine its threads; see deno.com");
  }
  const { measureProfile } = await loadedRunner();
  return await measureProfile(options, hooks);
}

/**
 * Loads the runner when it is needed: its packages of npm are not found below a `package.json`, where
 * Deno looks for them in `node_modules`, and all else of the library works there.
 */
async function loadedRunner(): Promise<typeof import("./measure_profile.ts")> {
  try {
    return await import("./measure_profile.ts");
  } catch (error) {
    const { message } = error as Error;
    if (!message.includes("node_modules")) throw error;
    throw new Error(
      "profile() could not load its packages of npm below a package.json: run Deno with " +
        '--node-modules-dir=none, or set "nodeModulesDir": "none" in deno.json',
      { cause: error },
    );
  }
}
