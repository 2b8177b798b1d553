import type { OptionKind, OptionRow, OptionTable } from "./option.ts";

/** The type of each kind of value. */
interface Values {
  readonly flag: boolean;
  readonly text: string;
  readonly texts: readonly string[];
  readonly number: number;
  readonly duration: number;
  readonly rate: number;
}

/** The values of a table's options as they are given; a missing one has its default. */
export type GivenOptions<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: GivenValue<Table[Name]>;
};

/** A list of which each flag gives one entry may also be that entry. */
type GivenValue<Row extends OptionRow> = Row extends { single: true } ? string | readonly string[]
  : Values[Row["kind"] & OptionKind];

/** The values of a table's options once they are checked and defaults are filled in. */
export type Settings<Table extends OptionTable> =
  & { readonly [Name in DefaultedNames<Table>]: SettingOf<Table[Name]> }
  & { readonly [Name in Exclude<keyof Table, DefaultedNames<Table>>]?: SettingOf<Table[Name]> };

/** Options that have a default value. */
type DefaultedNames<Table extends OptionTable> = {
  [Name in keyof Table]: Table[Name] extends { kind: "flag" } | { default: unknown } ? Name : never;
}[keyof Table];

type SettingOf<Row extends OptionRow> = Row extends { choices: readonly (infer Choice)[] }
  ? Row["kind"] extends "texts" ? readonly Choice[] : Choice
  : Values[Row["kind"]];
