/** Runs over time as a user has them: tags, what served, what it costs, lists, bundles. */

import assert from "node:assert/strict";
import { unzipSync } from "npm:fflate@0.8.3";
import { createHash } from "node:crypto";
import { parquetMetadataAsync } from "npm:hyparquet@1.31.5";
import { COMPARISON_SCHEMA } from "../../src/report/export/schemas/comparison_schema.ts";
import { GATE_SCHEMA } from "../../src/report/export/schemas/gate_schema.ts";
import { PROFILE_JSON_SCHEMA } from "../../src/report/export/schemas/profile_json_schema.ts";
import { SERVER_METRICS_SCHEMA } from "../../src/report/export/schemas/server_metrics_schema.ts";
import { readManifest } from "../../src/results/collect/run_manifest.ts";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { NO_FLUSH, runCli, spawnCli } from "../support/run_cli.ts";
import { schemaProblems } from "../support/schema_problems.ts";
import { until } from "../support/until.ts";

const SUMMARY = "profile_export_aiperf.json";
const LOAD = ["--streaming", "--concurrency", "4", "--osl", "6", "--random-seed", "7"];

async function cli(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const result = await runCli(args, { env: { ...NO_FLUSH, ...env } });
  assert.equal(result.code, 0, result.stderr);
  return result;
}

async function json(path: string) {
  return JSON.parse(await Deno.readTextFile(path));
}

/**
 * A server in front of a mock that says what it is: its version, a configuration with a key in it,
 * and a metric that holds the configuration of its cache.
 */
function startServer(mockUrl: string, version: string, blockSize: number) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/version") return Response.json({ version });
    if (pathname === "/get_server_info") {
      return Response.json({
        "tp_size": 2,
        "api_key": "sesame-1234",
        "note": "<b>\u001b[2Jbold</b>",
      });
    }
    const { body, method } = request;
    const reply = await fetch(`${mockUrl}${pathname}`, {
      method,
      body: body === null ? null : await request.text(),
      headers: { "content-type": "application/json" },
    });
    if (pathname !== "/metrics") return reply;
    return new Response(
      `${await reply.text()}# TYPE vllm:cache_config_info gauge\n` +
        `vllm:cache_config_info{block_size="${blockSize}",hostname="gpu-7.lan"} 1\n`,
      { headers: { "content-type": "text/plain; version=0.0.4" } },
    );
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, stop: () => server.shutdown() };
}

Deno.test("tags, cost and what served go through every output of a run", async (t) => {
  using mock = await startLocalMock(["--ttft", "5", "--itl", "1"]);
  await withFolder(async (folder) => {
    const [one, other] = [startServer(mock.url, "1.0", 16), startServer(mock.url, "1.1", 128)];
    const run = (url: string, name: string, ...more: readonly string[]) =>
      cli([
        ...["profile", "--url", url, ...LOAD, "--request-count", "40", "--model", "mock-model"],
        ...["--artifact-dir", `${folder}/${name}`, "--slo", "ttft.p99<60s"],
        ...["--goodput", "latency:60000", "--tag", "note=<i>x", ...more],
      ]);
    const a = await run(one.url, "a", "--tag", "gpu=h100", "--cost-per-hour", "36");
    await run(other.url, "b", "--tag", "gpu=a100", "--cost-per-hour", "72");
    await Promise.all([one.stop(), other.stop()]);

    await t.step("the screen", () => {
      assert.match(a.stdout, /^tags: gpu=h100, note=<i>x$/m);
      assert.match(a.stdout, /^mock-model on inferometer mock 1\.0, http:/m);
      assert.match(a.stdout, /^cost .* \/ 1M tokens out/m);
    });

    await t.step("files", async () => {
      const summary = await json(`${folder}/a/${SUMMARY}`);
      assert.deepEqual(schemaProblems(PROFILE_JSON_SCHEMA, summary), []);
      assert.deepEqual(summary.tags, { "gpu": "h100", "note": "<i>x" });
      const [asked, metrics] = summary.server_info;
      assert.equal(asked.facts["version"], "1.0");
      assert.equal(asked.facts["server_info.api_key"], "<redacted>");
      assert.equal(asked.asked["/props"], "HTTP 404");
      assert.equal(metrics.facts["vllm:cache_config_info.block_size"], "16");
      const seconds = summary.benchmark_duration.avg;
      const cost = 36 * seconds / 3600;
      assert.ok(Math.abs(summary.total_cost.avg - cost) < 1e-12);
      assert.ok(Math.abs(summary.cost_per_request.avg - cost / 40) < 1e-12);
      assert.equal(summary.cost_per_good_request.avg, summary.cost_per_request.avg);
      const perToken = cost / summary.total_osl.avg * 1e6;
      assert.ok(Math.abs(summary.cost_per_million_output_tokens.avg / perToken - 1) < 1e-12);
      const csv = await Deno.readTextFile(`${folder}/a/profile_export_aiperf.csv`);
      assert.match(csv, /Cost per Million Output Tokens \(currency\/1M tokens\),/);
      const server = await json(`${folder}/a/server_metrics_export.json`);
      assert.deepEqual(server.tags, summary.tags);
      assert.deepEqual(schemaProblems(SERVER_METRICS_SCHEMA, server), []);
      const parquet = await Deno.readFile(`${folder}/a/server_metrics_export.parquet`);
      const { key_value_metadata: pairs } = await parquetMetadataAsync(parquet.buffer);
      const tags = pairs?.find(({ key }) => key === "inferometer.tags")?.value;
      assert.deepEqual(JSON.parse(tags ?? ""), summary.tags);
      const gate = await json(`${folder}/a/gate.json`);
      assert.deepEqual(gate.tags, summary.tags);
      assert.deepEqual(schemaProblems(GATE_SCHEMA, gate), []);
      const junit = await Deno.readTextFile(`${folder}/a/junit.xml`);
      assert.match(junit, /<property name="note" value="&lt;i&gt;x"\/>/);
      const page = await Deno.readTextFile(`${folder}/a/report.html`);
      assert.match(page, /gpu=h100 · note=&lt;i&gt;x/);
      assert.match(page, /inferometer mock 1\.0/);
      assert.match(page, /Cost: \S+ per million output tokens, \S+ per request/);
      assert.doesNotMatch(page, /<b>[^<]*bold|<i>x/);
      const { facts, summary: end } = readManifest(
        await Deno.readTextFile(`${folder}/a/run/run.json`),
      );
      assert.deepEqual(facts.plan.tags, [["gpu", "h100"], ["note", "<i>x"]]);
      assert.equal(new Map(facts.servers?.[0]?.facts).get("version"), "1.0");
      assert.equal(
        new Map(end?.metricsInfo?.[0]?.facts).get("vllm:cache_config_info.hostname"),
        "gpu-7.lan",
      );
      for await (const { name, isFile } of Deno.readDir(`${folder}/a`)) {
        if (!isFile) continue;
        const text = await Deno.readTextFile(`${folder}/a/${name}`);
        assert.ok(!/sesame-1234/.test(text), name);
        // Parquet is no text.
        if (!name.endsWith(".parquet")) assert.ok(!text.includes("\u001b"), name);
      }
    });

    await t.step("report makes them again", async () => {
      const names = [SUMMARY, "report.html", "junit.xml", "server_metrics_export.json"];
      const read = () => Promise.all(names.map((name) => Deno.readTextFile(`${folder}/a/${name}`)));
      const before = await read();
      await cli(["report", `${folder}/a`]);
      assert.deepEqual(await read(), before);
    });

    await t.step("compare tells what differs", async () => {
      const { stdout } = await cli(
        ["compare", `${folder}/a`, `${folder}/b`, "--output-dir", `${folder}/c`],
        { "COLUMNS": "400" },
      );
      assert.match(
        stdout,
        /servers are not the same: version: 1\.0 and 1\.1; vllm:cache_config_info\.block_size: 16 and 128$/m,
      );
      assert.match(stdout, /tags are not the same: gpu: h100 and a100$/m);
      assert.match(stdout, /^cost\/1M out .* -> /m);
      assert.doesNotMatch(stdout, /plans are not the same/);
      const comparison = await json(`${folder}/c/comparison.json`);
      assert.deepEqual(schemaProblems(COMPARISON_SCHEMA, comparison), []);
      const [pair] = comparison.comparisons;
      assert.equal(pair.before_tags.gpu, "h100");
      assert.equal(pair.after_tags.gpu, "a100");
      const cost = pair.differences.find(({ metric }: { metric: string }) =>
        metric === "cost_per_million_output_tokens"
      );
      const summary = await json(`${folder}/a/${SUMMARY}`);
      assert.equal(cost.unit, "currency/1M tokens");
      const rates = pair.window === "steady" ? summary.steady_state.metrics : summary;
      const rate = rates.output_token_throughput.avg;
      assert.ok(Math.abs(cost.before / (36 / 3600 / rate * 1e6) - 1) < 1e-6);
      // The same from exported files alone.
      await Deno.rename(`${folder}/a/run`, `${folder}/kept`);
      const again = await cli(["compare", `${folder}/a`, `${folder}/b`], { "COLUMNS": "400" });
      await Deno.rename(`${folder}/kept`, `${folder}/a/run`);
      assert.match(again.stdout, /version: 1\.0 and 1\.1/);
      assert.match(again.stdout, /gpu: h100 and a100/);
      assert.match(again.stdout, /^cost\/1M out /m);
    });

    await t.step("gate judges cost, and has the tags of the run", async () => {
      await cli([
        "gate",
        `${folder}/a`,
        "--slo",
        "cost_per_request<1",
        "--output-dir",
        `${folder}/g`,
      ]);
      assert.equal((await json(`${folder}/g/gate.json`)).tags.gpu, "h100");
      const refused = await runCli(["profile", "--url", "127.0.0.1:1", "--slo", "total_cost<1"]);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /has no value without --cost-per-hour/);
    });

    await t.step("runs lists them", async () => {
      const all = JSON.parse((await cli(["runs", folder, "--json"])).stdout);
      assert.deepEqual(all.runs.map(({ folder }: { folder: string }) => folder), ["a", "b"]);
      const { stdout } = await cli([
        ...["runs", folder, "--tag", "gpu=a100", "--metric", "total_cost"],
        ...["--output", `${folder}/trend.svg`],
      ], { "COLUMNS": "200" });
      assert.match(stdout, /│ b +│ mock-model: 4 in /);
      assert.doesNotMatch(stdout, /│ a +│/);
      assert.match(stdout, /total_cost over time\n.* b +0/);
      assert.match(await Deno.readTextFile(`${folder}/trend.svg`), /^<svg .*total_cost/s);
      const server = await cli(["runs", folder, "--metric", "server.block_size.max"]);
      assert.match(server.stdout, /None of the runs has server\.block_size\.max/);
    });
  });
});

Deno.test("runs shows a run that was killed with what it had measured", async () => {
  using mock = await startLocalMock(["--itl", "2"]);
  await withFolder(async (folder) => {
    const artifacts = `${folder}/deep/a`;
    const child = spawnCli([
      ...["profile", "--url", mock.url, ...LOAD, "--request-count", "1000000"],
      ...["--artifact-dir", artifacts, "--tag", "k=v", "--no-server-metrics"],
    ]);
    const sizeOf = async () =>
      (await Deno.stat(`${artifacts}/run/records.bin`).catch(() => ({ size: 0 }))).size;
    try {
      await until("records on the disk", async () => await sizeOf() > 10_000);
      const running = JSON.parse((await cli(["runs", folder, "--json"])).stdout);
      assert.equal(running.runs[0].state, "running");
    } finally {
      child.kill("SIGKILL");
      await child.output();
    }
    const { runs: [killed] } = JSON.parse((await cli(["runs", folder, "--json"])).stdout);
    assert.deepEqual([killed.state, killed.ended_early_reason], ["killed", "killed"]);
    assert.deepEqual(killed.tags, { "k": "v" });
    assert.equal(killed.folder, "deep/a");
    assert.ok(
      killed.metrics.some(({ metric, value }: { metric: string; value: number }) =>
        metric === "time_to_first_token" && value > 0
      ),
    );
  });
});

Deno.test("bundle packs a run that can be shared, and read again", async (t) => {
  using mock = await startLocalMock([
    "--ttft",
    "5",
    "--itl",
    "1",
    "--faults",
    "500:0.2",
    "--seed",
    "3",
  ]);
  await withFolder(async (folder) => {
    const server = startServer(mock.url, "1.0", 16);
    await Deno.writeTextFile(`${folder}/p.jsonl`, '{"text":"Once upon a prompt"}\n');
    await cli([
      ...[
        "profile",
        "--url",
        server.url,
        ...LOAD,
        "--request-count",
        "40",
        "--model",
        "mock-model",
      ],
      ...[
        "--artifact-dir",
        `${folder}/a`,
        "--export-level",
        "raw",
        "--input-file",
        `${folder}/p.jsonl`,
        // A gauge is told of scrapes within the run, which may end after a tenth of a second.
        "--server-metrics-interval",
        "20ms",
      ],
    ]);
    await server.stop();
    await Deno.writeTextFile(`${folder}/a/diary.txt`, "mine");

    const bundle = async (name: string, ...more: readonly string[]) => {
      const path = `${folder}/${name}.zip`;
      const { stdout } = await cli(["bundle", `${folder}/a`, "--output", path, ...more]);
      const bytes = await Deno.readFile(path);
      const entries = Object.entries(unzipSync(bytes));
      const roots = new Set(entries.map(([name]) => name.split("/")[0]));
      assert.equal(roots.size, 1);
      const files = new Map(entries.map(([name, bytes]) => [name.replace(/^[^/]+\//, ""), bytes]));
      const text = (name: string) => new TextDecoder().decode(files.get(name));
      return { stdout, bytes, files, text };
    };
    const holds = (files: ReadonlyMap<string, Uint8Array>, word: string): string[] =>
      [...files].filter(([, bytes]) => new TextDecoder("latin1").decode(bytes).includes(word))
        .map(([name]) => name);

    const hasErrors = (bytes: Uint8Array) =>
      /Injected/.test(new TextDecoder("latin1").decode(bytes));
    await t.step("without prompts and replies, with a list of what is in it", async () => {
      const { stdout, bytes, files, text } = await bundle("plain");
      assert.match(stdout, /left out: inputs\.json \(prompts and replies\)/);
      assert.match(stdout, /left out: diary\.txt \(not of the run\)/);
      assert.deepEqual(holds(files, "Once upon"), []);
      const manifest = JSON.parse(text("bundle.json"));
      assert.deepEqual(
        manifest.files.map(({ name }: { name: string }) => name),
        [...files.keys()].filter((name) => name !== "bundle.json").sort(),
      );
      for (const { name, bytes: size, sha256 } of manifest.files) {
        const content = files.get(name) as Uint8Array;
        assert.equal(content.length, size, name);
        assert.equal(createHash("sha256").update(content).digest("hex"), sha256, name);
        // In files with errors, a kind and a status are in place of what the server said.
        const original = await Deno.readFile(`${folder}/a/${name}`);
        if (!hasErrors(original)) assert.deepEqual(content, original, name);
        assert.ok(!hasErrors(content), name);
      }
      assert.deepEqual((await bundle("again")).bytes, bytes);
    });

    await t.step("with them on request", async () => {
      const { files } = await bundle("text", "--with-text");
      assert.ok(holds(files, "Once upon").includes("inputs.json"));
      assert.ok(files.has("profile_export_raw.jsonl"));
    });

    await t.step("with other names for hosts", async () => {
      const path = `${folder}/a/run/run.json`;
      const original = await Deno.readTextFile(path);
      // Requests can only go to this machine here: the plan tells of another one.
      await Deno.writeTextFile(path, original.replaceAll("127.0.0.1", "10.1.2.3"));
      const { files, text, bytes, stdout } = await bundle("hosts", "--anonymize-hosts");
      assert.deepEqual((await bundle("hosts2", "--anonymize-hosts")).bytes, bytes);
      await Deno.writeTextFile(path, original);
      const { facts } = readManifest(original);
      assert.match(stdout, /hosts: \d+ replaced/);
      for (const word of ["10.1.2.3", "gpu-7.lan"]) assert.deepEqual(holds(files, word), [], word);
      const written = readManifest(text("run/run.json"));
      assert.match(text("run/run.json"), /"checksum": /);
      assert.ok(!text("run/run.json").includes("isChanged"), "of the file that was read");
      assert.match(written.facts.machine.hostname, /^host-\d+$/);
      assert.match(written.facts.plan.targets[0]?.origin.hostname ?? "", /^host-\d+$/);
      assert.match(text("server_metrics_export.json"), /"hostname": "host-\d+"/);
      assert.notEqual(facts.machine.hostname, written.facts.machine.hostname);
      // Unpacked, it is a run: made again, it is the same.
      const unpacked = `${folder}/unpacked`;
      await Deno.mkdir(`${unpacked}/run`, { recursive: true });
      for (const [name, content] of files) await Deno.writeFile(`${unpacked}/${name}`, content);
      await cli(["report", unpacked]);
      for (const name of [SUMMARY, "report.html", "server_metrics_export.parquet"]) {
        assert.deepEqual(await Deno.readFile(`${unpacked}/${name}`), files.get(name), name);
      }
      const { stdout: compared } = await cli(["compare", `${folder}/a`, unpacked], {
        "COLUMNS": "200",
      });
      assert.match(compared, /^latency p50 .* 0\.0 %/m);
    });

    await t.step("not of a folder without a run, nor into another kind of file", async () => {
      await Deno.mkdir(`${folder}/empty`);
      for (
        const args of [
          [`${folder}/empty`],
          [`${folder}/missing`],
          [`${folder}/a`, "--output", `${folder}/x.tar`],
        ]
      ) {
        const { code, stderr } = await runCli(["bundle", ...args]);
        assert.equal(code, 2, stderr);
        assert.equal(stderr.trim().split("\n").length, 1, stderr);
      }
    });
  });
});

Deno.test("bundle of AIPerf's files takes keys out of settings and command line", () =>
  withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/a`);
    await Deno.writeTextFile(
      `${folder}/a/${SUMMARY}`,
      JSON.stringify({
        "benchmark_id": "abc",
        "time_to_second_token": { "unit": "ms", "avg": 1 },
        "input_config": { "endpoint": { "api_key": "sesame-1", "urls": ["http://gpu1.lan:8000"] } },
        "run_info": { "cli_command": "aiperf profile --api-key sesame-2 --url gpu1.lan:8000" },
      }),
    );
    await Deno.writeTextFile(`${folder}/a/profile_export.jsonl`, '{"error":"gpu1.lan is away"}\n');
    await cli(["bundle", `${folder}/a`, "--anonymize-hosts"]);
    const entries = unzipSync(await Deno.readFile(`${folder}/a.zip`));
    const texts = Object.fromEntries(
      Object.entries(entries).map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]),
    );
    const summary = JSON.parse(texts[`inferometer-abc/${SUMMARY}`] ?? "");
    assert.equal(summary.time_to_second_token.avg, 1);
    assert.equal(summary.input_config.endpoint.api_key, "<redacted>");
    assert.equal(
      summary.run_info.cli_command,
      "aiperf profile --api-key <redacted> --url host-1:8000",
    );
    assert.equal(texts["inferometer-abc/profile_export.jsonl"], '{"error":"host-1 is away"}\n');
  }));
