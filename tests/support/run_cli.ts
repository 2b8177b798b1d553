/** Runs the program as a user does. */

import { ENGINE_FLAGS } from "../../src/sandbox/engine_flags.ts";

const MAIN = new URL("../../src/main.ts", import.meta.url).pathname;
/**
 * In a benchmark the thread of results stands back while times are taken. On a busy machine that
 * makes every run last several times as long, and no test looks at how exact its times are.
 */
const NO_STANDING_BACK = "--deny-sys=setPriority";

/** Variables with which a run does not wait for the last figures of servers. */
export const NO_FLUSH: Readonly<Record<string, string>> = {
  "INFEROMETER_SERVER_METRICS_COLLECTION_FLUSH_PERIOD": "0",
};

/** How a program ended, and what it said. */
export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Settings of {@linkcode runCli}. */
export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Standard input of a program that is left running. @default "null" */
  readonly stdin?: "null" | "piped";
}

/** The executable under test: the sources, or what the variable INFEROMETER_BINARY names. */
export function cliCommand(args: readonly string[]): [string, string[]] {
  const binary = Deno.env.get("INFEROMETER_BINARY");
  if (binary !== undefined) return [binary, [...args]];
  const flags = ["--allow-all", "--quiet", ENGINE_FLAGS];
  if (args[0] === "profile") flags.push(NO_STANDING_BACK);
  return [Deno.execPath(), ["run", ...flags, MAIN, ...args]];
}

/** Runs the command line to its end. */
export async function runCli(
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const [command, commandArgs] = cliCommand(args);
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: commandArgs,
    stdin: "null",
    ...(options.env === undefined ? {} : { env: { ...options.env } }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Starts the command line and leaves it running. */
export function spawnCli(args: readonly string[], options: CliOptions = {}): Deno.ChildProcess {
  const [command, commandArgs] = cliCommand(args);
  return new Deno.Command(command, {
    args: commandArgs,
    stdin: options.stdin ?? "null",
    stdout: "piped",
    stderr: "piped",
    ...(options.env === undefined ? {} : { env: { ...options.env } }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  }).spawn();
}
