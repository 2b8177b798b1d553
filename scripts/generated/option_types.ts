/** The types of the library's options, made from the tables. */

import {
  type OptionKind,
  type OptionRow,
  type OptionTable,
  specsOf,
} from "../../src/config/options/option.ts";
import { AGENT_OPTIONS } from "../../src/config/options/profile/agent_options.ts";
import { DATA_OPTIONS, PROFILE_OPTIONS } from "../../src/config/options/profile/profile_options.ts";
import {
  METRICS_FILE_OPTIONS,
  SCRAPING_OPTIONS,
  SERVER_METRICS_OPTIONS,
} from "../../src/config/options/profile/server_metrics_options.ts";

const NOTICE = "// Made from the option tables by scripts/build_generated.ts, not by hand.\n";

/** Width of a line of code. */
const WIDTH = 100;

/** What stands in `src/config/options/profile/profile_types.ts`. */
export function profileTypes(): string {
  return [
    NOTICE,
    'import type { AgentOptions } from "./agent_types.ts";\n' +
    'import type { PromptOptions } from "./prompt_types.ts";\n' +
    'import type { ServerMetricsOptions } from "./server_metrics_types.ts";\n',
    interfaceText(
      "ProfileOptions extends PromptOptions, AgentOptions, ServerMetricsOptions",
      "The options of a benchmark, as the command line, the environment, a configuration file or a " +
        "program gives them. Names are those of the command line in camel case; a missing option " +
        "has its default.",
      without(PROFILE_OPTIONS, { ...DATA_OPTIONS, ...AGENT_OPTIONS, ...SERVER_METRICS_OPTIONS }),
    ),
  ].join("\n");
}

/** What stands in `src/config/options/profile/prompt_types.ts`. */
export function promptTypes(): string {
  return [
    NOTICE,
    interfaceText("PromptOptions", "Options of a benchmark's prompts.", DATA_OPTIONS),
  ].join("\n");
}

/** What stands in `src/config/options/profile/agent_types.ts`. */
export function agentTypes(): string {
  return [
    NOTICE,
    interfaceText("AgentOptions", "Options of recorded agent sessions.", AGENT_OPTIONS),
  ].join("\n");
}

/** What stands in `src/config/options/profile/server_metrics_types.ts`. */
export function serverMetricsTypes(): string {
  return [
    NOTICE,
    interfaceText(
      "MetricsFileOptions",
      "Options of what is computed and written of server metrics.",
      METRICS_FILE_OPTIONS,
    ),
    interfaceText(
      "ScrapeOptions extends MetricsFileOptions",
      "Options of scraping.",
      without(SCRAPING_OPTIONS, METRICS_FILE_OPTIONS),
    ),
    interfaceText(
      "ServerMetricsOptions extends ScrapeOptions",
      "Options of a benchmark's server metrics.",
      without(SERVER_METRICS_OPTIONS, SCRAPING_OPTIONS),
    ),
  ].join("\n");
}

/** The rows of a table that another one lacks. */
function without(table: OptionTable, other: OptionTable): OptionTable {
  return Object.fromEntries(Object.entries(table).filter(([name]) => !(name in other)));
}

function interfaceText(head: string, description: string, table: OptionTable): string {
  const fields = specsOf(table).map((spec) =>
    `${comment(meaningOf(spec), defaultOf(spec), "  ")}  readonly ${spec.name}?: ${
      spec.single ? `string | ${TYPES[spec.kind]}` : TYPES[spec.kind]
    };\n`
  );
  return `${comment(description, "", "")}export interface ${head} {\n${fields.join("")}}\n`;
}

const TYPES: Readonly<Record<OptionKind, string>> = {
  "flag": "boolean",
  "text": "string",
  "texts": "readonly string[]",
  "number": "number",
  "duration": "number",
  "rate": "number",
};

function meaningOf({ help, unit }: OptionRow): string {
  const isSaid = unit === undefined || help.toLowerCase().includes(unit);
  return isSaid ? `${help}.` : `${help}. In ${unit}.`;
}

function defaultOf(row: OptionRow): string {
  const value = row.kind === "flag" ? false : row.default;
  const text = row.defaultText ?? JSON.stringify(value);
  return text === undefined ? "" : `@default ${text}`;
}

/** A comment, in one line where it fits. */
function comment(text: string, tag: string, indent: string): string {
  const line = `${indent}/** ${`${text} ${tag}`.trim()} */\n`;
  if (line.length <= WIDTH + 1) return line;
  const start = `${indent} * `;
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > WIDTH) lines.push(start + word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  if (tag !== "") lines.push(start + tag);
  return `${indent}/**\n${lines.join("\n")}\n${indent} */\n`;
}
