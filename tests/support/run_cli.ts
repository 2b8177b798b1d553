/** Runs the program as a user does. */

import { ENGINE_FLAGS } from "../../src/config/sandbox/engine_flags.ts";
import { answerInProcess } from "./answer_in_process.ts";
import { endOf } from "./end_of.ts";
import type { ResidentOrder } from "./resident_program.ts";
import { bundledProgram } from "./bundled_program.ts";

/** Names the executable to test. */
const BINARY = Deno.env.get("INFEROMETER_BINARY");
const SOURCE = new URL("../../src/main.ts", import.meta.url).pathname;
/** As modules, most commands cost twice as much to start. */
const BUNDLE = BINARY === undefined ? await bundledProgram() : undefined;
/** An executable has no process that stays; elsewhere folders may have several names. */
const answerResident = BINARY === undefined && Deno.build.os === "linux"
  ? (await import("./answer_resident.ts")).answerResident
  : undefined;
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

/** Commands that start threads, and end by themselves. */
const RUNS = new Set(["profile", "replay", "scrape"]);

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
  /** Whether a process of its own is what the test is about. @default false */
  readonly alone?: boolean;
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
 * Runs the command line to its end: in this process, or in one that runs many, where that is no
 * difference but for the time that it takes.
 */
export async function runCli(
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  if (BINARY !== undefined || options.alone === true) return await runProcess(args, options);
  const { cwd, env = {} } = options;
  const isBare = cwd === undefined && Object.keys(env).every((name) => name in NO_FLUSH);
  if (isBare && startsNothing(args)) return await answerInProcess(args);
  const order = { args, cwd, env };
  if (answerResident === undefined || !isForResident(order)) return await runProcess(args, options);
  return await answerResident(order);
}

/**
 * Whether the process that runs many can take a command line. Shards wait for each other, and what
 * is not named after the program may be the runtime's.
 */
function isForResident({ args, env }: ResidentOrder): boolean {
  const [name = ""] = args;
  return (RUNS.has(name) || FILE_COMMANDS.has(name)) && !readsStandardInput(args) &&
    !args.some((argument) => argument.startsWith("--shard")) &&
    Object.keys(env).every((name) => name.startsWith("INFEROMETER_"));
}

/** Whether a command line begins no run, and reads no standard input. */
function startsNothing(args: readonly string[]): boolean {
  const [name = ""] = args;
  if (readsStandardInput(args)) return false;
  return FILE_COMMANDS.has(name) || args.includes("--help") || args.includes("--dry-run");
}

function readsStandardInput(args: readonly string[]): boolean {
  return args.some((argument) => argument === "-" || argument.startsWith("/dev/"));
}

/** Runs the command line to its end, in a process of its own. */
async function runProcess(args: readonly string[], options: CliOptions): Promise<CliResult> {
  return await endOf(spawnCli(args, options));
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
