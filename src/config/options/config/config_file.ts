import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from "npm:yaml@2.9.1";
import { readFile, ReadFileError, utf8Text } from "../../../core/files/read_file.ts";
import { ConfigExpressions } from "./config_expressions.ts";
import { modelOptions } from "./config_models.ts";
import { environmentVariable } from "../environment_variable.ts";
import { UsageError } from "../usage_error.ts";
import { meantOption } from "../meant_option.ts";
import { kebab, type OptionSpec, type OptionTable, specsOf } from "../option.ts";
import { homePath } from "../home_path.ts";
import { isSweepable, parseValue } from "../parse_value.ts";

/** Every option at length has some 20 kB; parsing takes a hundred times the memory. */
const MAX_BYTES = 1_000_000;

/** Values of options by their names in camel case. */
export type OptionValues = Record<string, unknown>;

/** The entry that is no option: values for expressions. */
const VARIABLES = "variables";
/** The entries whose value may give the weight of each model. */
const MODELS: ReadonlySet<string> = new Set(["model", "models"]);
/** Top-level sections of AIPerf's files. */
const AIPERF_SECTIONS: ReadonlySet<string> = new Set([
  ...["benchmark", "sweep", "multi_run", "multiRun", "schema_version", "schemaVersion"],
]);

/**
 * Reads options from a YAML file: a mapping of option names (with `-`, `_` or in camel case) to
 * values. Values may be written as on the command line; see {@linkcode ConfigExpressions} for
 * expressions, and {@linkcode homePath} for paths that begin with `~`.
 * @param variable reads a variable of the environment
 * @throws {UsageError} with file, line and column of what cannot be used
 */
export async function readConfigFile(
  path: string,
  table: OptionTable,
  variable: (name: string) => string | undefined = environmentVariable,
): Promise<OptionValues> {
  const file: ConfigFile = new ConfigFile(path, await readText(path), variable);
  const entries = file.entries();
  for (const [name, pair] of entries) {
    if (name === VARIABLES) await file.define(pair);
  }
  const specs = specsOf(table).filter(({ inFile }) => inFile !== false);
  const values: OptionValues = {};
  const checkUnset = (pair: YamlPair, name: string): void => {
    if (Object.hasOwn(values, name)) file.fail(pair, `"${kebab(name)}" is set twice`);
  };
  for (const [name, pair] of entries) {
    if (name === VARIABLES) continue;
    if (table["model"] !== undefined && MODELS.has(name)) {
      const models = await file.read(pair, modelOptions);
      for (const key of Object.keys(models ?? {})) checkUnset(pair, key);
      Object.assign(values, models);
      if (models !== undefined) continue;
    }
    const spec = specs.find((spec) => isCalled(spec, name));
    if (spec === undefined) return file.fail(pair, unknownOption(name, table));
    checkUnset(pair, spec.name);
    file.checkQuotes(pair, spec.name);
    const isText = spec.kind === "text" || spec.kind === "texts";
    const value = await file.read(pair, (value) => valueOf(spec, value), isText);
    values[spec.name] = homePath(spec, value, variable);
  }
  return values;
}

/** The entries of a file; errors give the position of the entry. */
class ConfigFile {
  readonly #path: string;
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #document: ReturnType<typeof parseDocument>;
  readonly #filled: ConfigExpressions;

  constructor(path: string, text: string, variable: (name: string) => string | undefined) {
    this.#path = path;
    this.#text = text;
    this.#filled = new ConfigExpressions(variable);
    this.#document = parsed(path, text, this.#lines);
    const [problem] = this.#document.errors;
    if (problem?.code === "MULTIPLE_DOCS") {
      this.#failAt(problem.pos[0], "A second document begins: a file is one, without a line ---");
    }
    if (problem !== undefined) {
      this.#failAt(problem.pos[0], problem.message.split("\n")[0] as string);
    }
  }

  entries(): [name: string, pair: YamlPair][] {
    const root: unknown = this.#document.contents;
    if (root === null) return [];
    if (!isMap(root)) return this.#failAt(0, "Must be a mapping of options to values");
    const pairs = root.items as unknown as YamlPair[];
    return pairs.map((pair) => {
      const word = isScalar(pair.key) ? pair.key.value : undefined;
      if (word === undefined || word === null) {
        return this.fail(pair, "An option's name must be a word");
      }
      return [String(word), pair];
    });
  }

  /** Takes variables that expressions may name. */
  async define(pair: YamlPair): Promise<void> {
    await this.#attempt(pair, () => this.#filled.define(this.#valueIn(pair)));
  }

  /**
   * Returns the result of reading a value with its expressions filled in.
   * @param isText whether a word stays as written, though it may look like a number
   */
  async read<Result>(
    pair: YamlPair,
    make: (value: unknown) => Result,
    isText = false,
  ): Promise<Result> {
    return await this.#attempt(pair, () => {
      const value = isText ? this.#written(pair) : this.#valueIn(pair);
      return make(this.#filled.fill(value));
    });
  }

  /** Checks that an expression has quotes: without them, YAML reads a mapping in it. */
  checkQuotes({ value }: YamlPair, name: string): void {
    const start = value?.range?.[0];
    if (start === undefined || !this.#text.startsWith("{{", start)) return;
    this.#failAt(start, `${kebab(name)}: An expression stands in quotes: "{{ ... }}"`);
  }

  /** Throws an error about an entry. */
  fail({ key }: YamlPair, message: string): never {
    return this.#failAt(key?.range?.[0] ?? 0, message);
  }

  #failAt(offset: number, message: string): never {
    const { line, col } = this.#lines.linePos(offset);
    throw new UsageError("--config", `${this.#path}:${line}:${col}: ${message}`);
  }

  /**
   * Runs an action, and reports parser errors about aliases and values that cannot be filled in.
   */
  async #attempt<Result>(pair: YamlPair, act: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await act();
    } catch (error) {
      const { message } = error as Error;
      const start = pair.value?.range?.[0];
      return start === undefined ? this.fail(pair, message) : this.#failAt(start, message);
    }
  }

  #valueIn({ value }: YamlPair): unknown {
    return value?.toJS?.(this.#document) ?? null;
  }

  /** A text, or a list of texts: `0012` is no 12, nor is a commit called `12e3` the number 12000. */
  #written(pair: YamlPair): unknown {
    // First of all, for it refuses aliases that lead to too much.
    const value = this.#valueIn(pair);
    const { value: node } = pair;
    if (!Array.isArray(value) || !isSeq<Node>(node)) return this.#wordOf(node) ?? value;
    return value.map((entry, index) => this.#wordOf(node.items[index]) ?? entry);
  }

  /** Returns a number as it is written in the file; undefined for any other node. */
  #wordOf(node: unknown): string | undefined {
    const meant = isAlias(node) ? node.resolve(this.#document) : node;
    return isScalar(meant) && typeof meant.value === "number" ? meant.source : undefined;
  }
}

/** Whether an entry is that of an option. */
function isCalled(spec: OptionSpec, name: string): boolean {
  return spec.name === name || (name === "models" && spec.name === "model") ||
    [kebab(spec.name), ...(spec.aliases ?? [])].includes(name.replaceAll("_", "-"));
}

function unknownOption(name: string, table: OptionTable): string {
  if (AIPERF_SECTIONS.has(name)) {
    return `"${name}" is a section of AIPerf's files: here options are top-level keys with ` +
      "their names on the command line (inferometer config init)";
  }
  const known = specsOf(table).find((spec) => isCalled(spec, name));
  if (known !== undefined) {
    return `"${kebab(known.name)}": ${known.refused ?? "Is supported on the command line only"}`;
  }
  const meant = meantOption(name, table);
  return `Unknown option "${name}"` +
    (meant === undefined ? "" : `, did you mean "${kebab(meant.name)}"?`);
}

async function readText(path: string): Promise<string> {
  try {
    return utf8Text(await readFile(path, { maxBytes: MAX_BYTES, pipes: true }));
  } catch (error) {
    if (!(error instanceof ReadFileError)) throw error;
    throw new UsageError("--config", `${path}: ${error.message}`);
  }
}

/** The parser runs out of stack where lists are nested by the thousand. */
function parsed(path: string, text: string, lines: LineCounter): ReturnType<typeof parseDocument> {
  try {
    return parseDocument(text, { lineCounter: lines, prettyErrors: false });
  } catch (error) {
    throw new UsageError("--config", `${path}: Not valid YAML: ${(error as Error).message}`);
  }
}

/** The parts of a YAML mapping that are read here. */
interface YamlPair {
  readonly key: { readonly range?: readonly [number, ...number[]] | null } | null;
  readonly value: {
    readonly range?: readonly [number, ...number[]] | null;
    toJS?(document: unknown): unknown;
  } | null;
}

function valueOf(spec: OptionSpec, value: unknown): unknown {
  const name = kebab(spec.name);
  if (value === null || value === undefined) throw new UsageError(name, "Has no value");
  if (spec.kind === "texts") {
    const list = Array.isArray(value) ? value : [value];
    return list.map((entry) => typeof entry === "object" ? JSON.stringify(entry) : String(entry));
  }
  if (isSweepable(spec) && Array.isArray(value) && value.length > 0) {
    return value.map((entry) => parseValue(spec, name, String(entry)));
  }
  if (typeof value === "object" && spec.json) return JSON.stringify(value);
  if (typeof value === "object") throw new UsageError(name, "Must be a single value");
  if (spec.kind === "flag" && typeof value === "boolean") return value;
  return parseValue(spec, name, String(value));
}
