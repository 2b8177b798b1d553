/** The declaration of an option, from which parsing, help, environment and files all derive. */

/** How an option's text becomes its value. */
export type OptionKind =
  | "flag"
  | "text"
  | "texts"
  | "number"
  /** Seconds; may be written with a unit: 500ms, 90s, 2m, 1h. */
  | "duration"
  /** Per second; may be written with a unit: 10/s, 600/m. */
  | "rate";

/** See the module's comment. */
export interface OptionSpec<Name extends string = string> {
  /** Its name in camel case, as programs use it. */
  readonly name: Name;
  readonly kind: OptionKind;
  /** One letter. */
  readonly short?: string;
  /** Other spellings, which other tools use for the same. */
  readonly aliases?: readonly string[];
  /** Heading under which help lists it. */
  readonly group: string;
  /** What it does, in one sentence without a period. */
  readonly help: string;
  /** What its value is called in help. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** The default as help shows it. */
  readonly fallback?: string;
  readonly example?: string;
  /** Variables besides `INFEROMETER_<NAME>` that set it. */
  readonly variables?: readonly string[];
}

/** `maxErrorRate` as `max-error-rate`. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The variables that set an option, the first one wins. */
export function variablesOf(spec: OptionSpec): string[] {
  const own = `INFEROMETER_${kebab(spec.name).replaceAll("-", "_").toUpperCase()}`;
  return [own, ...(spec.variables ?? [])];
}
