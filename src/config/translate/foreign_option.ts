/** One row for each option of another tool: its values, and its translation. */

import type { OurLine } from "./our_line.ts";

/** Values that follow an option: nothing, one value, or any number up to the next option. */
export type Takes = "nothing" | "value" | "values";

/** Translation of an option. */
export type Meaning =
  /** Our option, in kebab case, with the same value. */
  | { readonly to: string }
  /** Something that depends on its value. */
  | { readonly read: (values: readonly string[], ours: OurLine) => void }
  /** Something that depends on others too: the tool's `together` says it. */
  | "together"
  /**
   * Option without counterpart, because it requests default behaviour or concerns only the other
   * program.
   */
  | { readonly ignored: string }
  /** No counterpart, and why. */
  | { readonly unsupported: string };

/** One option. */
export interface ForeignOption {
  /** All its spellings, the first one is shown. */
  readonly names: readonly string[];
  readonly takes: Takes;
  /** Default value of the other tool. */
  readonly default?: string;
  readonly meaning: Meaning;
}

/** The options of a tool. */
export interface ForeignOptions {
  /** Common name of the tool. */
  readonly name: string;
  /** Version of the tool that the rows were made for, or several. */
  readonly version: string;
  /** Whether a beginning of an option's name is enough, as Python's argparse has it. */
  readonly abbreviates: boolean;
  /** Whether `--option.field value` is a field of an option that takes JSON. @default false */
  readonly joinsFields?: boolean;
  /** Meaning of the words after `--`, if the tool allows any. */
  readonly behindDashes?: ForeignOption;
  readonly options: readonly ForeignOption[];
}

/** Name of a tool with its version, as messages show it. */
export function toolTitle({ name, version }: Pick<ForeignOptions, "name" | "version">): string {
  return `${name} (${version})`;
}

/** Returns an option that equals one of inferometer's. */
export function same(names: string, to: string, takes: Takes = "value"): ForeignOption {
  return { names: names.split(" "), takes, meaning: { to } };
}

/** An option whose value is read on its own. */
export function reads(
  names: string,
  read: (values: readonly string[], ours: OurLine) => void,
  takes: Takes = "value",
): ForeignOption {
  return { names: names.split(" "), takes, meaning: { read } };
}

/** An option that means something with others only. */
export function part(names: string, standard?: string, takes: Takes = "value"): ForeignOption {
  return {
    names: names.split(" "),
    takes,
    ...(standard === undefined ? {} : { default: standard }),
    meaning: "together",
  };
}

/** An option of which nothing is left to be asked for. */
export function ignored(names: string, why: string, takes: Takes = "nothing"): ForeignOption {
  return { names: names.split(" "), takes, meaning: { ignored: why } };
}

/** An option without a counterpart. */
export function unsupported(names: string, why: string, takes: Takes = "value"): ForeignOption {
  return { names: names.split(" "), takes, meaning: { unsupported: why } };
}

/** Reason why options of a dataset are not translated. */
export const UNMADE_DATASET = "the prompts of this dataset are not supported here";
