/**
 * A column of a row group on its way into a Parquet file.
 *
 * The writer package goes through each value of a column again and again; where billions of rows are
 * written, that is most of the work. Its encoders and its compression are used here on columns whose
 * values are numbers already: their bytes as they are, or numbers of entries of a dictionary.
 */

import type { ColumnChunk, Encoding, PageHeader, SchemaElement } from "npm:hyparquet@1.31.5";
import { ByteWriter } from "npm:hyparquet-writer@0.17.0";
import { writePageHeader } from "npm:hyparquet-writer@0.17.0/src/datapage.js";
import { writeRleBitPackedHybrid } from "npm:hyparquet-writer@0.17.0/src/encoding.js";
import { snappyCompress } from "npm:hyparquet-writer@0.17.0/src/snappy.js";

/** Values of a column, encoded as Parquet does it in a plain page. */
export interface PlainValues {
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** Distinct values of a column, and the index of the value of each row that has one. */
export interface DictionaryValues {
  readonly entries: PlainValues;
  readonly indexes: Int32Array;
}

/** A value as it is stored. */
type Stored = number | bigint | Uint8Array;

/** A column of a row group. */
export interface ColumnContent {
  readonly element: SchemaElement;
  readonly rows: number;
  /** 1 for each row with a value, 0 for one without. */
  readonly present: Uint8Array;
  readonly values: PlainValues | DictionaryValues;
  /** The least and the greatest value; undefined if no row has one. */
  readonly range: readonly [min: Stored, max: Stored] | undefined;
}

/** Writes a column; returns its entry for the file's footer. */
export function writeParquetChunk(writer: ByteWriter, content: ColumnContent): ColumnChunk {
  const { element, rows, present, values, range } = content;
  const start = writer.offset;
  let size = 0;
  const encoding: Encoding = "entries" in values ? "RLE_DICTIONARY" : "PLAIN";
  let dictionaryStart: bigint | undefined;
  if ("entries" in values) {
    const { entries } = values;
    dictionaryStart = BigInt(start);
    size += writePage(writer, NO_BYTES, entries.bytes, {
      type: "DICTIONARY_PAGE",
      dictionary_page_header: { num_values: entries.count, encoding: "PLAIN" },
    });
  }
  const { bytes: body, count } = "entries" in values ? indexValues(values) : values;

  const levels = new ByteWriter();
  if (element.repetition_type === "OPTIONAL") {
    writeRleBitPackedHybrid(levels, present, 1);
  }
  const dataStart = BigInt(writer.offset);
  size += writePage(writer, levels.getBytes(), body, {
    type: "DATA_PAGE_V2",
    data_page_header_v2: {
      num_values: rows,
      num_nulls: rows - count,
      num_rows: rows,
      encoding,
      definition_levels_byte_length: levels.offset,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  });
  return {
    file_offset: BigInt(start),
    meta_data: {
      type: element.type as NonNullable<SchemaElement["type"]>,
      encodings: encoding === "PLAIN" ? ["PLAIN"] : ["PLAIN", encoding],
      path_in_schema: [element.name],
      codec: "SNAPPY",
      num_values: BigInt(rows),
      total_compressed_size: BigInt(writer.offset - start),
      total_uncompressed_size: BigInt(size),
      data_page_offset: dataStart,
      ...(dictionaryStart === undefined ? {} : { dictionary_page_offset: dictionaryStart }),
      statistics: {
        ...(range === undefined ? {} : { min_value: range[0], max_value: range[1] }),
        ...(element.type === "DOUBLE" ? { nan_count: 0n } : {}),
        null_count: BigInt(rows - count),
      },
      encoding_stats: [
        ...(encoding === "PLAIN"
          ? []
          : [{ page_type: "DICTIONARY_PAGE", encoding: "PLAIN", count: 1 } as const]),
        { page_type: "DATA_PAGE_V2", encoding, count: 1 },
      ],
    },
  };
}

const NO_BYTES = new Uint8Array(0);

/** Returns the dictionary indexes of the rows in the encoding of a page. */
function indexValues({ entries, indexes }: DictionaryValues): PlainValues {
  const width = Math.ceil(Math.log2(entries.count));
  const page = new ByteWriter();
  page.appendUint8(width);
  writeRleBitPackedHybrid(page, indexes, width);
  return { count: indexes.length, bytes: page.getBytes() };
}

/** Writes a page; returns its length before compression, the header included. */
function writePage(
  writer: ByteWriter,
  levels: Uint8Array,
  body: Uint8Array,
  header: Omit<PageHeader, "compressed_page_size" | "uncompressed_page_size">,
): number {
  const packed = snappyCompress(body);
  const start = writer.offset;
  writePageHeader(writer, {
    ...header,
    uncompressed_page_size: levels.length + body.length,
    compressed_page_size: levels.length + packed.length,
  });
  const headerSize = writer.offset - start;
  writer.appendBytes(levels);
  writer.appendBytes(packed);
  return headerSize + levels.length + body.length;
}
