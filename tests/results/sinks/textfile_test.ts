import assert from "node:assert/strict";
import fc from "fast-check";
import { LEVEL_METRICS } from "../../../src/measurement/metrics/level_metrics.ts";
import type { Metric } from "../../../src/measurement/metrics/metric.ts";
import {
  INTER_CHUNK_LATENCY,
  RECORD_METRICS,
} from "../../../src/measurement/metrics/record_metrics.ts";
import {
  COUNT_METRICS,
  RATE_METRICS,
  SHARE_METRICS,
  TOTAL_METRICS,
} from "../../../src/measurement/metrics/run_metrics.ts";
import { prometheusName } from "../../../src/results/sinks/external_unit.ts";
import { textfile } from "../../../src/results/sinks/textfile.ts";
import { writeTextfile } from "../../../src/results/sinks/write_textfile.ts";
import { parseExposition } from "../../../src/telemetry/prometheus/parse_exposition.ts";
import { withFolder } from "../../support/artifacts.ts";
import { reportWith } from "../../support/reports.ts";
import { works } from "../../support/works.ts";

const CATALOG: readonly Metric[] = [
  ...[...RECORD_METRICS, INTER_CHUNK_LATENCY, ...LEVEL_METRICS, ...TOTAL_METRICS],
  ...[COUNT_METRICS, SHARE_METRICS, RATE_METRICS].flatMap((metrics) => Object.values(metrics)),
];

Deno.test("prometheusName gives every metric of the catalog a name of its own in base units", () => {
  const names = new Map(CATALOG.map((metric) => [metric.tag, prometheusName(metric)]));
  assert.equal(new Set(names.values()).size, names.size);
  for (const name of names.values()) {
    assert.match(name, /^inferometer_[a-z][a-z0-9_]*$/);
    // Prometheus keeps these endings for counters and for parts of distributions.
    assert.doesNotMatch(name, /_(?:total|count|sum|bucket|info|milliseconds|ms|pct)$/);
    assert.doesNotMatch(name, /(_[a-z]+)\1$/, "a word twice");
  }
  assert.equal(names.get("request_count"), "inferometer_requests");
  assert.equal(names.get("error_request_count"), "inferometer_error_requests");
  assert.equal(names.get("request_latency"), "inferometer_request_latency_seconds");
  assert.equal(names.get("total_output_tokens"), "inferometer_total_output_tokens");
  assert.equal(names.get("request_error_rate"), "inferometer_request_error_ratio");
  assert.equal(names.get("http_req_data_sent"), "inferometer_http_req_data_sent_bytes");
});

Deno.test("textfile is a page that Prometheus' rules allow, with values in base units", () => {
  const text = textfile(reportWith());
  const { families } = parseExposition(text, { strict: true });
  const latency = families.find(({ name }) => name === "inferometer_request_latency_seconds");
  assert.equal(latency?.type, "summary");
  // Requests of 100, 110 and 130 ms.
  assert.match(text, /^inferometer_request_latency_seconds\{[^}]*quantile="0\.5"\} 0\.11$/m);
  assert.match(text, /^inferometer_request_latency_seconds_sum\{[^}]*\} 0\.34$/m);
  assert.match(text, /^inferometer_request_latency_seconds_count\{[^}]*\} 3$/m);
  assert.match(text, /^inferometer_requests\{[^}]*\} 3$/m);
  assert.match(text, /^inferometer_failed_requests\{[^}]*kind="timeout",status=""\} 1$/m);
  assert.match(text, /^inferometer_run_end_timestamp_seconds\{[^}]*\} 1795237159\.7305/m);
  // The collector refuses a page with time stamps.
  for (const line of text.trimEnd().split("\n")) {
    if (!line.startsWith("#")) assert.match(line, /^[a-z0-9_]+\{.*\} [^ ]+$/);
  }
});

Deno.test("textfile keeps any name of a model within its label", () => {
  const report = reportWith();
  fc.assert(fc.property(fc.string({ unit: "binary", minLength: 1 }), (model) => {
    const { families } = parseExposition(textfile({ ...report, model }), { strict: true });
    const info = families.find(({ name }) => name === "inferometer_run_info");
    assert.equal(info?.samples[0]?.labels["model"], model.toWellFormed().replace(/\p{Cc}+/gu, " "));
  }));
});

Deno.test("writeTextfile replaces the old text at once, and leaves nothing behind when it cannot", async () => {
  await withFolder(async (folder) => {
    const plan = { path: `${folder}/a.prom`, temporaryPath: `${folder}/a.prom.1.tmp` };
    await Deno.writeTextFile(plan.path, "old\n");
    // Who has the old one open keeps reading that.
    using reader = await Deno.open(plan.path);
    await writeTextfile(plan, "new\n");
    assert.equal(await new Response(reader.readable).text(), "old\n");
    assert.equal(await Deno.readTextFile(plan.path), "new\n");

    await Deno.mkdir(`${folder}/taken/more`, { recursive: true });
    await assert.rejects(writeTextfile({ ...plan, path: `${folder}/taken` }, "new\n"));
    const entries = await Array.fromAsync(Deno.readDir(folder));
    assert.deepEqual(entries.map(({ name }) => name).sort(), ["a.prom", "taken"]);
  });
});

const promtool = works("promtool");

Deno.test({
  name: `promtool finds nothing wrong with the textfile${
    promtool ? "" : " (ignored: no promtool)"
  }`,
  ignore: !promtool,
  async fn() {
    const child = new Deno.Command("promtool", {
      args: ["check", "metrics"],
      ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
    } as Deno.CommandOptions).spawn();
    await new Response(textfile(reportWith())).body?.pipeTo(child.stdin);
    const { success, stderr, stdout } = await child.output();
    assert.ok(success, new TextDecoder().decode(stderr) + new TextDecoder().decode(stdout));
  },
});
