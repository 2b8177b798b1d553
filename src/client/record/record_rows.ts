/** Records as columns, to be looked at one column after another. */

import type { FlawTexts } from "./flaw_texts.ts";

/** Texts of the records of a block; they stay valid when the next block is read. */
export interface RecordTexts {
  requestId(at: number): string;
  finishReason(at: number): string | null;
  /** The reason of its failure, undefined for a valid request. */
  error(at: number): string | undefined;
  /** Place and reason of the first flaw of its reply; undefined for none. */
  flaw(at: number): string | undefined;
  /** Excerpts that show the flaw; undefined except for the first flaws of a run. */
  flawTexts(at: number): FlawTexts | undefined;
}

/** See the module's comment. What it gives is valid until the next rows are asked for. */
export interface RecordRows extends RecordTexts {
  /** Records in it. */
  readonly count: number;
  /** Values of each of `RECORD_FIELDS`; the first {@linkcode count} are those of records. */
  readonly columns: readonly Float64Array[];
  /** Timestamps of the content chunks of all records, in the order of the records. */
  readonly stampNs: Float64Array;
  /** Start of each record's timestamps; the start of the next record is their end. */
  readonly stampStarts: Uint32Array;
  /** The one value that all records have in a column; undefined if they may differ. */
  same(column: number): number | undefined;
}

/** Rows that follow each other, from one place among them up to another. */
export interface RowsStretch {
  readonly batch: RecordRows;
  readonly start: number;
  readonly end: number;
}
