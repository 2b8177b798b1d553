// deno-lint-ignore-file no-console
/**
 * Tries an executable on the system it is made for:
 * `deno run --allow-all scripts/release/smoke.ts PATH`
 *
 * It says its version, serves as a mock, and measures that.
 */

import { join, resolve } from "node:path";
import denoConfig from "../../deno.json" with { type: "json" };

const REQUESTS = 8;

async function output(path: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(path, { args: [...args] }).output();
  if (code !== 0) {
    throw new Error(`${args.join(" ")}: exit code ${code}: ${new TextDecoder().decode(stderr)}`);
  }
  return new TextDecoder().decode(stdout);
}

/**
 * Tries an executable.
 * @param command the program, and arguments that come before all others
 * @throws {Error} saying what does not work
 */
export async function smoke(command: readonly string[]): Promise<string> {
  const [path, ...first] = command as [string, ...string[]];
  const run = (args: readonly string[]) => output(path, [...first, ...args]);
  const version = (await run(["--version"])).trim();
  if (version !== denoConfig.version) throw new Error(`It says it is version ${version}`);
  const { commit } = JSON.parse(await run(["version", "--json"]));
  if (!/^[0-9a-f]{40}(-modified)?$/.test(commit)) {
    throw new Error(`It says it was made of "${commit}"`);
  }
  const work = await Deno.makeTempDir();
  const mock = new Deno.Command(path, {
    args: [...first, "mock"],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = mock.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    const url = /http:\S+/.exec((await reader.read()).value ?? "")?.[0];
    if (url === undefined) throw new Error("The mock server does not say where it is");
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
    mock.kill();
    await mock.status;
    await reader.cancel().catch(() => {});
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
