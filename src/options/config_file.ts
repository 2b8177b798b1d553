import { isMap, isScalar, LineCounter, parseDocument } from "npm:yaml@2.9.1";
import { readFile, ReadFileError, utf8Text } from "../files/read_file.ts";
import { UsageError } from "./usage_error.ts";
import { meantOption } from "./meant_option.ts";
import { kebab, type OptionSpec, type OptionTable, specsOf } from "./option.ts";
import { isSweepable, parseValue } from "./parse_value.ts";

/** Every option at length has some 20 kB; parsing takes a hundred times the memory. */
const MAX_BYTES = 1_000_000;

/** Values of options by their names in camel case. */
export type OptionValues = Record<string, unknown>;

/**
 * Reads options from a YAML file: a mapping of option names (with `-`, `_` or in camel case) to
 * values. Values may be written as on the command line.
 * @throws {UsageError} with file and line of what cannot be used
 */
export async function readConfigFile(
  path: string,
  table: OptionTable,
): Promise<OptionValues> {
  const specs = specsOf(table).filter(({ inFile }) => inFile !== false);
  const text = await readText(path);
  const lines = new LineCounter();
  const document = parsed(path, text, lines);
  const fail = (offset: number, message: string): never => {
    throw new UsageError("--config", `${path}:${lines.linePos(offset).line}: ${message}`);
  };
  const [problem] = document.errors;
  if (problem !== undefined) fail(problem.pos[0], problem.message.split("\n")[0] as string);
  const root: unknown = document.contents;
  if (root === null) return {};
  if (!isMap(root)) return fail(0, "Must be a mapping of options to values");
  const values: OptionValues = {};
  for (const pair of root.items as unknown as YamlPair[]) {
    const offset = pair.key?.range?.[0] ?? 0;
    const word = isScalar(pair.key) ? pair.key.value : undefined;
    if (word === undefined || word === null) fail(offset, "An option's name must be a word");
    const name = String(word);
    const spec = specs.find((spec) =>
      spec.name === name || [kebab(spec.name), ...(spec.aliases ?? [])].includes(
        name.replaceAll("_", "-"),
      )
    );
    if (spec === undefined) {
      const meant = meantOption(name, table);
      fail(
        offset,
        `Unknown option "${name}"` +
          (meant === undefined ? "" : `, did you mean "${kebab(meant.name)}"?`),
      );
      continue;
    }
    if (Object.hasOwn(values, spec.name)) fail(offset, `"${kebab(spec.name)}" is set twice`);
    try {
      values[spec.name] = valueOf(spec, pair.value?.toJS?.(document) ?? null);
    } catch (error) {
      // What the parser says of aliases that lead nowhere, or to too much.
      fail(offset, (error as Error).message);
    }
  }
  return values;
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
    return parseDocument(text, { lineCounter: lines });
  } catch (error) {
    throw new UsageError("--config", `${path}: Not valid YAML: ${(error as Error).message}`);
  }
}

/** The parts of a YAML mapping that are read here. */
interface YamlPair {
  readonly key: { readonly range?: readonly [number, ...number[]] | null } | null;
  readonly value: { toJS?(document: unknown): unknown } | null;
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
  if (typeof value === "object") throw new UsageError(name, "Must be a single value");
  if (spec.kind === "flag" && typeof value === "boolean") return value;
  return parseValue(spec, name, String(value));
}
