import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { AgentSession } from "../model/agent_session.ts";
import type { RowGrouping } from "../model/row_grouping.ts";
import type { SessionFile, SessionFormat, SessionSettings } from "../model/session_format.ts";
import type { SessionSource } from "../model/session_source.ts";
import { textKey } from "../model/text_key.ts";
import { IndexFile, readAt } from "./index_file.ts";
import { type IndexedSessions, indexRows } from "./index_rows.ts";
import { RowSource, type SourceRow } from "./row_source.ts";

/** Rows between which fewer bytes lie are read at once, up to a size. */
const GAP_BYTES = 16 * 1024;
const READ_BYTES = 4 * 1024 * 1024;

/** Sessions whose rows lie anywhere in a large file: each is read by the offsets of its rows. */
export class IndexedFile {
  readonly #path: string;
  readonly #file: Deno.FsFile;
  readonly #index: IndexFile;
  readonly #sessions: IndexedSessions;

  private constructor(
    path: string,
    file: Deno.FsFile,
    index: IndexFile,
    sessions: IndexedSessions,
  ) {
    this.#path = path;
    this.#file = file;
    this.#index = index;
    this.#sessions = sessions;
  }

  /**
   * Reads a file once, and notes where the rows of each session lie.
   * @param folder that the notes are written to
   * @throws {DatasetError} if a row is no JSON object
   */
  static async open(
    source: SessionSource,
    grouping: RowGrouping,
    folder: string,
    interrupt: AbortSignal,
  ): Promise<IndexedFile> {
    const index = await IndexFile.create(folder);
    try {
      const sessions = await indexRows(source, grouping, index, interrupt);
      return new IndexedFile(source.path, await Deno.open(source.path), index, sessions);
    } catch (error) {
      index.close();
      throw error;
    }
  }

  /** Number of groups of rows that are read together; mostly that of the sessions. */
  get count(): number {
    return this.#sessions.rowStart.length - 1;
  }

  /** Closes both files. */
  close(): void {
    this.#file.close();
    this.#index.close();
  }

  /** Returns the sessions as a reader of the whole file would. */
  read(format: SessionFormat, settings: SessionSettings): SessionFile {
    let blockSize: number | undefined;
    return {
      sessions: () =>
        this.#read(format, settings, (size) => {
          if (blockSize !== undefined && size !== blockSize) {
            throw new DatasetError(
              this.#path,
              undefined,
              `Has blocks of ${size} tokens after blocks of ${blockSize}`,
            );
          }
          blockSize = size;
        }),
      blockSize: () => blockSize ?? settings.blockSize,
    };
  }

  async *#read(
    format: SessionFormat,
    settings: SessionSettings,
    onBlockSize: (size: number) => void,
  ): AsyncGenerator<AgentSession> {
    for (let session = 0; session < this.count; session++) {
      const source = new RowSource(this.#path, [
        ...this.#sessions.headers,
        ...await this.#rowsOf(session),
      ]);
      const { nameStart } = this.#sessions;
      const names = await this.#index.names(
        nameStart[session] as number,
        nameStart[session + 1] as number,
      );
      try {
        const file = format.read(source, settings);
        for await (const one of file.sessions()) {
          // A row may have parts of other sessions as well.
          if (!names.has(textKey(one.id))) continue;
          onBlockSize(file.blockSize());
          yield one;
        }
      } catch (error) {
        throw source.placed(error);
      }
    }
  }

  async #rowsOf(session: number): Promise<SourceRow[]> {
    const { rowStart } = this.#sessions;
    const places = await this.#index.rows(
      rowStart[session] as number,
      rowStart[session + 1] as number,
    );
    const rows: SourceRow[] = [];
    for (let first = 0; first < places.length;) {
      const start = places[first]?.offset as number;
      let last = first;
      let end = start + (places[first]?.length as number);
      for (let next = places[last + 1]; next !== undefined; next = places[last + 1]) {
        const isApart = next.offset - end > GAP_BYTES;
        if (isApart || next.offset + next.length - start > READ_BYTES) break;
        end = next.offset + next.length;
        last++;
      }
      const bytes = await readAt(this.#file, start, end - start);
      for (const { offset, length, line } of places.slice(first, last + 1)) {
        // A row with several parts of a session is there several times.
        if (rows.at(-1)?.line === line) continue;
        rows.push({ line, bytes: bytes.slice(offset - start, offset - start + length) });
      }
      first = last + 1;
    }
    return rows;
  }
}
