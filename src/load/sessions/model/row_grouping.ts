import type { FieldChoice } from "./field_choice.ts";

/** Names of the sessions that a row of a file belongs to. */
export interface RowFacts {
  /**
   * Names of each session that has a part in the row: rows with a name in common are of one session. The
   * session's own id is one of them.
   */
  readonly sessions: readonly (readonly string[])[];
  /** Sessions come in the order of the smallest number of their rows; absent for that of the file. */
  readonly order?: number | undefined;
}

/** Finds the rows of each session in one pass, without reading what they send. */
export interface RowGrouping {
  /** Fields on which the facts of a row depend. */
  readonly fields: FieldChoice;
  /**
   * Returns the facts of a row; undefined for a header, which the reader of each session needs.
   * @param fields the chosen ones, of unchecked types; undefined if they are null or missing
   * @throws {TypeError} if a field is of another type than the reader requires
   */
  factsOf(fields: Readonly<Record<string, unknown>>): RowFacts | undefined;
  /** Returns the pairs of names that are of one session although no row has both. */
  links?(): Iterable<readonly [string, string]>;
}
