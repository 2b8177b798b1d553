import { pipeline, Readable } from "node:stream";
import { type CastingContext, parse } from "npm:csv-parse@7.0.3";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { DatasetRow } from "./dataset_row.ts";
import type { RowFile } from "./row_file.ts";

/** What the parser gives for each row. */
interface ParsedRow {
  readonly record: Record<string, string>;
  readonly info: Pick<CastingContext, "lines">;
}

/**
 * The rows of a table in text, whose first line names the columns; fields in quotes may have line
 * ends in them.
 * @throws {DatasetError} naming the line of what cannot be read
 */
export async function* csvRows(file: RowFile, delimiter: string): AsyncGenerator<DatasetRow> {
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
