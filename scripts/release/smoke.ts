// deno-lint-ignore-file no-console
/**
 * Tries an executable on the system it is made for:
 * `deno run --allow-all scripts/release/smoke.ts PATH`
 *
 * It says its version, serves as a mock, and measures that.
 */

import { join, resolve } from "node:path";
import denoConfig from "../../deno.json" with { type: "json" };
import { greetedUrl, startGreetingProcess } from "../process/greeting_process.ts";
import { programOutput } from "../process/program_output.ts";

const REQUESTS = 8;

/**
 * Tries an executable.
 * @param command the program, and arguments that come before all others
 * @throws {Error} saying what does not work
 */
export async function smoke(command: readonly string[]): Promise<string> {
  const [path, ...first] = command as [string, ...string[]];
  const run = (args: readonly string[]) => programOutput(path, [...first, ...args]);
  const version = (await run(["--version"])).trim();
  if (version !== denoConfig.version) throw new Error(`It says it is version ${version}`);
  const { commit } = JSON.parse(await run(["version", "--json"]));
  if (!/^[0-9a-f]{40}(-modified)?$/.test(commit)) {
    throw new Error(`It says it was made of "${commit}"`);
  }
  const work = await Deno.makeTempDir();
  try {
    await using mock = await startGreetingProcess(path, [...first, "mock"]);
    const url = greetedUrl(mock.greeting);
    const directory = join(work, "artifacts");
    await run([
      ...["profile", "--url", url, "--streaming", "--concurrency", "2", "--osl", "8"],
      ...["--request-count", String(REQUESTS), "--artifact-dir", directory],
    ]);
    const json = JSON.parse(await Deno.readTextFile(join(directory, "profile_export_aiperf.json")));
    const count = json["request_count"]["avg"];
    if (count !== REQUESTS) throw new Error(`${count} of ${REQUESTS} requests succeeded`);
    const ttft = json["time_to_first_token"]["p50"];
    return `${version} (${commit.slice(0, 12)}): ${count} requests, TTFT p50 ${ttft} ms`;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

if (import.meta.main) {
  const [path] = Deno.args;
  if (path === undefined) {
    console.error("usage: smoke.ts PATH");
    Deno.exit(2);
  }
  console.log(await smoke([resolve(path)]));
}
