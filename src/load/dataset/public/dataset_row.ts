import type { DatasetError } from "../../../core/files/dataset_error.ts";

/** A row of a data set. */
export interface DatasetRow {
  /** Values by the names of their columns. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What is wrong with it, or with a column of it; names file and row. */
  error(message: string, column?: string): DatasetError;
}
