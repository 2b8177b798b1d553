import { PROFILE_COMMAND_OPTIONS } from "../options/commands/option_tables.ts";
import { flagOf, kebab, type OptionSpec, specsOf } from "../options/option.ts";

/** An option of inferometer with its values; none for a flag. */
export type OurOption = readonly [name: string, values: readonly string[]];

const ARTIFACT_DIR = "--artifact-dir";
const SPECS = specsOf(PROFILE_COMMAND_OPTIONS);

/** The row of an option of `inferometer profile` by its name or another spelling of it. */
export function ourOption(name: string): OptionSpec | undefined {
  return SPECS.find((spec) => kebab(spec.name) === name || spec.aliases?.includes(name));
}

/** Command line of inferometer while it is built, with notes about it. */
export class OurLine {
  readonly #options = new Map<string, string[]>();
  readonly #notes: string[] = [];
  readonly #told = new Set<string>();
  #variants: readonly (readonly OurOption[])[] = [[]];

  /**
   * Command lines: one, with a sweep if the other tool makes several runs. Runs that no sweep can
   * make have a line and a folder each.
   */
  get lines(): OurOption[][] {
    const swept = sweptVariants(this.#variants);
    if (swept !== undefined) return [[...this.#options, ...swept]];
    const { [ARTIFACT_DIR]: folder = ["artifacts"], ...others } = Object.fromEntries(this.#options);
    return this.#variants.map((variant, index): OurOption[] => [
      ...Object.entries(others),
      ...variant,
      [ARTIFACT_DIR, [`${folder.join("")}/run_${index + 1}`]],
    ]);
  }

  /** A sentence each. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** Whether an option of the other tool was translated or noted. */
  hasTold(theirs: string): boolean {
    return this.#told.has(theirs);
  }

  /** Marks options of the other tool that were translated. */
  took(...theirs: readonly string[]): void {
    for (const name of theirs) this.#told.add(name);
  }

  /**
   * Sets an option of inferometer; a note reports one that this version does not have, or not with
   * that value.
   * @param name in kebab case
   * @param value `true` for a flag
   * @param theirs the other tool's options that it is translated from
   */
  set(name: string, value: string | number | readonly string[] | true, ...theirs: string[]): void {
    this.took(...theirs);
    const option = ourOption(name);
    const values = value === true ? [] : typeof value === "object" ? value : [String(value)];
    const choices = option?.choices;
    const refused = choices === undefined
      ? undefined
      : values.find((one) => !choices.includes(one) && option?.synonyms?.[one] === undefined);
    if (option !== undefined && refused === undefined) {
      // Such an option takes one word.
      const isOneWord = option.single === true && values.length > 1;
      this.#options.set(flagOf(option.name), isOneWord ? [values.join(",")] : [...values]);
      return;
    }
    const what = `--${name}${refused === undefined ? "" : ` ${refused}`}`;
    const whose = theirs.length === 0 ? "what it does by default" : theirs.join(", ");
    this.#notes.push(`${whose}: no counterpart: this version has no ${what}`);
  }

  /** Adds a value to a list option of inferometer, unless the list contains it. */
  add(name: string, value: string, ...theirs: string[]): void {
    const values = this.#options.get(`--${name}`) ?? [];
    this.set(name, values.includes(value) ? values : [...values, value], ...theirs);
  }

  /** Makes several runs that differ in some options. */
  vary(variants: readonly (readonly OurOption[])[]): void {
    this.#variants = variants;
  }

  /** Tells that an option has no counterpart. */
  none(theirs: string, why: string): void {
    this.#tell(theirs, `no counterpart: ${why}`);
  }

  /** Adds a note on something that is not quite equal, or left out because it happens anyway. */
  note(theirs: string, what: string): void {
    this.#tell(theirs, what);
  }

  #tell(theirs: string, what: string): void {
    this.took(theirs);
    this.#notes.push(`${theirs}: ${what}`);
  }
}

/**
 * Options that make several runs as one sweep: their values in lists, one by one where several
 * options vary. A value that appears twice in a list is refused by sweeps: undefined then.
 */
function sweptVariants(variants: readonly (readonly OurOption[])[]): OurOption[] | undefined {
  const [first = []] = variants;
  const columns = first.map(([name]): OurOption => {
    const values = variants.map((variant) => optionText(variant, name));
    return new Set(values).size === 1 ? [name, values.slice(0, 1)] : [name, values];
  });
  const varying = columns.filter(([, values]) => values.length > 1);
  const isOne = variants.length === 1;
  if (!isOne && varying.length === 0) return undefined;
  if (varying.some(([, values]) => new Set(values).size < values.length)) return undefined;
  return [
    ...(isOne ? first : columns.map(([name, values]): OurOption => [name, [values.join(",")]])),
    ...(varying.length > 1 ? [["--sweep-type", ["zip"]] as const] : []),
  ];
}

function optionText(options: readonly OurOption[], name: string): string {
  return options.find(([one]) => one === name)?.[1].join(",") ?? "";
}
