import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { SessionSource } from "../model/session_source.ts";

const END = new Uint8Array([10]);

/** A row that a source consists of. */
export interface SourceRow {
  /** Line in the file, from 1. */
  readonly line: number;
  readonly bytes: Uint8Array;
}

/** Some rows of a file as a file of their own. */
export class RowSource implements SessionSource {
  readonly path: string;
  readonly isFolder = false;
  readonly isPart = true;
  readonly #rows: readonly SourceRow[];

  constructor(path: string, rows: readonly SourceRow[]) {
    this.path = path;
    this.#rows = rows;
  }

  files(): Promise<never[]> {
    return Promise.resolve([]);
  }

  head(): Promise<Uint8Array> {
    const [first] = this.#rows;
    return Promise.resolve(first?.bytes ?? new Uint8Array(0));
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    for (const { bytes } of this.#rows) {
      yield bytes;
      yield END;
    }
  }

  /** Returns an error about these rows as an error about the file. */
  placed(error: unknown): unknown {
    if (!(error instanceof DatasetError) || error.line === undefined) return error;
    const line = this.#rows[error.line - 1]?.line;
    return new DatasetError(this.path, line, error.reason, error.column);
  }
}
