import { nearest } from "../options/nearest.ts";
import { UsageError } from "../options/usage_error.ts";
import { type ForeignOption, type ForeignOptions, toolTitle } from "./foreign_option.ts";

/** A command line of another tool, read by the rows of its options. */
export class ForeignLine {
  readonly #tool: ForeignOptions;
  readonly #given: ReadonlyMap<ForeignOption, readonly string[]>;

  constructor(tool: ForeignOptions, given: ReadonlyMap<ForeignOption, readonly string[]>) {
    this.#tool = tool;
    this.#given = given;
  }

  /** The given options with their values, in their order. */
  get given(): Iterable<readonly [ForeignOption, readonly string[]]> {
    return this.#given;
  }

  /** Whether an option is there. */
  has(name: string): boolean {
    return this.#given.has(this.#option(name));
  }

  /** Returns the values of an option; none if it is not given. */
  values(name: string): readonly string[] {
    return this.#given.get(this.#option(name)) ?? [];
  }

  /** The value of an option, or what the tool takes without it; undefined if it takes nothing. */
  value(name: string): string | undefined {
    return this.values(name).at(-1) ?? this.#option(name).default;
  }

  /**
   * Returns the value of an option as a number.
   * @throws {UsageError} if it is not a number
   */
  number(name: string): number | undefined {
    const text = this.value(name);
    if (text === undefined) return undefined;
    const number = text.toLowerCase() === "inf" ? Infinity : Number(text);
    if (text.trim() === "" || Number.isNaN(number)) {
      throw new UsageError(`${toolTitle(this.#tool)}: ${name}`, `Expected a number: got "${text}"`);
    }
    return number;
  }

  #option(name: string): ForeignOption {
    const option = this.#tool.options.find(({ names }) => names.includes(name));
    if (option === undefined) {
      throw new RangeError(`${toolTitle(this.#tool)} has no row for ${name}`);
    }
    return option;
  }
}

/**
 * Reads the words after the tool's own.
 * @throws {UsageError} for an option that the tool does not have, or one without its value
 */
export function readForeignLine(tool: ForeignOptions, words: readonly string[]): ForeignLine {
  const given = new Map<ForeignOption, string[]>();
  for (let at = 0; at < words.length;) {
    const word = words[at++] as string;
    if (word === "--" && tool.behindDashes !== undefined) {
      given.set(tool.behindDashes, words.slice(at));
      break;
    }
    if (!isOption(word)) {
      throw new UsageError(
        toolTitle(tool),
        `Unexpected argument "${word}": an option was expected here`,
      );
    }
    const equals = word.indexOf("=");
    const name = equals < 0 ? word : word.slice(0, equals);
    const [, base = "", path = ""] = /^(--[\w-]+)\.([\w.-]+)$/.exec(name) ?? [];
    if (tool.joinsFields && base !== "") {
      const text = equals >= 0 ? word.slice(equals + 1) : words[at++];
      if (text === undefined) {
        throw new UsageError(`${toolTitle(tool)}: ${name}`, "Expected a value");
      }
      const option = optionOf(tool, base);
      const whole = joined(given.get(option)?.at(-1), path.split("."), text);
      if (whole === undefined) {
        throw new UsageError(
          `${toolTitle(tool)}: ${name}`,
          `${base} has a value that has no fields`,
        );
      }
      given.set(option, [whole]);
      continue;
    }
    const option = optionOf(tool, name);
    const values = given.get(option) ?? [];
    given.delete(option);
    given.set(option, values);
    if (equals >= 0) {
      if (option.takes === "nothing") {
        throw new UsageError(`${toolTitle(tool)}: ${name}`, "Takes no value");
      }
      values.push(word.slice(equals + 1));
      continue;
    }
    if (option.takes === "nothing") continue;
    const limit = option.takes === "value" ? at + 1 : Infinity;
    const before = at;
    while (at < words.length && at < limit && !isOption(words[at] as string)) {
      values.push(words[at++] as string);
    }
    if (at === before && option.takes === "value") {
      throw new UsageError(`${toolTitle(tool)}: ${name}`, "Expected a value");
    }
  }
  return new ForeignLine(tool, given);
}

/** Returns a JSON object with one more field; undefined if the text is not a JSON object. */
function joined(
  object: string | undefined,
  path: readonly string[],
  text: string,
): string | undefined {
  const whole = object === undefined ? {} : parsed(object);
  let inner = whole;
  for (const [index, name] of path.entries()) {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return undefined;
    const fields = inner as Record<string, unknown>;
    const isLast = index === path.length - 1;
    if (isLast) fields[name] = parsed(text);
    inner = fields[name] ??= {};
  }
  return JSON.stringify(whole);
}

/** JSON, or the text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A dash before a digit begins a number. */
function isOption(word: string): boolean {
  return /^-[^\d.\s]/.test(word);
}

function optionOf(tool: ForeignOptions, word: string): ForeignOption {
  // Python programs are often called with underscores.
  const name = word.startsWith("--") ? `--${word.slice(2).replaceAll("_", "-")}` : word;
  const exact = tool.options.find(({ names }) => names.includes(name));
  if (exact !== undefined) return exact;
  const begun = tool.abbreviates && name.length > 3
    ? tool.options.filter(({ names }) => names.some((one) => one.startsWith(name)))
    : [];
  if (begun.length === 1) return begun[0] as ForeignOption;
  const meant = nearest(name, tool.options.flatMap(({ names }) => names));
  const advice = meant === undefined ? "" : `; did you mean ${meant}?`;
  throw new UsageError(`${toolTitle(tool)}: ${word}`, `This tool has no such option${advice}`);
}
