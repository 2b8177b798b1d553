import { RecordFileWriter, type StoredRecord } from "../../src/client/record/record_file.ts";
import { RecordFileReader } from "../../src/client/record/record_file_reader.ts";
import type { PlacedCanaryRows } from "../../src/measurement/canary/canary_file.ts";
import type { RunPart } from "../../src/results/collect/run_part.ts";
import { byteSource } from "./byte_source.ts";

/** A part of a run with these records, as if they had been written and read. */
export function partOf(
  records: readonly StoredRecord[],
  canaries: readonly PlacedCanaryRows[] = [],
): RunPart {
  const writer = new RecordFileWriter();
  const pieces = [RecordFileWriter.head()];
  const take = () => pieces.push(...writer.take().map((piece) => piece.slice()));
  for (const one of records) {
    writer.add(one);
    if (writer.isFull) take();
  }
  if (writer.count > 0) take();
  const file = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const piece of pieces) {
    file.set(piece, offset);
    offset += piece.length;
  }
  return {
    batches: () => new RecordFileReader(byteSource(file)).batches(),
    *canaries() {
      yield* canaries;
    },
    *scrapes() {},
    *gpuScrapes() {},
    sessionLines: () => [],
  };
}
