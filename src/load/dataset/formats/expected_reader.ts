import type { Expected } from "../../../measurement/answers/expected/expected.ts";
import { readExpected } from "../../../measurement/answers/expected/read_expected.ts";
import type { InputRecord, JsonPath } from "./input_record.ts";

const UNCHECKED = "Rows have expected answers, which are not checked; use --verify answers";

/** Reads the expected answers of the rows of a file. */
export class ExpectedReader {
  readonly #areChecked: boolean;
  readonly #note: (text: string) => void;
  #hasNoted = false;

  /** @param note called once with a sentence if rows have expected answers that are not checked */
  constructor(areChecked: boolean, note: (text: string) => void) {
    this.#areChecked = areChecked;
    this.#note = note;
  }

  /**
   * Returns the answer that a row expects; undefined if it has none, or answers are not checked.
   * @param path of the row within its record
   * @param value of its field `expected`, if the record is no JSON
   * @throws {DatasetError} if it is not of a known kind
   */
  expectedOf(
    record: InputRecord,
    path: JsonPath,
    value = valueAt(record.json, [...path, "expected"]),
  ): Expected | undefined {
    if (value === undefined || value === null) return undefined;
    if (!this.#areChecked) {
      if (!this.#hasNoted) this.#note(UNCHECKED);
      this.#hasNoted = true;
      return undefined;
    }
    try {
      return readExpected(value);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw record.error(error.message, [...path, "expected"]);
    }
  }
}

/** The piece of a JSON value at a path; undefined if there is none. */
function valueAt(json: unknown, path: JsonPath): unknown {
  return path.reduce(
    (holder: unknown, name) => (holder as Record<string | number, unknown> | undefined)?.[name],
    json,
  );
}
