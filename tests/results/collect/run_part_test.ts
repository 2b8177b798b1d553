import assert from "node:assert/strict";
import fc from "fast-check";
import { canaryBlock, canaryFileHead } from "../../../src/measurement/canary/canary_file.ts";
import { partIn, type RunPart } from "../../../src/results/collect/run_part.ts";
import { RUN_FILES } from "../../../src/results/collect/run_files.ts";
import { RecordFileWriter } from "../../../src/client/record/record_file.ts";
import { RECORD_FIELD_COUNT } from "../../../src/client/record/request_fields.ts";
import { ScrapeLogWriter } from "../../../src/results/server_metrics/scrape_log.ts";

/** The files of a part, each with one block. */
function wholeFiles(): Map<string, Uint8Array> {
  const records = new RecordFileWriter();
  records.add({
    ...{ row: new Float64Array(RECORD_FIELD_COUNT), chunkNs: new Float64Array(0) },
    ...{ requestId: "id", finishReason: null, error: undefined },
  });
  const scrapes = [
    ScrapeLogWriter.head(),
    ...new ScrapeLogWriter((text) => text).block({ type: "disabled", endpoint: 0, reason: "r" }),
  ];
  const canaries = [
    canaryFileHead(),
    ...canaryBlock({ worker: 0, rows: Float64Array.of(0, 1, 2, 3), placeNs: 0 }),
  ];
  const joined = (pieces: readonly Uint8Array[]) => Uint8Array.from(pieces.flatMap((p) => [...p]));
  return new Map([
    [RUN_FILES.records, joined([RecordFileWriter.head(), ...records.take()])],
    [RUN_FILES.canaries, joined(canaries)],
    [RUN_FILES.serverMetrics, joined(scrapes)],
    [RUN_FILES.gpuTelemetry, joined(scrapes)],
  ]);
}

function readAll(part: RunPart): void {
  for (const read of [part.batches(), part.canaries(), part.scrapes(), part.gpuScrapes()]) {
    for (const _ of read);
  }
}

Deno.test("partIn names the files that end in the middle of a block, or have one that was damaged", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${directory}/run`);
    const files = [...wholeFiles()];
    const names = files.map(([name]) => name);
    const has = { canaries: true, scrapes: true, gpuScrapes: true };
    await fc.assert(
      fc.asyncProperty(fc.subarray(names), fc.subarray(names), async (cut, damaged) => {
        for (const [name, bytes] of files) {
          const written = bytes.slice(0, cut.includes(name) ? -1 : undefined);
          // In the middle of the last block, whichever that is.
          if (damaged.includes(name)) written[bytes.length - 8] = (bytes.at(-8) as number) ^ 1;
          await Deno.writeFile(`${directory}/${name}`, written);
        }
        const part = partIn(directory, has);
        readAll(part);
        assert.deepEqual(part.lossyFiles, new Set([...cut, ...damaged]));
      }),
      { numRuns: 16 },
    );
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
