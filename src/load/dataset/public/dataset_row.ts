import type { DatasetError } from "../../../core/files/dataset_error.ts";

/** Row of a dataset. */
export interface DatasetRow {
  /** Values by the names of their columns. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Returns an error for the row, or for a column of it; names file and row. */
  error(message: string, column?: string): DatasetError;
}
