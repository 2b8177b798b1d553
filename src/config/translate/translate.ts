import { nearest } from "../options/nearest.ts";
import { AIPERF_VERSION } from "../options/commands/aiperf_options.ts";
import { UsageError } from "../options/usage_error.ts";
import { type ForeignLine, readForeignLine } from "./foreign_line.ts";
import { toolTitle } from "./foreign_option.ts";
import { FOREIGN_TOOLS } from "./foreign_tools.ts";
import { INFERENCE_PERF, readInferencePerf } from "./inference_perf.ts";
import type { ForeignTool } from "./foreign_tool.ts";
import { shellWords } from "./shell_words.ts";
import { OurLine, type OurOption } from "./our_line.ts";

/** Translation of another tool's command line. */
export interface Translation {
  /** Name of the tool, and version that its table of options was made for. */
  readonly tool: string;
  /** The arguments of `inferometer` for each run of the other tool. */
  readonly lines: readonly (readonly string[])[];
  /** Notes on what has no counterpart or is not quite equal, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * Translates a command line.
 * @param given all its words: `vllm bench serve --model x`; or inference-perf's with its file; or one
 * word with all of it, as `bash -c` takes it
 * @param readText reads a configuration file
 * @throws {UsageError} for a tool that is not known, or an option that it does not have
 */
export async function translate(
  given: readonly string[],
  readText: (path: string) => Promise<string>,
): Promise<Translation> {
  const words = unwrapped(given);
  const settings = inferencePerfSettings(words);
  if (settings !== undefined) {
    const { file } = settings;
    const content = file === undefined ? "" : await readText(file);
    return translated(
      INFERENCE_PERF,
      readInferencePerf(content, file ?? "inference-perf", settings.given),
    );
  }
  // Its options are ours. A model or a folder of that name is followed by something else.
  const aiperf = words.findIndex((word, at) =>
    word.split("/").at(-1) === "aiperf" && words[at + 1] === "profile"
  );
  if (aiperf >= 0) {
    const tool = toolTitle({ name: "AIPerf", version: AIPERF_VERSION });
    return { tool, lines: [words.slice(aiperf + 1)], notes: [] };
  }
  const { tool, rest } = toolOf(words);
  return translated(tool, readForeignLine(tool, rest));
}

/** Returns the words of a command line that is contained in a single word. */
function unwrapped(words: readonly string[]): readonly string[] {
  const [first = "", second = "", third = ""] = words;
  if (words.length === 1 && /\s/.test(first.trim())) {
    const inner = shellWords(first);
    return inner.length === 1 ? inner : unwrapped(inner);
  }
  const isShell = /^(.*\/)?(ba|da|z)?sh$/.test(first) && /^-[a-z]*c$/.test(second);
  return isShell ? unwrapped([third]) : words;
}

/**
 * Returns the settings of `inference-perf --config_file FILE --server.base_url URL`, or of a file
 * given without options.
 */
function inferencePerfSettings(words: readonly string[]): InferencePerfSettings | undefined {
  const [first = ""] = words;
  if (words.length === 1 && /\.ya?ml$/.test(first)) return { file: first, given: new Map() };
  const start = words.findIndex((word) => word.split("/").at(-1) === "inference-perf");
  if (start < 0) return undefined;
  const rest = words.slice(start + 1);
  const given = new Map<string, string>();
  let file: string | undefined;
  for (let at = 0; at < rest.length; at++) {
    const [, name = "", value] = /^(--?[\w.-]+)(?:=(.*))?$/s.exec(rest[at] as string) ?? [];
    const isAlone = value === undefined && (rest[at + 1]?.startsWith("--") ?? true);
    if (name === "-c" || name === "--config_file") file = value ?? rest[++at];
    else if (name === "--log-level") at += value === undefined ? 1 : 0;
    else if (name.includes(".")) {
      given.set(name.slice(2), isAlone ? "true" : value ?? rest[++at] ?? "");
    } else {
      throw new UsageError(
        `inference-perf: ${rest[at]}`,
        "Expected --config_file, --log-level, or a setting such as --server.base_url",
      );
    }
  }
  if (file === undefined && given.size === 0) {
    throw new UsageError("inference-perf", "Expected --config_file and a file");
  }
  return { file, given };
}

interface InferencePerfSettings {
  readonly file: string | undefined;
  /** Settings of the command line by their paths, which the file does not override. */
  readonly given: ReadonlyMap<string, string>;
}

function translated(tool: ForeignTool, theirs: ForeignLine): Translation {
  const ours = new OurLine();
  tool.together(theirs, ours);
  for (const [{ names, meaning }, values] of theirs.given) {
    const name = names.find((one) => one.startsWith("--")) ?? names[0] as string;
    if (meaning === "together") {
      // Never dropped without a word, whatever a tool's rows forget.
      if (!names.some((one) => ours.hasTold(one))) {
        ours.none(name, "it has no effect with the other options");
      }
    } else if ("to" in meaning) ours.set(meaning.to, values.length === 0 ? true : values, name);
    else if ("read" in meaning) meaning.read(values, ours);
    else if ("ignored" in meaning) ours.note(name, `left out: ${meaning.ignored}`);
    else ours.none(name, meaning.unsupported);
  }
  return { tool: toolTitle(tool), lines: ours.lines.map(argumentsOf), notes: ours.notes };
}

function argumentsOf(options: readonly OurOption[]): string[] {
  return ["profile", ...options.flatMap(([flag, values]) => [flag, ...values])];
}

function toolOf(words: readonly string[]): { readonly tool: ForeignTool; readonly rest: string[] } {
  // `FOO=1 uv run /usr/bin/vllm`, `python3 -u -m sglang.bench_serving`: only what is run matters.
  const line = words.map((word) => word.split("/").at(-1) as string);
  let found: { readonly tool: ForeignTool; readonly rest: string[]; length: number } | undefined;
  for (let start = 0; start < line.length && found === undefined; start++) {
    for (const tool of FOREIGN_TOOLS) {
      for (const beginning of tool.words) {
        if (!beginning.every((word, at) => line[start + at] === word)) continue;
        if (found !== undefined && found.length >= beginning.length) continue;
        const rest = words.slice(start + beginning.length);
        found = { tool, rest, length: beginning.length };
      }
    }
  }
  if (found !== undefined) return found;
  const beginnings = FOREIGN_TOOLS.flatMap((tool) => tool.words.map((some) => some.join(" ")));
  const given = words.slice(0, 3).join(" ");
  const meant = nearest(given, beginnings);
  throw new UsageError(
    "translate",
    `Cannot translate "${given}": known are ${
      FOREIGN_TOOLS.map(({ words }) => words[0]?.join(" ")).join(", ")
    }, ` +
      `and a configuration file of inference-perf${
        meant === undefined ? "" : `; did you mean ${meant}?`
      }`,
  );
}
