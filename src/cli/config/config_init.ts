import type { Command } from "npm:commander@15.1.0";
import { parseDocument } from "npm:yaml@2.9.1";
import { fileReason } from "../../core/files/file_reason.ts";
import { CONFIG_OPTIONS } from "../../config/options/commands/config_options.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../config/options/commands/option_tables.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import {
  configTemplate,
  configTemplates,
  DEFAULT_TEMPLATE,
  templateText,
  unknownTemplate,
} from "./config_templates.ts";
import { writeOut } from "../terminal/terminal.ts";

/** Where the file is written unless a name is given. */
const DEFAULT_FILE = "run.yaml";
/** What looks like the name of a file, and not of a template. */
const FILE = /^-$|[/\\]|\.[A-Za-z]+$/;

/**
 * Runs `inferometer config init [template] [file]`: writes a configuration file to start from.
 * @throws {UsageError} if there is no such template, or the file is there already
 */
export async function configInit(command: Command, operands: readonly string[]): Promise<void> {
  const { list, template, output } = await optionValues(command, CONFIG_OPTIONS);
  if (list === true) {
    writeOut(listOfTemplates());
    return;
  }
  const files = operands.filter((word) => FILE.test(word));
  const names = operands.filter((word) => !FILE.test(word));
  const [name = DEFAULT_TEMPLATE, secondName] = [...given(template), ...names];
  const [file = DEFAULT_FILE, secondFile] = [...given(output), ...files];
  if (secondName !== undefined) {
    throw new UsageError("TEMPLATE", `Takes one: got ${name} and ${secondName}`);
  }
  if (secondFile !== undefined) {
    throw new UsageError(undefined, `Takes one: got ${file} and ${secondFile}`);
  }
  const found = configTemplate(name);
  if (found === undefined) throw unknownTemplate(name);
  const { model, url } = await optionValues(command, PROFILE_COMMAND_OPTIONS);
  await writeNew(file, filledIn(templateText(found), { url, model }));
}

function given(value: string | undefined): string[] {
  return value === undefined ? [] : [value];
}

function listOfTemplates(): string {
  const templates = configTemplates();
  const widest = Math.max(...templates.map(({ name }) => name.length));
  return templates.map(({ name, title }) => `${name.padEnd(widest)}  ${title}\n`).join("");
}

/** A file with the user's own server and model; comments stay. */
function filledIn(
  text: string,
  values: Readonly<Record<string, readonly string[] | string | undefined>>,
): string {
  if (Object.values(values).every((value) => value === undefined)) return text;
  const document = parseDocument(text);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    document.set(name, Array.isArray(value) && value.length === 1 ? value[0] : value);
  }
  return document.toString({ lineWidth: 0 });
}

async function writeNew(path: string, text: string): Promise<void> {
  if (path === "-") {
    writeOut(text);
    return;
  }
  try {
    await Deno.writeTextFile(path, text, { createNew: true });
  } catch (error) {
    const reason = error instanceof Deno.errors.AlreadyExists
      ? "File already exists and is left unchanged"
      : fileReason(error);
    throw new UsageError(undefined, `${path}: ${reason}`);
  }
  writeOut(`Wrote ${path}; use it with: inferometer profile --config ${path}\n`);
}
