import type { StoredRecord } from "../../client/record/record_file.ts";
import { RecordFileReader } from "../../client/record/record_file_reader.ts";
import { type RecordCursor, recordCursor } from "../../measurement/metrics/record_cursor.ts";
import { RUN_FILES } from "../collect/run_files.ts";

/** A record with its numbers by name. */
export interface TailedRecord {
  readonly record: RecordCursor;
  readonly stored: StoredRecord;
}

/** Reads the records of a run as they are written, from the first one. */
export class RecordTail {
  readonly #path: string;
  readonly #cursor = recordCursor();
  #file: Deno.FsFile | undefined;
  #reader: RecordFileReader | undefined;

  /** @param directory the run's folder */
  constructor(directory: string) {
    this.#path = `${directory}/${RUN_FILES.records}`;
  }

  /**
   * The records that have come since the last call; each is valid until the next one.
   * @throws {Error} if they cannot be read
   */
  *take(): Generator<TailedRecord> {
    this.#file ??= Deno.openSync(this.#path);
    this.#reader ??= new RecordFileReader(this.#file);
    for (const stored of this.#reader.records()) {
      this.#cursor.row = stored.row;
      this.#cursor.chunkNs = stored.chunkNs;
      yield { record: this.#cursor, stored };
    }
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}
