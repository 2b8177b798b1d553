import { orderOf } from "../../../core/statistics/order_of.ts";
import { LoadPause } from "../../dataset/conversations/load_pause.ts";
import type { ByteSource } from "../../dataset/formats/byte_source.ts";
import type { RowGrouping } from "../model/row_grouping.ts";
import type { IndexFile } from "./index_file.ts";
import { NameTable } from "./name_table.ts";
import { type RowColumns, RowTable } from "./row_table.ts";
import type { SourceRow } from "./row_source.ts";
import { rowFacts, scanRows } from "./scan_rows.ts";

/** Numbers of the sessions' first entries in the index; one more than sessions. */
export interface IndexedSessions {
  /** First row of each session. */
  readonly rowStart: Uint32Array;
  /** First name of each session. */
  readonly nameStart: Uint32Array;
  /** Rows that the reader of each session needs. */
  readonly headers: readonly SourceRow[];
}

/**
 * Reads a file once and writes which rows are of which session, session by session. Until it is written,
 * a row takes 32 bytes of memory and a name 24.
 * @throws {DatasetError} if a row is no JSON object
 */
export async function indexRows(
  source: ByteSource,
  grouping: RowGrouping,
  index: IndexFile,
  interrupt: AbortSignal,
): Promise<IndexedSessions> {
  const pause = new LoadPause(interrupt);
  const names = new NameTable();
  const table = new RowTable();
  const headers: SourceRow[] = [];
  for await (const scanned of scanRows(source)) {
    if (pause.isDue) await pause.take();
    for (const row of scanned) {
      const { offset, length, line, bytes } = row;
      const facts = rowFacts(row, source.path, grouping);
      if (facts === undefined) {
        headers.push({ line, bytes: bytes.slice() });
        continue;
      }
      for (const own of facts.sessions) {
        const [first = 0, ...others] = own.map((name) => names.numberOf(name));
        for (const other of others) names.unite(first, other);
        table.add(offset, length, line, first, facts.order ?? NaN);
      }
    }
  }
  for (const [one, other] of grouping.links?.() ?? []) {
    names.unite(names.numberOf(one), names.numberOf(other));
  }
  const rows = table.take();
  const places = sessionPlaces(rows, names);
  const { length: rowCount } = rows.names;
  const sessionOfRow = (row: number): number => places.of(rows.names[row] as number);
  const rowStart = startsOf(places.count, rowCount, sessionOfRow);
  await index.writeRows(
    sorted(rowStart, rowCount, sessionOfRow),
    (row) => [
      rows.offsets[row] as number,
      rows.lengths[row] as number,
      rows.lines[row] as number,
    ],
  );
  const keys = new Float64Array(names.count);
  for (const [number, key] of names.entries()) keys[number] = key;
  const nameStart = startsOf(places.count, names.count, (name) => places.of(name));
  await index.writeNames(
    sorted(nameStart, names.count, (name) => places.of(name)),
    (name) => keys[name] as number,
  );
  return { rowStart, nameStart, headers };
}

/** Places of the sessions in their order, by the numbers of their names. */
function sessionPlaces(
  rows: RowColumns,
  names: NameTable,
): { readonly count: number; of(name: number): number } {
  const roots: number[] = [];
  const placeOfRoot = new Int32Array(names.count).fill(-1);
  const orders: number[] = [];
  for (let row = 0; row < rows.names.length; row++) {
    const root = names.rootOf(rows.names[row] as number);
    let place = placeOfRoot[root] as number;
    if (place < 0) {
      place = roots.push(root) - 1;
      placeOfRoot[root] = place;
      orders.push(Infinity);
    }
    const order = rows.orders[row] as number;
    if (order < (orders[place] as number)) orders[place] = order;
  }
  orderOf(Float64Array.from(orders))
    .forEach((old, place) => placeOfRoot[roots[old] as number] = place);
  // Names without a row, such as that of a parent that is not in the file, are of no session.
  return { count: roots.length, of: (name) => placeOfRoot[names.rootOf(name)] as number };
}

/** First place of each session in a list that is sorted by sessions, and the end. */
function startsOf(
  sessions: number,
  count: number,
  sessionOf: (item: number) => number,
): Uint32Array {
  const starts = new Uint32Array(sessions + 1);
  for (let item = 0; item < count; item++) {
    const session = sessionOf(item);
    if (session >= 0) starts[session + 1] = (starts[session + 1] as number) + 1;
  }
  for (let at = 0; at < sessions; at++) {
    starts[at + 1] = (starts[at + 1] as number) + (starts[at] as number);
  }
  return starts;
}

/** Items by their sessions, those of one session in their order. */
function sorted(
  starts: Uint32Array,
  count: number,
  sessionOf: (item: number) => number,
): Uint32Array {
  const next = starts.slice();
  const items = new Uint32Array(starts.at(-1) ?? 0);
  for (let item = 0; item < count; item++) {
    const session = sessionOf(item);
    if (session < 0) continue;
    items[next[session] as number] = item;
    next[session] = (next[session] as number) + 1;
  }
  return items;
}
