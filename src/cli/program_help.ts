import type { CliCommand } from "./cli_command.ts";

/** The help of the whole program: it fits a terminal of 80 columns and 24 rows. */
export function programHelp(commands: readonly CliCommand[]): string {
  const shown = commands.filter(({ isRare }) => isRare !== true);
  const rare = commands.filter(({ isRare }) => isRare === true).map(({ name }) => name);
  const widest = Math.max(...shown.map(({ name }) => name.length));
  return `inferometer measures LLM inference servers: load, token streams, server metrics

Usage: inferometer <command> [options]

${shown.map(({ name, description }) => `  ${name.padEnd(widest)}  ${description}`).join("\n")}
  also: ${rare.join(" ")}

Examples: 16 requests in flight, 10 requests a second, server metrics alone
  inferometer profile --url localhost:8000 --streaming --concurrency 16
  inferometer profile --url localhost:8000 --streaming --request-rate 10
  inferometer scrape localhost:8000 --duration 60s

More: inferometer <command> --help, inferometer profile --help all
`;
}
