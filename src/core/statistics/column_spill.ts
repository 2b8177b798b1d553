/** The place where columns put what memory should not hold: a file that is gone with the run. */
export interface ColumnSpill {
  /** Keeps bytes; returns where. */
  write(bytes: Uint8Array): number;
  /** Fills an array with bytes that were kept. */
  readInto(offset: number, bytes: Uint8Array): void;
  /** Gives its room back. */
  close?(): void;
}
