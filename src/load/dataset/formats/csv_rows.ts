import { pipeline, Readable } from "node:stream";
import { type CastingContext, parse } from "npm:csv-parse@7.0.3";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { ByteSource } from "./byte_source.ts";

/** A row of a table in text. */
export interface CsvRow {
  /** Values by the names of their columns. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Number of its last line, from 1. */
  readonly line: number;
  /** Makes an error about the row, or about a column, that names file and line. */
  error(message: string, column?: string): DatasetError;
}

/** Result of the parser for each row. */
interface ParsedRow {
  readonly record: Record<string, string>;
  readonly info: Pick<CastingContext, "lines">;
}

/**
 * The rows of a table in text, whose first line names the columns; fields in quotes may have line
 * ends in them.
 * @throws {DatasetError} naming the line of what cannot be read
 */
export async function* csvRows(
  file: ByteSource,
  delimiter: string,
): AsyncGenerator<CsvRow> {
  const parser = parse({
    columns: true,
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    delimiter,
    // Tables with tabs have no quoting.
    ...(delimiter === "\t" ? { quote: false as const } : {}),
  });
  const source = Readable.from(file.bytes());
  pipeline(source, parser, () => {
    // What went wrong is thrown by the loop below.
  });
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRow>) {
      yield {
        fields: record,
        line: info.lines,
        error: (message, column) =>
          new DatasetError(
            file.path,
            info.lines,
            column === undefined ? message : `${column}: ${message}`,
          ),
      };
    }
  } catch (error) {
    const { lines, code } = error as { lines?: number; code?: string };
    if (code === undefined || !code.startsWith("CSV_")) throw error;
    throw new DatasetError(file.path, lines, `Not valid CSV: ${(error as Error).message}`);
  } finally {
    source.destroy();
  }
}
