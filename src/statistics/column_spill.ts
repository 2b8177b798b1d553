/** The place where columns put what memory should not hold: a file that is gone with the run. */
export interface ColumnSpill {
  /** Keeps bytes; returns where. */
  write(bytes: Uint8Array): number;
  /** Bytes that were kept. */
  read(offset: number, length: number): Uint8Array<ArrayBuffer>;
  /** Gives its room back. */
  close?(): void;
}
