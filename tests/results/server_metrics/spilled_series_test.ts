import assert from "node:assert/strict";
import { ExportError } from "../../../src/report/export/export_error.ts";
import { type FileSink, FolderSink } from "../../../src/report/export/file_sink.ts";
import { MetricsStore } from "../../../src/results/server_metrics/metrics_store.ts";
import type { ScrapeMessage } from "../../../src/telemetry/scrape/messages.ts";
import type { ScalarSeries } from "../../../src/telemetry/timeseries/series.ts";
import { withFolder } from "../../support/artifacts.ts";

const SERIES = 50;
const PAGES = 1000;

/** A page on which every value is another one than before. */
function page(number: number): ScrapeMessage {
  return {
    type: "page",
    endpoint: 0,
    page: {
      sentNs: number * 1e9,
      firstByteNs: number * 1e9 + 1,
      latencyNs: 1,
      duplicate: false,
      isWhole: true,
      newSeries: number > 0 ? [] : Array.from({ length: SERIES }, (_, id) => ({
        id,
        name: "g",
        labels: [["id", String(id)]] as const,
      })),
      metadata: undefined,
      ids: Int32Array.from({ length: SERIES }, (_, id) => id),
      values: Float64Array.from({ length: SERIES }, (_, id) => Math.sin(number * id + id)),
      problemCount: 0,
    },
    text: undefined,
    contentType: "",
    droppedSeries: 0,
  };
}

function filled(scratch: Pick<FileSink, "openScratch"> | undefined): MetricsStore {
  const store = new MetricsStore(["http://a/metrics"], {
    maxBytesInMemory: 50_000,
    ...(scratch === undefined ? {} : { scratch }),
  });
  for (let number = 0; number < PAGES; number++) store.take(page(number));
  return store;
}

function valuesOf(store: MetricsStore): number[][] {
  const [endpoint] = store.endpoints;
  return [...endpoint?.series.series ?? []].map((series) =>
    [...(series as ScalarSeries).values.runs()].map(({ value }) => value)
  );
}

Deno.test("MetricsStore keeps little in memory where every value changes, and loses none", () =>
  withFolder(async (folder) => {
    const spilled = filled(new FolderSink(folder));
    const plain = filled(undefined);
    const bytesOf = (store: MetricsStore) => store.endpoints[0]?.series.byteLength as number;
    assert.ok(bytesOf(spilled) < bytesOf(plain) / 5, `${bytesOf(spilled)}`);
    assert.deepEqual(valuesOf(spilled), valuesOf(plain));
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), [], "nothing is left behind");
  }));

Deno.test("MetricsStore keeps values in memory where the disk takes no more", () => {
  let writes = 0;
  const full = filled({
    openScratch: () => ({
      write() {
        writes++;
        throw new ExportError("scratch", new Error("no space left"));
      },
      readInto: () => assert.fail("nothing was kept"),
    }),
  });
  assert.equal(writes, 1, "it is not asked again");
  assert.deepEqual(valuesOf(full), valuesOf(filled(undefined)));
});
