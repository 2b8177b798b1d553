/** Runs the program as a user does. */

import { ENGINE_FLAGS } from "../../src/sandbox/engine_flags.ts";

const MAIN = new URL("../../src/main.ts", import.meta.url).pathname;

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
}

/** The executable under test: the sources, or what the variable INFEROMETER_BINARY names. */
export function cliCommand(args: readonly string[]): [string, string[]] {
  const binary = Deno.env.get("INFEROMETER_BINARY");
  if (binary !== undefined) return [binary, [...args]];
  return [Deno.execPath(), ["run", "--allow-all", "--quiet", ENGINE_FLAGS, MAIN, ...args]];
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
    env: environmentOf(options),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** What is set besides the environment of the tests, whose own variables set no option. */
function environmentOf({ env }: CliOptions): Record<string, string> {
  return { "INFEROMETER_BINARY": "", "INFEROMETER_TEST_PYTHON": "", ...env };
}

/** Starts the command line and leaves it running. */
export function spawnCli(args: readonly string[], options: CliOptions = {}): Deno.ChildProcess {
  const [command, commandArgs] = cliCommand(args);
  return new Deno.Command(command, {
    args: commandArgs,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    env: environmentOf(options),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  }).spawn();
}
