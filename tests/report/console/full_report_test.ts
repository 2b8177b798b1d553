import assert from "node:assert/strict";
import type { ProfileReport } from "../../../src/report/model/profile_report.ts";
import { fullReport } from "../../../src/report/console/full_report.ts";
import { displayWidth } from "../../../src/report/console/display_width.ts";
import { recordWith } from "../../support/records.ts";
import {
  NO_REQUESTS,
  reportWith,
  resultsOf,
  someRecords,
  summaryOf,
} from "../../support/reports.ts";

function drawn(
  report: ProfileReport,
  options: { width?: number; color?: boolean; traceTiming?: boolean } = {},
): string {
  return fullReport(report, {
    style: "full",
    width: 120,
    color: false,
    directory: "/runs/one",
    traceTiming: false,
    serverMetrics: undefined,
    ...options,
  });
}

/** The texts of a table's rows under a title; texts that are wrapped are put together again. */
function rowsUnder(text: string, title: string): string[][] {
  const lines = text.split("\n");
  const start = lines.indexOf(`inferometer | ${title}`);
  assert.ok(start >= 0, `${title} is not there`);
  const rows: string[][] = [];
  for (const line of lines.slice(start + 1)) {
    if (line.startsWith("└")) break;
    if (!line.startsWith("│")) continue;
    const cells = line.split("│").slice(1, -1).map((cell) => cell.trim());
    // Nothing is wrapped in the last column, and nothing is empty there.
    if (cells.at(-1) !== "") rows.push(cells);
    else {rows.at(-1)?.forEach((text, column, row) =>
        row[column] = `${text} ${cells[column]}`.trim()
      );}
  }
  return rows;
}

const METRICS = [
  "Time to First Token (ms)",
  "Time to First Token (from intended start) (ms)",
  "Time to Second Token (ms)",
  "Request Latency (ms)",
  "Request Latency (from intended start) (ms)",
  "Inter Token Latency (ms)",
  "Chunk Gap (ms)",
  "Output Tokens/s/User (pooled) (tokens/sec/user)",
  "Output Sequence Length (tokens)",
  "Input Sequence Length (tokens)",
  "Output Token Throughput (tokens/sec)",
  "Total Token Throughput (tokens/sec)",
  "Request Throughput (requests/sec)",
  "Goodput (requests/sec)",
  "Request Count (requests)",
];

Deno.test("fullReport shows the metrics in their order, with AIPerf's columns", () => {
  const rows = rowsUnder(drawn(reportWith(), { width: 200 }), "LLM Metrics");
  assert.deepEqual(rows[0], ["Metric", "avg", "min", "max", "p99", "p95", "p90", "p50", "std"]);
  assert.deepEqual(rows.slice(1).map(([name]) => name), METRICS);
  const latency = rows.find(([name]) => name === "Request Latency (ms)");
  // Of 100, 110 and 130 ms; the one of 120 ms failed.
  assert.deepEqual(latency?.slice(1), [
    ...["113.33", "100.00", "130.00", "129.60", "128.00", "126.00", "110.00", "12.47"],
  ]);
  const count = rows.find(([name]) => name === "Request Count (requests)");
  assert.deepEqual(count?.slice(1), ["3", "-", "-", "-", "-", "-", "-", "-"]);
});

for (const width of [80, 100, 120, 200]) {
  Deno.test(`fullReport fits ${width} columns and shows every metric and message`, () => {
    const message = `Cannot reach {"url":"https://example.com/${"x".repeat(120)}"} 模型不存在`;
    const slow = someRecords().map((record) =>
      recordWith({ ...record, chunkNs: record.chunkNs.map((ns) => ns * 1e5) })
    );
    const report = reportWith({
      results: resultsOf(slow),
      errors: [
        { kind: "connect", status: null, type: "connect", message, count: 123_456 },
        {
          kind: "http_status",
          status: 503,
          type: "Service Unavailable",
          message: "overloaded",
          count: 2,
        },
      ],
      notes: ["A note of many words that says what a reader of the results must know. ".repeat(3)],
      clientHealth: {
        ...reportWith().clientHealth,
        ok: false,
        problems: ["send slip p99 12 ms is above 10 ms", "the client used 1.90 of 2 cores"],
      },
      requests: { ...NO_REQUESTS, sent: 9, succeeded: 3, failed: 6, unsentArrivals: 5, retried: 4 },
      wasCancelled: true,
      files: Array.from({ length: 9 }, (_, index) => `profile_export_of_some_length_${index}.json`),
    });
    const text = drawn(report, { width, traceTiming: true });
    for (const line of text.split("\n")) {
      assert.ok(displayWidth(line) <= width, `${displayWidth(line)} columns: ${line}`);
    }
    const rows = rowsUnder(text, "LLM Metrics");
    assert.deepEqual(rows.slice(1).map(([name]) => name), METRICS);
    for (const column of ["avg", "p99", "p50"]) assert.ok(rows[0]?.includes(column), column);
    const errors = rowsUnder(text, "Error Summary").slice(1);
    const squeezed = (texts: readonly string[]) => texts.map((text) => text.replace(/\s/g, ""));
    assert.deepEqual(errors.map(squeezed), [
      ["-", "connect", message.replaceAll(" ", ""), "123456"],
      ["503", "http_status", "ServiceUnavailable:overloaded", "2"],
    ]);
    const [all = ""] = squeezed([text]);
    for (const said of squeezed([...report.notes, ...report.clientHealth.problems])) {
      assert.ok(all.includes(said), `${said} is lost`);
    }
    for (const file of report.files) assert.ok(text.includes(file), `${file} is lost`);
    assert.equal(rowsUnder(text, "HTTP Trace Timing").length, 13, "its head and twelve metrics");
  });
}

Deno.test("fullReport gives up columns on a narrow screen, and only there", () => {
  const head = (width: number) => rowsUnder(drawn(reportWith(), { width }), "LLM Metrics")[0];
  assert.deepEqual(head(200), ["Metric", "avg", "min", "max", "p99", "p95", "p90", "p50", "std"]);
  const narrow = head(60) as string[];
  assert.ok(narrow.length < 9);
  assert.deepEqual(narrow.filter((column) => ["avg", "p99", "p50"].includes(column)), [
    ...["avg", "p99", "p50"],
  ]);
});

Deno.test("fullReport says what became of the requests", () => {
  const requests = {
    ...NO_REQUESTS,
    sent: 4,
    succeeded: 3,
    failed: 1,
  };
  assert.match(
    drawn(reportWith({ requests })),
    /^requests: 4 sent, 3 succeeded, 1 failed, in 2\.5 s$/m,
  );
  assert.match(
    drawn(
      reportWith({
        requests: { ...requests, unsentArrivals: 7, retried: 2 },
        wasCancelled: true,
      }),
      { width: 200 },
    ),
    /^requests: 4 sent, 3 succeeded, 1 failed, 7 arrivals not sent, 2 retried on a new connection, in 2\.5 s, INTERRUPTED, results are partial$/m,
  );
});

Deno.test("fullReport says which requests were cancelled, and that the run ended early", () => {
  const requests = { ...reportWith().requests, sent: 9, cancelled: 5 };
  assert.match(
    drawn(reportWith({ requests, endedEarly: "nobody was there" })),
    /^requests: 9 sent, 3 succeeded, 1 failed, 5 cancelled, in 2\.5 s, ENDED EARLY, results are/m,
  );
});

Deno.test("fullReport tells tokens by usage apart from those that the client counted", () => {
  const linesOf = (fields: Parameters<typeof recordWith>[0], tokenizer = "builtin (o200k_base)") =>
    drawn(reportWith({ results: resultsOf([recordWith(), recordWith(fields)]), tokenizer }))
      .split("\n").filter((line) => /^(tokens|prompt cache): /.test(line));
  assert.deepEqual(linesOf({ promptTokens: 1223, inputTokens: 1210 }), [
    "tokens: 1,233 in, 10 out (usage in replies); 1,220 in, 10 out (builtin (o200k_base))",
  ]);
  assert.deepEqual(linesOf({ promptTokens: NaN, completionTokens: NaN }), [
    "tokens: 10 in, 5 out (usage in 1 of 2 replies); 20 in, 10 out (builtin (o200k_base))",
  ]);
  assert.deepEqual(linesOf({ cachedTokens: 5 }, "server"), [
    "tokens: 20 in, 10 out (usage in replies)",
    "prompt cache: 5 of 20 prompt tokens, a hit rate of 25.0 %",
  ]);
  const untold = recordWith({ promptTokens: NaN, completionTokens: NaN });
  assert.match(
    drawn(reportWith({ results: resultsOf([untold]) })),
    /^tokens: 10 in, 5 out \(builtin \(o200k_base\); replies hold no usage\)$/m,
  );
});

Deno.test("fullReport says how the client did", () => {
  const health = reportWith().clientHealth;
  assert.match(
    drawn(reportWith(), { width: 200 }),
    /^client health: ok \(loop lag p99 0\.40 ms, send slip p50 0\.01 p99 0\.02 ms, coalesced chunks 12\.5 %, CPU 0\.25 of 2 cores\)$/m,
  );
  assert.match(
    drawn(
      reportWith({
        clientHealth: {
          ...health,
          ok: false,
          problems: ["this", "that"],
          loopLagMs: [],
          sendSlipMs: summaryOf(),
          queueWaitMs: summaryOf(1, 2, 3),
        },
      }),
      { width: 200 },
    ),
    /^client health: SUSPECT: this; that \(loop lag not measured, queue wait p99 2\.98 ms, coalesced/m,
  );
});

Deno.test("fullReport leaves out the tables that would be empty", () => {
  const text = drawn(reportWith({ results: new Map(), errors: [], files: [] }), {
    traceTiming: true,
  });
  assert.doesNotMatch(text, /inferometer \|/);
  assert.doesNotMatch(drawn(reportWith()), /HTTP Trace Timing/, "nobody asked for it");
  assert.match(text, /^artifacts: \/runs\/one\/\nrequests: /m);
});

Deno.test("fullReport lets nothing that a server says disturb the terminal", () => {
  const hostile = "\x1b]0;title\x07\x1b[2J\r\nclient health: ok\u202e";
  const report = reportWith({
    errors: [{
      kind: "stream_error",
      status: null,
      type: "stream_error",
      message: hostile,
      count: 1,
    }],
    notes: [`The server says ${hostile}`],
  });
  const text = drawn(report);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  assert.equal(text.match(/^client health/gm)?.length, 1);
});

Deno.test("fullReport colours titles and warnings, or nothing", () => {
  const report = reportWith({
    notes: ["careful"],
    clientHealth: { ...reportWith().clientHealth, ok: false, problems: ["slow"] },
  });
  const plain = drawn(report);
  const coloured = drawn(report, { color: true });
  assert.ok(!plain.includes("\x1b"));
  assert.ok(coloured.includes("\x1b[1minferometer | LLM Metrics\x1b[22m"));
  assert.ok(coloured.includes("\x1b[33mnote: careful\x1b[39m"));
  assert.ok(coloured.includes("\x1b[33mclient health: SUSPECT: slow"));
  // deno-lint-ignore no-control-regex
  assert.equal(coloured.replace(/\x1b\[\d+m/g, ""), plain);
});
