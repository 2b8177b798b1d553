import assert from "node:assert/strict";
import {
  recordingHead,
  recordingLine,
  recordingTail,
} from "../../../../src/report/export/server_metrics/recording.ts";
import { readRecording } from "../../../../src/results/server_metrics/read_recording.ts";
import { parseExactJson } from "../../../support/json_difference.ts";
import { BASE_EPOCH_NS, ENDPOINT_URL, type TimedPage } from "../../../support/metrics_pages.ts";
import { replayedFiles } from "../../../support/replayed_files.ts";

const LINES_ONLY = { start: 0, end: 9, serverMetricsFormats: ["jsonl"] };

/** Numbers that are the same every time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => (state = state * 48_271 % 2_147_483_647) / 2_147_483_647;
}

Deno.test("serverMetricsLine has a scrape as the server told it", async () => {
  const page = `# TYPE g gauge\ng{b="2",a="1"} 1.5\ng 2\n# TYPE c_total counter\nc_total 7\n` +
    `# TYPE h histogram\nh_bucket{m="x",le="0.5"} 1\nh_bucket{m="x",le="+Inf"} 2\nh_sum{m="x"} 3\n` +
    `h_count{m="x"} 2\n# TYPE up_info gauge\nup_info{v="1"} 1\n`;
  const { jsonl } = await replayedFiles([[1.5, page]], LINES_ONLY);
  const at = BASE_EPOCH_NS + 1_500_000_000n;
  assert.equal(
    jsonl,
    `{"endpoint_url":"${ENDPOINT_URL}","timestamp_ns":${at},"endpoint_latency_ns":2000000,` +
      '"metrics":{"g":[{"labels":{"a":"1","b":"2"},"value":1.5},{"value":2}],"c":[{"value":7}],' +
      '"h":[{"labels":{"m":"x"},"buckets":{"0.5":1,"+Inf":2},"sum":3,"count":2}],' +
      `"up_info":[{"labels":{"v":"1"},"value":1}]},"request_sent_ns":${at - 1000n},` +
      `"first_byte_ns":${at}}\n`,
  );
});

Deno.test("serverMetricsLine puts together what stands apart on a page", async () => {
  const page = "# TYPE h histogram\n" +
    'h_count{m="x"} 2\na{n="1"} 1\nh_count{m="y"} 4\nh_bucket{m="x",le="+Inf"} 2\nb 5\n' +
    'h_bucket{m="y",le="+Inf"} 4\na{n="2"} 2\nh_sum{m="x"} 3\n';
  const { jsonl, lines } = await replayedFiles([[0, page]], LINES_ONLY);
  assert.deepEqual(lines[0].metrics, {
    "h": [
      { "labels": { "m": "x" }, "buckets": { "+Inf": 2 }, "sum": 3, "count": 2 },
      { "labels": { "m": "y" }, "buckets": { "+Inf": 4 }, "count": 4 },
    ],
    "a": [{ "labels": { "n": "1" }, "value": 1 }, { "labels": { "n": "2" }, "value": 2 }],
    "b": [{ "value": 5 }],
  });
  assert.equal(jsonl.match(/"[hab]":\[/g)?.length, 3, "each name stands once");
});

Deno.test("serverMetricsLine has what was scraped before and after the window, too", async () => {
  const pages = [0, 1, 2, 3, 4].map((second): TimedPage => [second, `a ${second}\n`]);
  const { lines } = await replayedFiles(pages, { ...LINES_ONLY, start: 2, end: 3 });
  assert.deepEqual(lines.map(({ metrics }) => metrics.a[0].value), [0, 1, 2, 3, 4]);
});

Deno.test("serverMetricsLine leaves out values that are no finite numbers", async () => {
  const { lines } = await replayedFiles([[0, "a NaN\nb 1\nc +Inf\n"]], LINES_ONLY);
  assert.deepEqual(lines[0].metrics, { "b": [{ "value": 1 }] });
});

Deno.test("serverMetricsLine keeps every nanosecond", async () => {
  const random = randomNumbers(5);
  let second = 0;
  const pages = Array.from({ length: 10_000 }, (_, index): TimedPage => {
    second += 0.000001 + random() / 10;
    return [Math.round(second * 1e9) / 1e9, `a ${index}\n`];
  });
  const { jsonl } = await replayedFiles(pages, LINES_ONLY);
  const found = jsonl.trimEnd().split("\n").map((line) =>
    (parseExactJson(line) as Record<string, unknown>)["timestamp_ns"]
  );
  const expected = pages.map(([second]) => BASE_EPOCH_NS + BigInt(Math.round(second * 1e9)));
  assert.deepEqual(found, expected);
  assert.ok(expected.some((time) => BigInt(Number(time)) !== time), "doubles would not do");
});

Deno.test("recorded pages are read back to the nanosecond and to the letter", async () => {
  const text = '# HELP a "ü"\\n\n\ta{b="\\\\"} 1\r\n\u2028{}\0';
  const page = {
    ...{ sentNs: 1, firstByteNs: 123_456_789, latencyNs: 987_654_321, duplicate: false },
    ...{ isWhole: false, newSeries: [], metadata: undefined, problemCount: 0 },
    ...{ ids: new Int32Array(0), values: new Float64Array(0) },
  };
  const window = {
    startNs: BASE_EPOCH_NS + 1n,
    endNs: BASE_EPOCH_NS + 999n,
    wasCancelled: true,
  };
  const record = [
    recordingHead("id", [ENDPOINT_URL, "http://other/metrics"]),
    recordingLine(ENDPOINT_URL, page, "text/plain; version=0.0.4", text, BASE_EPOCH_NS),
    recordingTail(window),
  ];
  for (const line of record) assert.doesNotMatch(line, /\n/);
  const urls = { ofServer: (url: string) => url, named: (url: string) => url };
  const file = new Blob([`${record.join("\n")}\n`]);
  const read = await readRecording(() => file.stream(), urls);
  assert.deepEqual({ ...read, scrapes: await Array.fromAsync(read.scrapes) }, {
    benchmarkId: "id",
    startNs: window.startNs,
    endNs: window.endNs,
    sliceDuration: undefined,
    wasCancelled: true,
    endpointsConfigured: [ENDPOINT_URL, "http://other/metrics"],
    endpointUrls: [ENDPOINT_URL],
    scrapes: [{
      endpointUrl: ENDPOINT_URL,
      sentNs: BASE_EPOCH_NS + 1n,
      firstByteNs: BASE_EPOCH_NS + 123_456_789n,
      latencyNs: 987_654_321n,
      contentType: "text/plain; version=0.0.4",
      text,
    }],
  });
});
