/**
 * One row for every option. Its type, its default, parsing, help, variables, the configuration file,
 * checks, JSON Schema, completion and the page `docs/options.md` all derive from the row.
 */

import type { OptionSecret } from "../../core/secrets/redacted_option.ts";

/** How an option's text becomes its value. */
export type OptionKind =
  /** False unless it is given. */
  | "flag"
  | "text"
  | "texts"
  | "number"
  /** Seconds; may be written with a unit: 500ms, 90s, 2m, 1h. */
  | "duration"
  /** Per second; may be written with a unit: 10/s, 600/m. */
  | "rate";

/** Completion that a shell offers for a value. */
export type Completes = "file" | "folder";

/** Definition of an option. */
export type OptionRow =
  & OptionFacts
  & (
    | { readonly kind: "flag" }
    | { readonly kind: "text"; readonly default?: string }
    | { readonly kind: "texts"; readonly default?: readonly string[] }
    | NumberFacts
  );

/** Properties of a number option; it always has a range. */
export interface NumberFacts {
  readonly kind: "number" | "duration" | "rate";
  readonly min: number;
  readonly max: number;
  readonly default?: number;
}

/** Optional properties of any option. */
interface OptionFacts {
  /** Heading under which help lists it. */
  readonly group: string;
  /** Help text in one sentence without a period. */
  readonly help: string;
  /** Whether the configuration file to start from lists it. */
  readonly common?: true;
  /**
   * Text of one line in the short help of a command with many options, which lists only options that
   * have one.
   */
  readonly brief?: string;
  /** Accepted, but not shown. */
  readonly hidden?: true;
  /** One letter. */
  readonly short?: string;
  /** Other spellings, which other tools use for the same. */
  readonly aliases?: readonly string[];
  /** Names in other tools, if not known here: an error suggests the right one. */
  readonly mistakenFor?: readonly string[];
  /** Variables besides `INFEROMETER_<NAME>` that set it. */
  readonly variables?: readonly string[];
  /** Whether a configuration file may set it; true where it is missing. */
  readonly inFile?: false;
  /** Name of the value in help; the unit if missing. */
  readonly value?: string;
  /** Kind of path that the value names. */
  readonly completes?: Completes;
  /** Unit of the number. */
  readonly unit?: string;
  /** The smallest number itself is not allowed. */
  readonly exclusive?: true;
  /** Only whole numbers. */
  readonly integer?: true;
  /** Several values, with commas between, make a run of each. */
  readonly sweeps?: true;
  /** Infinity, written `inf`, means that there is no limit. */
  readonly unlimited?: true;
  /** The allowed values; a list may hold several of them. */
  readonly choices?: readonly string[];
  /** Values that a shell offers, where there are others too. */
  readonly suggestions?: readonly string[];
  /** Other tools' words for choices. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /**
   * Whether entries of the list contain no spaces, so that spaces and commas may separate them.
   */
  readonly words?: true;
  /** Whether the text may be JSON, which a configuration file may write as lists and mappings. */
  readonly json?: true;
  /**
   * Whether the option may have no value; it then has its {@linkcode bareValue}, or requests the default
   * behaviour and is ignored.
   */
  readonly mayBeBare?: true;
  /**
   * The value that it has without one. Another is given after `=` only, never as the next word, except
   * with {@linkcode mayBeBare}.
   */
  readonly bareValue?: string;
  /** Each flag gives one entry of the list, and a program may give one without a list. */
  readonly single?: true;
  /** The value where none is given; missing where it depends on others. */
  readonly default?: string | number | readonly string[];
  /** The default as text, if the value does not show it. */
  readonly defaultText?: string;
  /** Options of which one must be given together with this one. */
  readonly needs?: readonly string[];
  /** Options that must not be given together with this one. */
  readonly excludes?: readonly string[];
  /** Why it is known and refused. */
  readonly refused?: string;
  /**
   * Values that are known and refused, in lower case with hyphens, and why; others that begin so are,
   * too.
   */
  readonly refusedValues?: Readonly<Record<string, string>>;
  /** Whether the option is accepted for compatibility with AIPerf and has no effect. */
  readonly noEffect?: true;
  /** Whether the option requests the default behaviour: no code reads it. */
  readonly restatesDefault?: true;
  /** Where a secret may be in its value, which no error shows then. */
  readonly secret?: OptionSecret;
  readonly example?: string;
}

/** The options of a command by their names in camel case, in the order in which help shows them. */
export type OptionTable = Readonly<Record<string, OptionRow>>;

/** A row with its name, in camel case, as programs use it. */
export type OptionSpec = OptionRow & { readonly name: string };

/** Tables are asked for again and again. */
const specsByTable = new WeakMap<OptionTable, readonly OptionSpec[]>();

/** The rows of a table with their names. */
export function specsOf(table: OptionTable): readonly OptionSpec[] {
  let specs = specsByTable.get(table);
  if (specs === undefined) {
    specs = Object.entries(table).map(([name, row]) => ({ name, ...row }));
    specsByTable.set(table, specs);
  }
  return specs;
}

const kebabs = new Map<string, string>();

/** `maxErrorRate` as `max-error-rate`, `on429` as `on-429`. */
export function kebab(name: string): string {
  let kebab = kebabs.get(name);
  if (kebab === undefined) {
    // A letter before the digit makes a word with it, as in e2e.
    kebab = name.replace(/[A-Z]|(?<=[a-z]{2})\d/g, (first) => `-${first.toLowerCase()}`);
    kebabs.set(name, kebab);
  }
  return kebab;
}

/** How an option is written on the command line. */
export function flagOf(name: string): string {
  return `--${kebab(name)}`;
}

/** The variables that set an option, the first one wins. */
export function variablesOf({ name, variables = [] }: OptionSpec): string[] {
  return [`INFEROMETER_${kebab(name).replaceAll("-", "_").toUpperCase()}`, ...variables];
}

/** Returns the placeholder for the value of an option, `<seconds>`; empty if it takes none. */
export function placeholderOf({ kind, value, unit, single }: OptionRow): string {
  if (kind === "flag") return "";
  return `<${value ?? unit ?? "value"}${kind === "texts" && !single ? "..." : ""}>`;
}

/** The default as people read it; undefined if there is none. */
export function defaultTextOf(row: OptionRow): string | undefined {
  if (row.defaultText !== undefined) return row.defaultText;
  if (row.default === undefined) return undefined;
  return typeof row.default === "object" ? row.default.join(" ") : String(row.default);
}
