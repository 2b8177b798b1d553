import type { CliCommand } from "./cli_command.ts";

/** The help of the whole program: it fits a terminal of 80 columns and 24 rows. */
export function programHelp(commands: readonly CliCommand[]): string {
  const shown = commands.filter(({ isRare }) => isRare !== true);
  const rare = commands.filter(({ isRare }) => isRare === true).map(({ name }) => name);
  const widest = Math.max(...shown.map(({ name }) => name.length));
  return `inferometer measures LLM inference servers: load, token streams, server metrics

Usage: inferometer <command> [options]

${shown.map(({ name, description }) => `  ${name.padEnd(widest)}  ${description}`).join("\n")}
  also: ${wrapped(rare)}

Examples: 16 requests in flight, 10 requests/s, server metrics without load
  inferometer profile --url localhost:8000 --streaming --concurrency 16
  inferometer profile --url localhost:8000 --streaming --request-rate 10
  inferometer scrape localhost:8000 --duration 60s

More: inferometer <command> --help, inferometer profile --help all
`;
}

/** Words in lines of 80 columns, indented below the first. */
function wrapped(words: readonly string[]): string {
  const indent = " ".repeat("  also: ".length);
  const lines: string[] = [];
  for (const word of words) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || indent.length + longer.length > 80) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.join(`\n${indent}`);
}
