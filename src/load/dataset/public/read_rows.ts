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
 * The rows of a file, one after the other: what is behind the last one that is wanted is not read.
 * @param columns that are wanted; files that have them apart are read only there
 * @throws {DatasetError} if it is not what its name says
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
