/** Runs the program as a user does. */

import { ENGINE_FLAGS } from "../../src/sandbox/engine_flags.ts";
import { answerInProcess } from "./answer_in_process.ts";
import { bundledProgram } from "./bundled_program.ts";

/** Names the executable to test. */
const BINARY = Deno.env.get("INFEROMETER_BINARY");
const SOURCE = new URL("../../src/main.ts", import.meta.url).pathname;
/** As modules, most commands cost twice as much to start. */
const BUNDLE = BINARY === undefined ? await bundledProgram() : undefined;
/**
 * In a benchmark the thread of results stands back while times are taken. On a busy machine that
 * makes every run last several times as long, and no test looks at how exact its times are.
 */
const NO_STANDING_BACK = "--deny-sys=setPriority";

/** Variables with which a run does not wait for the last figures of servers. */
export const NO_FLUSH: Readonly<Record<string, string>> = {
  "INFEROMETER_SERVER_METRICS_COLLECTION_FLUSH_PERIOD": "0",
};

/** Commands that read and write files, and start no thread. */
const FILE_COMMANDS = new Set([
  ...["analyze-trace", "bundle", "compare", "config", "endpoints", "gate", "import", "launch"],
  ...["merge", "parse", "plot", "recompute", "report", "runs", "schema", "translate", "version"],
]);

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

/** The program under test: the bundled sources, or what the variable INFEROMETER_BINARY names. */
export function cliCommand(args: readonly string[]): [string, string[]] {
  return BINARY === undefined ? denoRun(BUNDLE as string, args) : [BINARY, [...args]];
}

/** The program as it runs from a checkout. */
export function sourceCommand(args: readonly string[]): [string, string[]] {
  return denoRun(SOURCE, args);
}

function denoRun(main: string, args: readonly string[]): [string, string[]] {
  const flags = ["--allow-all", "--quiet", ENGINE_FLAGS];
  if (args[0] === "profile") flags.push(NO_STANDING_BACK);
  return [Deno.execPath(), ["run", ...flags, main, ...args]];
}

/**
 * Runs the command line to its end: in this process, where that is no difference but for the time
 * that it takes.
 */
export async function runCli(
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const isBare = options.cwd === undefined &&
    Object.keys(options.env ?? {}).every((name) => name in NO_FLUSH);
  if (BINARY === undefined && isBare && startsNothing(args)) return await answerInProcess(args);
  return await runProcess(args, options);
}

/** Whether a command line begins no run, and reads no standard input. */
function startsNothing(args: readonly string[]): boolean {
  const [name = ""] = args;
  if (args.some((argument) => argument === "-" || argument.startsWith("/dev/"))) return false;
  return FILE_COMMANDS.has(name) || args.includes("--help") || args.includes("--dry-run");
}

/** Runs the command line to its end, in a process of its own. */
async function runProcess(args: readonly string[], options: CliOptions): Promise<CliResult> {
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
