import { Command, CommanderError } from "npm:commander@15.1.0";
import { VERSION } from "../config/plan/version.ts";
import { addOptions } from "./command_line/build_command.ts";
import { canonicalArguments } from "../config/options/canonical_arguments.ts";
import type { CliCommand } from "./command_line/cli_command.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT_CODE } from "./terminal/exit_code.ts";
import { helpArguments } from "./command_line/help_arguments.ts";
import { helpText } from "./command_line/help_text.ts";
import type { OptionTable } from "../config/options/option.ts";
import { OPTION_TABLES } from "../config/options/commands/option_tables.ts";
import { unexpectedOperand, usageMessage } from "./command_line/usage_message.ts";
import { errorOfChange } from "./terminal/changed_manifest.ts";
import { programHelp } from "./command_line/program_help.ts";
import { printableText } from "../report/console/printable_text.ts";
import {
  hasColor,
  helpWidth,
  writeError,
  writeMessage,
  writeNotices,
  writeOut,
} from "./terminal/terminal.ts";
import { allVariables, environmentVariable } from "../config/options/environment_variable.ts";
import type { WarmThreads } from "../run/runner/run_hooks.ts";
import { unknownVariables } from "../config/options/config/unknown_variables.ts";

/** Errors whose message is meant for users, by their names: what was wrong, where, what to do. */
const USAGE_ERRORS = new Set([
  ...["UsageError", "DatasetError", "LiveAddressError", "MissingPermissionError"],
  // Whether all of a run can be read shows when it is read.
  "RunFolderError",
]);
const RUN_ERRORS = new Set([
  ...["ExportError", "HubError", "OutputError", "RendezvousError", "ServerUnavailableError"],
]);

/**
 * Runs the command line.
 * @param warm threads that command lines before it have left in this process
 * @returns the exit code
 */
export async function runProgram(
  words: readonly string[],
  warm: WarmThreads = {},
): Promise<number> {
  // AIPerf's command lines are taken as they stand.
  const args = helpArguments(
    words[0] === "aiperf" ? words.slice(1) : words,
    COMMANDS.map(({ name }) => name),
  );
  let exitCode: number = EXIT_CODE.done;
  // A command line before it may have been quiet.
  writeNotices(true);
  const program = buildProgram(args, warm, (code) => {
    exitCode = code;
  });
  try {
    // What a shell asks for while the user types.
    if (args[0] === "complete" && args[1] === "--") {
      const { completeCommand } = await import("./commands/complete_command.ts");
      return await completeCommand(args.slice(1), COMMANDS);
    }
    warnOfEnvironment();
    if (args.length === 0) program.outputHelp();
    else {
      const table = tableOf(args);
      await program.parseAsync(canonicalArguments(args, table), { from: "user" });
    }
    return exitCode;
  } catch (error) {
    return report(error);
  }
}

function commandOf(args: readonly string[]): CliCommand | undefined {
  return COMMANDS.find(({ name }) => name === args[0]);
}

/** The options that a command takes. */
function tableOf(args: readonly string[]): OptionTable {
  const { handsOn, table } = commandOf(args) ?? {};
  return { ...handsOn, ...table };
}

function warnOfEnvironment(): void {
  // The executable is made so that this variable has no meaning, and does not see it.
  if (/^(1|true)$/.test(environmentVariable("OTEL_DENO") ?? "")) {
    writeMessage(
      "warning",
      "OTEL_DENO is set: the runtime itself sends telemetry, past all permissions; unset it",
    );
  }
  for (const text of unknownVariables(OPTION_TABLES.values(), allVariables())) {
    writeMessage("warning", text);
  }
}

function buildProgram(
  args: readonly string[],
  warm: WarmThreads,
  done: (exitCode: number) => void,
): Command {
  const program = new Command("inferometer");
  program
    .version(VERSION, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Print this help")
    .configureOutput({
      writeOut,
      writeErr: writeError,
      getOutHasColors: () => hasColor(Deno.stdout),
      getErrHasColors: () => hasColor(Deno.stderr),
      outputError: (text, write) => {
        const message = usageMessage(text, tableOf(args));
        write(`${printableText(message, Infinity)}\n`);
      },
    })
    .configureHelp({ formatHelp: (command) => helpOf(command, args) })
    .enablePositionalOptions()
    .exitOverride();
  for (const row of COMMANDS) {
    const { name, operands = "", table = {} } = row;
    const command = program.command(`${name} ${operands}`.trim())
      .allowExcessArguments(operands === "")
      .passThroughOptions(row.takesForeignOptions ?? false);
    // The options of the others are hundreds that nobody asks for.
    if (name === args[0]) addOptions(command, { ...row.handsOn, ...table });
    command.action(async () => {
      if (operands === "" && command.args.length > 0) {
        throw unexpectedOperand(command.args[0] as string, table, Object.keys(command.opts()));
      }
      done(await row.run(command, args, warm));
    });
  }
  return program;
}

function helpOf(command: Command, args: readonly string[]): string {
  const row = COMMANDS.find(({ name }) => name === command.name());
  if (row === undefined) return programHelp(COMMANDS);
  const { name, operands, description, rule, details, table = {}, examples = [] } = row;
  return helpText({
    usage: ["inferometer", name, operands].join(" ").trim(),
    description,
    rule,
    details,
    table,
    topic: helpTopic(args),
    examples,
    width: helpWidth(),
  });
}

/** The word after `--help`. */
function helpTopic(args: readonly string[]): string | undefined {
  const word = args[args.findIndex((argument) => argument === "--help" || argument === "-h") + 1];
  return word === args[0] || word?.startsWith("-") ? undefined : word;
}

function report(error: unknown): number {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? EXIT_CODE.done : EXIT_CODE.usage;
  }
  const { name, message } = error instanceof Error ? error : { name: "", message: String(error) };
  if (RUN_ERRORS.has(name)) {
    writeMessage("error", message);
    return EXIT_CODE.failed;
  }
  if (USAGE_ERRORS.has(name)) {
    writeMessage("error", message);
    return EXIT_CODE.usage;
  }
  // Of a module that may not be read, the runtime says so in a `TypeError`.
  if (error instanceof Deno.errors.NotCapable || /^Requires read access to /.test(message)) {
    // In an executable the runtime's advice is for whoever compiled it.
    const wanted = message.replace(/, specify the required permissions during compilation.*$/s, "");
    writeMessage("error", `The runtime does not grant what is needed: ${wanted}`);
    return EXIT_CODE.usage;
  }
  const damage = errorOfChange(message);
  if (damage !== undefined) {
    writeMessage("error", damage);
    return EXIT_CODE.usage;
  }
  // A defect: its trace is wanted.
  const [first = "", ...frames] = (error instanceof Error ? error.stack ?? message : message)
    .split("\n");
  writeMessage("error", first);
  for (const frame of frames) writeError(`    ${printableText(frame, Infinity)}\n`);
  return EXIT_CODE.failed;
}
