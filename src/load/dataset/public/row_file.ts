import type { ByteSource } from "../formats/byte_source.ts";

/** File of a dataset, local or on a hub: read as a whole, or in pieces. */
export interface RowFile extends ByteSource {
  /** Returns the size of the file in bytes. */
  size(): Promise<number>;
  /** The bytes from `start` up to `end`. */
  slice(start: number, end: number): Promise<ArrayBuffer>;
}
