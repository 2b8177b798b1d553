import { inputLines } from "./input_lines.ts";
import type { InputRecord } from "./input_record.ts";
import type { InputSource } from "./input_source.ts";
import { jsonElements } from "./json_elements.ts";

const MAX_BLANK_BYTES = 1_000_000;
const OPEN_BRACKET = 91;

/**
 * Yields the rows of a file in groups: the elements of its array, or its lines.
 * @throws {DatasetError} if they cannot be read
 */
export async function* rowRecords(source: InputSource): AsyncGenerator<InputRecord[]> {
  const head = await source.head(
    (bytes, seen) => bytes.subarray(seen).some((byte) => byte > 32),
    MAX_BLANK_BYTES,
  );
  const isArray = head.find((byte) => byte > 32 && byte < 128) === OPEN_BRACKET;
  yield* isArray ? jsonElements(source) : inputLines(source);
}
