import { isMap, LineCounter, parseDocument } from "npm:yaml@2.9.1";
import { UsageError } from "./usage_error.ts";
import { meantOption } from "./meant_option.ts";
import { kebab, type OptionSpec, type OptionTable, specsOf } from "./option.ts";
import { parseValue } from "./parse_value.ts";

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
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound
      ? "File does not exist"
      : (error as Error).message;
    throw new UsageError("--config", `${path}: ${reason}`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
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
    const name = String(pair.key.value);
    const offset = pair.key.range[0];
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
    try {
      values[spec.name] = valueOf(spec, pair.value?.toJSON?.() ?? null);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      fail(offset, error.message);
    }
  }
  return values;
}

/** The parts of a YAML mapping that are read here. */
interface YamlPair {
  readonly key: { readonly value: unknown; readonly range: readonly [number, ...number[]] };
  readonly value: { toJSON?(): unknown } | null;
}

function valueOf(spec: OptionSpec, value: unknown): unknown {
  const name = kebab(spec.name);
  if (value === null || value === undefined) throw new UsageError(name, "Has no value");
  if (spec.kind === "texts") {
    const list = Array.isArray(value) ? value : [value];
    return list.map((entry) => typeof entry === "object" ? JSON.stringify(entry) : String(entry));
  }
  if (typeof value === "object") throw new UsageError(name, "Must be a single value");
  if (spec.kind === "flag" && typeof value === "boolean") return value;
  return parseValue(spec, name, String(value));
}
