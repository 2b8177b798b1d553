import { endingOf } from "../../../config/public_datasets/dataset_files.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import { csvRows } from "../formats/csv_rows.ts";
import type { DatasetRow } from "./dataset_row.ts";
import { jsonRows } from "./json_rows.ts";
import { parquetRows } from "./parquet_rows.ts";
import type { RowFile } from "./row_file.ts";

/** A reader of one kind of files. */
type RowReader = (file: RowFile, columns: readonly string[]) => AsyncIterable<DatasetRow>;

/** The readers by the endings of files: one for each kind. */
const READERS: Readonly<Record<string, RowReader>> = {
  "parquet": parquetRows,
  "json": jsonRows,
  "jsonl": jsonRows,
  "ndjson": jsonRows,
  "csv": (file) => csvRows(file, ","),
  "tsv": (file) => csvRows(file, "\t"),
};

/**
 * Yields the rows of a file sequentially: rows after the last one that is needed are not read.
 * @param columns that are needed; column-oriented files are read only there
 * @throws {DatasetError} if the content does not match the extension of its name
 */
export function readRows(
  file: RowFile,
  columns: readonly string[],
): AsyncIterable<DatasetRow> {
  const reader = READERS[endingOf(file.path.replace(/[?#].*$/, ""))];
  if (reader === undefined) {
    throw new DatasetError(
      file.path,
      undefined,
      `Is none of the kinds of files that are read: ${Object.keys(READERS).join(", ")}`,
    );
  }
  return reader(file, columns);
}
