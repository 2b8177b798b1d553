import {
  type AsyncBuffer,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
} from "npm:hyparquet@1.31.5";
import { compressors } from "npm:hyparquet-compressors@1.1.2";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { DatasetRow } from "./dataset_row.ts";
import type { RowFile } from "./row_file.ts";

/**
 * Yields the rows of a Parquet file. One row group is held in memory at a time, with only the
 * requested columns.
 * @throws {DatasetError} if it is no Parquet file, or cannot be decoded
 */
export async function* parquetRows(
  file: RowFile,
  columns: readonly string[],
): AsyncGenerator<DatasetRow> {
  const { buffer, decoded } = await decoderOf(file);
  const metadata = await decoded(parquetMetadataAsync(buffer));
  const known = parquetSchema(metadata).children.map(({ element }) => element.name);
  const wanted = columns.filter((column) => known.includes(column));
  let rowStart = 0;
  for (const { num_rows: rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(rows);
    const read = await decoded(
      parquetReadObjects({
        file: buffer,
        metadata,
        columns: wanted.length > 0 ? wanted : known.slice(0, 1),
        rowStart,
        rowEnd,
        compressors,
        // Bytes that are not said to be text are none.
        utf8: false,
      }),
    );
    for (const [index, fields] of read.entries()) {
      const number = rowStart + index + 1;
      yield {
        fields,
        error: (message, column) =>
          new DatasetError(
            file.path,
            undefined,
            `Row ${number}: ${columnMessage(message, column, known)}`,
          ),
      };
    }
    rowStart = rowEnd;
  }
}

/** Returns the decoder of a file, whose errors describe why the file cannot be read. */
async function decoderOf(file: RowFile) {
  let unread: { readonly error: unknown } | undefined;
  const buffer: AsyncBuffer = {
    byteLength: await file.size(),
    async slice(start, end = buffer.byteLength) {
      try {
        return await file.slice(start, end);
      } catch (error) {
        unread = { error };
        throw error;
      }
    },
  };
  const decoded = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      // What the file itself could not be read for says so already.
      if (unread !== undefined) throw unread.error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new DatasetError(file.path, undefined, `Not readable as Parquet: ${reason}`);
    }
  };
  return { buffer, decoded };
}

/** A column that is missing is said by its name, with those there are. */
function columnMessage(
  message: string,
  column: string | undefined,
  known: readonly string[],
): string {
  if (column === undefined) return message;
  const others = known.includes(column) ? "" : ` (the columns are ${known.join(", ")})`;
  return `${column}: ${message}${others}`;
}
