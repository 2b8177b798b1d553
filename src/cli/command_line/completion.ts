import {
  flagOf,
  kebab,
  type OptionSpec,
  type OptionTable,
  specsOf,
} from "../../config/options/option.ts";
import type { CliCommand } from "./cli_command.ts";

/** Completions that a shell offers for the word under the cursor. */
export interface Completion {
  /** Words with what they mean; the shell leaves out those that do not fit. */
  readonly words: readonly (readonly [word: string, meaning: string])[];
  /** What else fits: names of files, of folders, or nothing. */
  readonly files: "file" | "folder" | "none";
}

const NOTHING: Completion = { words: [], files: "none" };

/**
 * Returns the possible completions of the last word of a command line.
 * @param words after the program's name; the last one is not complete, and may be empty
 */
export async function completionOf(
  words: readonly string[],
  commands: readonly CliCommand[],
): Promise<Completion> {
  const last = words.at(-1) ?? "";
  if (words.length < 2) {
    return wordsOnly(commands.map(({ name, description }) => [name, description]));
  }
  const command = commands.find(({ name }) => name === words[0]);
  if (command === undefined) return NOTHING;
  const { table = {} } = command;
  const [, flag] = /^(--[^=]+)=/.exec(last) ?? [];
  if (flag !== undefined) {
    const { words, files } = valuesOf(optionOf(flag, table));
    return { words: words.map(([word, meaning]) => [`${flag}=${word}`, meaning]), files };
  }
  if (last.startsWith("-")) return wordsOnly(flagsOf(table));
  const option = openOption(words.slice(1, -1), table);
  if (option !== undefined) return valuesOf(option);
  return await operandsOf(command, words.slice(1, -1));
}

function wordsOnly(words: Completion["words"]): Completion {
  return { words, files: "none" };
}

function flagsOf(table: OptionTable): Completion["words"] {
  const shown = specsOf(table).filter(({ hidden }) => !hidden);
  return [...shown.map(({ name, help }) => [flagOf(name), help] as const), [
    "--help",
    "Print this help",
  ]];
}

/** The option that takes the next word. */
function openOption(words: readonly string[], table: OptionTable): OptionSpec | undefined {
  const place = words.findLastIndex((word) => word.startsWith("-"));
  const spec = place < 0 ? undefined : optionOf(words[place] as string, table);
  if (spec === undefined || spec.kind === "flag") return undefined;
  const isList = spec.kind === "texts" && !spec.single;
  return isList || place === words.length - 1 ? spec : undefined;
}

function optionOf(word: string, table: OptionTable): OptionSpec | undefined {
  const name = word.replace(/^--?/, "").replaceAll("_", "-");
  return specsOf(table).find((spec) =>
    word.startsWith("--")
      ? [kebab(spec.name), ...spec.aliases ?? []].includes(name)
      : spec.short === name
  );
}

function valuesOf(spec: OptionSpec | undefined): Completion {
  return {
    words: (spec?.choices ?? spec?.suggestions ?? []).map((choice) => [choice, ""]),
    files: spec?.completes ?? "none",
  };
}

async function operandsOf(
  { completes }: CliCommand,
  before: readonly string[],
): Promise<Completion> {
  if (completes === undefined) return NOTHING;
  const found = typeof completes === "function" ? await completes(before) : completes;
  if (typeof found === "string") return { words: [], files: found };
  return wordsOnly(found.map((word) => [word, ""]));
}
