import { parquetMetadata, parquetReadObjects, parquetSchema } from "hyparquet";
import { compressors } from "hyparquet-compressors";

/** A Parquet file as a reader sees it. */
export interface ParquetFile {
  readonly columns: readonly string[];
  /** Cells of each row by their columns; 64-bit integers are big integers. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Key-value pairs of the footer. */
  readonly metadata: ReadonlyMap<string, string>;
  /** Rows of each row group. */
  readonly rowGroups: readonly number[];
}

/** Reads a Parquet file as a whole. */
export async function readParquet(path: string): Promise<ParquetFile> {
  return await readParquetBytes((await Deno.readFile(path)).buffer);
}

/** Reads a Parquet file that is in memory. */
export async function readParquetBytes(buffer: ArrayBuffer): Promise<ParquetFile> {
  const metadata = parquetMetadata(buffer);
  return {
    columns: parquetSchema(metadata).children.map(({ element }) => element.name),
    rows: await parquetReadObjects({ file: buffer, compressors }),
    metadata: new Map(
      (metadata.key_value_metadata ?? []).map(({ key, value }) => [key, value ?? ""]),
    ),
    rowGroups: metadata.row_groups.map((group) => Number(group.num_rows)),
  };
}
