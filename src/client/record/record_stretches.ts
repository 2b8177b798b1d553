import { type BatchSource, nextBatch, openSource } from "./batch_source.ts";
import type { RecordBatch } from "./record_batch.ts";
import type { RowsStretch } from "./record_rows.ts";
import { RECORD_FIELD } from "./request_fields.ts";

/** Records of a batch that follow each other, from one place in it up to another. */
export interface RecordStretch extends RowsStretch {
  /** The file it is of, by its place among those that are merged. */
  readonly source: number;
  readonly batch: RecordBatch;
}

/**
 * Merges files of records by their positions, as a heap: each file is in the order of positions,
 * and so is the output. If positions are equal, the file named first comes first.
 * @returns intervals of records, each valid until the next one
 */
export function* mergedStretches(
  files: readonly Iterator<RecordBatch>[],
): Generator<RecordStretch> {
  const sources = files.map(openSource);
  const heap: number[] = [];
  const places = new Float64Array(files.length);
  const isBefore = (a: number, b: number): boolean =>
    (places[a] as number) < (places[b] as number) ||
    ((places[a] as number) === (places[b] as number) && a < b);
  const sink = (): void => {
    const moved = heap[0] as number;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as number, heap[child] as number)) {
        child++;
      }
      if (!isBefore(heap[child] as number, moved)) break;
      heap[at] = heap[child] as number;
      at = child;
    }
    heap[at] = moved;
  };
  sources.forEach((source, file) => {
    if (source === undefined) return;
    places[file] = placeOf(source);
    heap.push(file);
  });
  heap.sort((a, b) => isBefore(a, b) ? -1 : 1);
  while (heap.length > 0) {
    const file = heap[0] as number;
    const source = sources[file] as BatchSource;
    const { batch, at: start } = source;
    const rival = heap.length < 2
      ? undefined
      : heap.length > 2 && isBefore(heap[2] as number, heap[1] as number)
      ? heap[2] as number
      : heap[1] as number;
    let end = start + 1;
    if (rival === undefined) end = batch.count;
    else {
      const limit = places[rival] as number;
      const taken = batch.columns[RECORD_FIELD.takenNs] as Float64Array;
      while (
        end < batch.count &&
        ((taken[end] as number) < limit || ((taken[end] as number) === limit && file < rival))
      ) end++;
    }
    yield { source: file, batch, start, end };
    source.at = end;
    if (end < batch.count || nextBatch(source)) places[file] = placeOf(source);
    else {
      const last = heap.pop() as number;
      if (heap.length === 0) return;
      heap[0] = last;
    }
    sink();
  }
}

function placeOf({ batch, at }: BatchSource): number {
  return (batch.columns[RECORD_FIELD.takenNs] as Float64Array)[at] as number;
}
