import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { AgentSession } from "../model/agent_session.ts";
import type { RowGrouping } from "../model/row_grouping.ts";
import type { SessionFile, SessionFormat, SessionSettings } from "../model/session_format.ts";
import type { SessionSource } from "../model/session_source.ts";
import { NameTable } from "./name_table.ts";
import { RowSource, type SourceRow } from "./row_source.ts";
import { type ScannedRow, scanRows } from "./scan_rows.ts";

/** Bytes of a file that show whether the rows of its sessions follow each other. */
const SEEN_BYTES = 16 * 1024 * 1024;

/** Whether the rows of each session follow each other, as far as the beginning of a file shows. */
export async function isGrouped(source: SessionSource, grouping: RowGrouping): Promise<boolean> {
  const groups = new RowGroups();
  for await (const rows of scanRows(source, grouping)) {
    for (const row of rows) {
      if (groups.add(row) === "misplaced") return false;
      if (row.offset > SEEN_BYTES) return true;
    }
  }
  return true;
}

/** Returns the sessions of a file whose rows follow each other, read one after another. */
export function groupedFile(
  source: SessionSource,
  grouping: RowGrouping,
  format: SessionFormat,
  settings: SessionSettings,
): SessionFile {
  let { blockSize } = settings;
  async function* sessionsOf(rows: readonly SourceRow[]): AsyncGenerator<AgentSession> {
    const own = new RowSource(source.path, rows);
    try {
      const file = format.read(own, settings);
      for await (const session of file.sessions()) {
        blockSize = file.blockSize();
        yield session;
      }
    } catch (error) {
      throw own.placed(error);
    }
  }
  return {
    async *sessions() {
      const groups = new RowGroups();
      let rows: SourceRow[] = [];
      for await (const scanned of scanRows(source, grouping)) {
        for (const row of scanned) {
          const place = groups.add(row);
          if (place === "misplaced") {
            throw new DatasetError(
              source.path,
              row.line,
              "Row belongs to an earlier session: sort the rows by session, so that they can be " +
                "sent while the file is read",
            );
          }
          if (place === "next" && rows.length > 0) {
            yield* sessionsOf(rows);
            rows = [];
          }
          rows.push({ line: row.line, bytes: row.bytes() });
        }
      }
      if (rows.length > 0) yield* sessionsOf(rows);
    },
    blockSize: () => blockSize,
  };
}

/** Finds out of each row whether it is of the session of the row before. */
class RowGroups {
  readonly #names = new NameTable();
  #current = -1;
  /** Smallest orders of the rows of this session, and of the one before. */
  #order = Infinity;
  #orderBefore = -Infinity;

  add({ facts }: ScannedRow): "same" | "next" | "misplaced" {
    const { sessions = [], order = 0 } = facts ?? {};
    const before = this.#names.count;
    const numbers = sessions.flat().map((name) => this.#names.numberOf(name));
    const [first] = numbers;
    if (first === undefined) return "misplaced";
    const known = numbers.filter((number) => number < before);
    const current = this.#current < 0 ? -1 : this.#names.rootOf(this.#current);
    if (known.some((number) => this.#names.rootOf(number) !== current)) return "misplaced";
    const place = known.length === 0 ? "next" : "same";
    if (place === "next") {
      if (this.#order < this.#orderBefore) return "misplaced";
      if (this.#current >= 0) this.#orderBefore = this.#order;
      this.#order = order;
    } else this.#order = Math.min(this.#order, order);
    for (const number of numbers) this.#names.unite(first, number);
    this.#current = first;
    return place;
  }
}
