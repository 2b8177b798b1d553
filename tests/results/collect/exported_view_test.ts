import assert from "node:assert/strict";
import { distributionOf, valueOf } from "../../../src/measurement/metrics/metric_results.ts";
import { reportPage } from "../../../src/report/html/report_page.ts";
import { openExportedView } from "../../../src/results/collect/exported_view.ts";
import { RunFolderError } from "../../../src/results/collect/run_folder.ts";
import { withFolder } from "../../support/artifacts.ts";

/** A run that AIPerf 0.13.0 made: 2 requests to warm up, 24 of which one failed. */
const FIXTURE = new URL("../../../fixtures/aiperf_run/", import.meta.url);
const [LINES, SUMMARY] = ["profile_export.jsonl", "profile_export_aiperf.json"] as const;
const SERVER = new URL("../../../fixtures/server_metrics/gauges_varied/", import.meta.url);

const lines = await Deno.readTextFile(new URL(LINES, FIXTURE));
const summary = await Deno.readTextFile(new URL(SUMMARY, FIXTURE));

async function folderOf(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  return folder;
}

Deno.test("openExportedView has AIPerf's own figures, its requests, failures and phases", () =>
  withFolder(async (folder) => {
    const { view } = await openExportedView(
      await folderOf(folder, { [LINES]: lines, [SUMMARY]: summary }),
    );
    const told = JSON.parse(summary);
    const { results, requests, model, endpointType } = view.report;
    assert.equal(distributionOf(results, "time_to_first_token")?.p99, told.time_to_first_token.p99);
    assert.equal(valueOf(results, "request_throughput"), told.request_throughput.avg);
    assert.equal(valueOf(results, "benchmark_duration"), told.benchmark_duration.avg);
    assert.deepEqual([model, endpointType], ["mock-model", "chat"]);
    assert.deepEqual(
      [requests.sent, requests.succeeded, requests.failed, requests.cancelled],
      [24, 23, 1, 0],
    );
    assert.deepEqual([view.warmup.length, view.profiling.length], [2, 24]);
    assert.deepEqual(view.phases.map(({ kind }) => kind), ["warmup", "profiling"]);
    assert.ok(view.phases.every(({ startNs, endNs }) => endNs > startNs));
    assert.equal(view.source, "AIPerf 0.13.0");
    assert.deepEqual(view.errors.map(({ type, status, count }) => [type, status, count]), [
      ["Internal Server Error", 500, 1],
    ]);
    assert.deepEqual(view.failures.map(({ timesNs }) => timesNs.length), [1]);
    // Each line's own latency and tokens; the parts of a request lie within it.
    const latencies = view.profiling.column("request_latency")?.filter((ms) => !Number.isNaN(ms));
    assert.equal(Math.max(...latencies ?? []), told.request_latency.max);
    for (const kept of view.requests) {
      if (kept.error !== undefined) continue;
      assert.ok(kept.sendEndNs >= kept.startNs && kept.headNs <= kept.endNs + 1, `${kept.index}`);
      assert.equal(kept.chunkNs.length, kept.chunks);
      assert.ok(Math.abs((kept.chunkNs.at(-1) as number) - kept.endNs) < 1e6);
    }
  }));

Deno.test("openExportedView makes a page that says whose figures they are", () =>
  withFolder(async (folder) => {
    const { view, summaryJson, summaryName } = await openExportedView(
      await folderOf(folder, { [LINES]: lines, [SUMMARY]: summary }),
    );
    const page = [...reportPage(view, { summaryJson, summaryName })].join("");
    const shown = page.replace(/<(script|style)[^>]*>[^]*?<\/\1>/g, "");
    assert.match(shown, /measured by AIPerf 0\.13\.0/);
    assert.match(shown, /Measured by AIPerf 0\.13\.0, which does not report its own error/);
    assert.match(shown, /requests, 1 failed/);
    assert.match(shown, /The files are those of AIPerf 0\.13\.0/);
    assert.match(shown, /1 request failed: 1 Internal Server Error, at /);
    assert.doesNotMatch(shown, /NaN|undefined|Infinity/);
    assert.equal(summaryName, SUMMARY);
  }));

Deno.test("openExportedView reads AIPerf's server metrics, also over time", () =>
  withFolder(async (folder) => {
    const startNs = JSON.parse(lines.split("\n")[0] as string).metadata.request_start_ns;
    const scrapes = (await Deno.readTextFile(new URL("peer.jsonl", SERVER))).replace(
      /"timestamp_ns":(\d+)/g,
      (_, ns) => `"timestamp_ns":${BigInt(ns) - 1765000000000000000n + BigInt(startNs)}`,
    );
    const { view } = await openExportedView(
      await folderOf(folder, {
        ...{ [LINES]: lines, [SUMMARY]: summary },
        "server_metrics_export.json": await Deno.readTextFile(new URL("peer.json", SERVER)),
        "server_metrics_export.jsonl": scrapes,
      }),
    );
    const metric = view.serverMetrics?.metrics.find(({ name }) => name === "huge_value_bytes");
    assert.equal(metric?.unit, "bytes");
    assert.ok((metric?.series[0]?.stats["avg"] ?? 0) > 1e17);
    const running = view.serverTimeline.find(({ role }) => role === "running");
    assert.deepEqual(running?.values.slice(0, 2), [8, 48]);
    // A double of nanoseconds since 1970 is exact to some hundred.
    assert.ok(Math.abs((running?.timesNs[1] ?? 0) - 5e8) < 2000, `${running?.timesNs[1]}`);
  }));

Deno.test("openExportedView takes what a killed run left, and keys out of what it wrote", () =>
  withFolder(async (folder) => {
    await folderOf(folder, { [LINES]: lines.slice(0, -100) });
    const { view } = await openExportedView(folder);
    assert.equal(view.report.isComplete, false);
    assert.equal(view.profiling.length, 23);
    assert.ok((distributionOf(view.report.results, "request_latency")?.p50 ?? 0) > 0);
    assert.match(view.report.notes.join(), /No summary file/);

    const key = "sk-live-Zx81kq7Wm20fLp";
    const told = JSON.parse(summary);
    told.input_config.endpoint.api_key = key;
    told.run_info.cli_command += ` --header 'X-Other: ${key}2'`;
    const said = lines.replaceAll("Injected fault 500", `no ${key}`);
    await folderOf(folder, { [LINES]: said, [SUMMARY]: JSON.stringify(told) });
    const exported = await openExportedView(folder);
    const page = [...reportPage(exported.view, exported)].join("");
    assert.ok(!page.includes("Zx81kq7Wm20fLp"));
    assert.match(page, /no &lt;redacted&gt;/);
  }));

Deno.test("openExportedView refuses runs of this program without records, and files that are none", () =>
  withFolder(async (folder) => {
    const ours = summary.replace('"0.13.0"', '"inferometer/0.1.0"');
    await folderOf(folder, { [LINES]: lines, [SUMMARY]: ours });
    await assert.rejects(openExportedView(folder), /contains no records of a run/);
    await folderOf(folder, { [LINES]: `${lines}nonsense}\n`, [SUMMARY]: summary });
    await assert.rejects(openExportedView(folder), (error) => {
      assert.ok(error instanceof RunFolderError);
      assert.match(error.message, /profile_export\.jsonl, line 27: /);
      return true;
    });
  }));
