import { Command, CommanderError } from "npm:commander@15.1.0";
import { VERSION } from "../plan/version.ts";
import { addOptions, SOURCES_HELP } from "./build_command.ts";
import { canonicalArguments } from "../options/canonical_arguments.ts";
import type { ConfinementProbeOptions } from "./confinement_probe.ts";
import { EXIT_CODE } from "./exit_code.ts";
import { addMetricsCommands } from "./metrics_commands.ts";
import { MOCK_OPTIONS } from "../options/mock_options.ts";
import type { OptionTable } from "../options/option.ts";
import { OPTION_TABLES, PROFILE_COMMAND_OPTIONS } from "../options/option_tables.ts";
import { VERSION_OPTIONS } from "../options/version_options.ts";
import { printableText } from "../ui/printable_text.ts";
import { hasColor, widthOf, writeError, writeMessage, writeOut } from "./terminal.ts";
import { environmentVariable } from "../options/environment_variable.ts";

/** Errors whose message is meant for users, by their names: what was wrong, where, what to do. */
const USAGE_ERRORS = new Set(["UsageError", "DatasetError", "MissingPermissionError"]);
const RUN_ERRORS = new Set(["ExportError", "OutputError", "ServerUnavailableError", "HubError"]);

/**
 * Runs the command line.
 * @returns the exit code
 */
export async function runProgram(args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT_CODE.done;
  const program = buildProgram(args, (code) => {
    exitCode = code;
  });
  warnOfTelemetry();
  try {
    if (args.length === 0) program.outputHelp();
    else {
      if (args[0] === "complete") {
        const { default: addCompletion } = await import("npm:@bomb.sh/tab@0.0.22/commander");
        addCompletion(program);
      }
      const table = OPTION_TABLES.get(args[0] as string) ?? {};
      await program.parseAsync(canonicalArguments(args, table), { from: "user" });
    }
    return exitCode;
  } catch (error) {
    return report(error);
  }
}

/** The executable is made so that this variable has no meaning, and does not see it. */
function warnOfTelemetry(): void {
  if (!/^(1|true)$/.test(environmentVariable("OTEL_DENO") ?? "")) return;
  writeMessage(
    "warning",
    "OTEL_DENO is set: the runtime itself sends telemetry, past all permissions; unset it",
  );
}

function buildProgram(args: readonly string[], done: (exitCode: number) => void): Command {
  const program = new Command("inferometer");
  program
    .description("Measures LLM inference servers: load, token streams, exact statistics")
    .version(VERSION, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Print this help")
    .configureOutput({
      writeOut,
      writeErr: writeError,
      getOutHelpWidth: () => widthOf(Deno.stdout),
      getErrHelpWidth: () => widthOf(Deno.stderr),
      getOutHasColors: () => hasColor(Deno.stdout),
      getErrHasColors: () => hasColor(Deno.stderr),
      outputError: (text, write) => write(`${printableText(usageError(text), Infinity)}\n`),
    })
    // Choices stand in the description already.
    .configureHelp({ optionDescription: (option) => option.description })
    .exitOverride();
  const profile = subcommand(
    program,
    "profile",
    "Measure a server: send requests, read the replies, write the results",
    PROFILE_COMMAND_OPTIONS,
  );
  profile
    .addHelpText("after", SOURCES_HELP)
    .addHelpText("after", PROFILE_EXAMPLES)
    .action(async () => {
      const { profileCommand } = await import("./profile_command.ts");
      done(await profileCommand(profile, args));
    });
  const mock = subcommand(
    program,
    "mock",
    "Serve an OpenAI-compatible server with known timing, for demos and tests",
    MOCK_OPTIONS,
  );
  mock.action(async () => {
    const { mockCommand } = await import("./mock_command.ts");
    done(await mockCommand(mock));
  });
  program.command("report <dir>")
    .description("Make the summary files of a run again, also of one that was killed")
    .exitOverride().helpOption("-h, --help", "Print this help").allowExcessArguments(false)
    .action(async (directory: string) => {
      const { reportCommand } = await import("./report_command.ts");
      done(await reportCommand(directory));
    });
  addMetricsCommands(program, done);
  const version = subcommand(
    program,
    "version",
    "Print the version, and what it was made of",
    VERSION_OPTIONS,
  );
  version.action(async () => {
    const { versionCommand } = await import("./version_command.ts");
    done(await versionCommand(version));
  });
  program.command("confinement-probe", { hidden: true })
    .description("Show what the threads of a run are held to: have each of them try something")
    .exitOverride().allowExcessArguments(false)
    .option("--url <url>", "Inference server of the run")
    .option("--metrics-url <url>", "Server whose metrics are read")
    .option("--artifact-dir <folder>", "Folder of the result files")
    .option("--control", "Let main try it before it gives up its permissions")
    .option("--attempt <kind=argument...>", "What to try (e.g. --attempt connect=host:80)")
    .action(async (options: ConfinementProbeOptions) => {
      const { confinementProbe } = await import("./confinement_probe.ts");
      done(await confinementProbe(options));
    });
  program.addHelpText(
    "after",
    "\nShell completion: inferometer complete <bash|zsh|fish|powershell>\n",
  );
  return program;
}

/** The error on one line, without the value of an unknown option: it may be a secret. */
function usageError(text: string): string {
  return text.replace(/\n\((Did you mean [^)]*)\)/, " ($1)")
    .replace(/(unknown option '--[\w-]+)=[^]*?'(?= \(Did you|\s*$)/, "$1'");
}

function subcommand(
  program: Command,
  name: string,
  description: string,
  table: OptionTable,
): Command {
  const command = program.command(name).description(description).exitOverride()
    .helpOption("-h, --help", "Print this help")
    .allowExcessArguments(false);
  return addOptions(command, table);
}

const PROFILE_EXAMPLES = `
Examples:
  inferometer profile --url localhost:8000 --streaming --concurrency 16
  inferometer profile --url localhost:8000 --streaming --request-rate 10 --benchmark-duration 60
  inferometer profile --config run.yaml --dry-run
`;

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
  if (error instanceof Deno.errors.NotCapable) {
    writeMessage("error", `The runtime does not grant what is needed: ${message}`);
    return EXIT_CODE.usage;
  }
  // A defect: its trace is wanted.
  const [first = "", ...frames] = (error instanceof Error ? error.stack ?? message : message)
    .split("\n");
  writeMessage("error", first);
  for (const frame of frames) writeError(`    ${printableText(frame, Infinity)}\n`);
  return EXIT_CODE.failed;
}
