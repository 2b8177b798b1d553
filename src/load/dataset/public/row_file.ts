import type { ByteSource } from "../formats/byte_source.ts";

/** A file of a data set, here or on a hub: read in one go, or in pieces. */
export interface RowFile extends ByteSource {
  /** Its length in bytes. */
  size(): Promise<number>;
  /** The bytes from `start` up to `end`. */
  slice(start: number, end: number): Promise<ArrayBuffer>;
}
