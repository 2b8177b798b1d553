import type { Command } from "npm:commander@15.1.0";
import { addOptions } from "./build_command.ts";
import { PARSE_OPTIONS } from "../options/parse_options.ts";
import { REPLAY_OPTIONS, SCRAPE_OPTIONS } from "../options/scrape_options.ts";

/** Adds the commands about server metrics. `done` gets their exit codes. */
export function addMetricsCommands(program: Command, done: (exitCode: number) => void): void {
  const scrape = command(
    program,
    "scrape <url...>",
    "Collect the metrics of servers under existing traffic",
  );
  addOptions(scrape, SCRAPE_OPTIONS).addHelpText("after", SCRAPE_EXAMPLES);
  scrape.action(async (urls: string[]) => {
    const { scrapeCommand } = await import("./scrape_command.ts");
    done(await scrapeCommand(scrape, urls));
  });
  const replay = command(
    program,
    "replay <file>",
    "Make the server metrics' files again from pages kept with --record",
  );
  addOptions(replay, REPLAY_OPTIONS).action(async (file: string) => {
    const { replayCommand } = await import("./replay_command.ts");
    done(await replayCommand(replay, file));
  });
  const parse = command(
    program,
    "parse <file>",
    "Print what a metrics page says, as JSON (- is standard input)",
  );
  addOptions(parse, PARSE_OPTIONS).action(async (file: string) => {
    const { parseCommand } = await import("./parse_command.ts");
    done(await parseCommand(parse, file));
  });
  command(program, "schema [name]", "Print the JSON Schemas of the files, or that of one")
    .action(async (name: string | undefined) => {
      const { schemaCommand } = await import("./schema_command.ts");
      done(schemaCommand(name));
    });
}

function command(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).exitOverride()
    .helpOption("-h, --help", "Print this help").allowExcessArguments(false);
}

const SCRAPE_EXAMPLES = `
Examples:
  inferometer scrape localhost:8000 --duration 60s
  inferometer scrape node1:8002 node2:8002 --interval 1s --artifact-dir metrics
`;
