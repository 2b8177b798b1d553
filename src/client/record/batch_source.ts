import type { RecordBatch } from "./record_batch.ts";

/** A file of records that is read: its batch, and how far it is. */
export interface BatchSource {
  readonly batches: Iterator<RecordBatch>;
  batch: RecordBatch;
  at: number;
}

/** A file at its first record; undefined if it has none. */
export function openSource(batches: Iterator<RecordBatch>): BatchSource | undefined {
  const source = { batches, batch: undefined as unknown as RecordBatch, at: 0 };
  return nextBatch(source) ? source : undefined;
}

/** Goes on to the next batch that has records; false if there is none. */
export function nextBatch(source: BatchSource): boolean {
  for (;;) {
    const { done, value } = source.batches.next();
    if (done) return false;
    if (value.count === 0) continue;
    source.batch = value;
    source.at = 0;
    return true;
  }
}
