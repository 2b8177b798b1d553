/** The network's share of latencies: measured or told, beside the raw figures, and again by report. */

import assert from "node:assert/strict";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";

import { runCli } from "../support/run_cli.ts";

const AIPERF = Deno.env.get("INFEROMETER_TEST_AIPERF") ?? "/tmp/peers/venv/bin/python";
const CHECK = `
import sys
from aiperf.common.models.network_latency_models import NetworkLatencySample
for line in open(sys.argv[1] + "/profile_export_network_latency.jsonl", "rb"):
    NetworkLatencySample.model_validate_json(line, strict=True)
`;

function profileArgs(url: string, folder: string, ...args: string[]): string[] {
  return [
    ...["profile", "--url", url, "--model", "mock-model", "--streaming", "--isl", "20"],
    ...["--osl", "5", "--concurrency", "2", "--request-count", "10", "--artifact-dir", folder],
    ...["--no-server-metrics", "--no-gpu-telemetry", ...args],
  ];
}

Deno.test("--network-latency-automatic reports latencies without the mean connect time besides", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "20"]);
    const args = ["--network-latency-automatic", "--network-latency-ping-interval", "0.05"];
    const { code, stdout, stderr } = await runCli(profileArgs(mock.url, folder, ...args));
    assert.equal(code, 0, stderr);
    assert.match(stdout, /network +RTT [\d.]+ ms; without it TTFT p50/);
    const text = await Deno.readTextFile(`${folder}/profile_export_network_latency.jsonl`);
    const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.ok(lines.length >= 5);
    assert.ok(lines.every(({ success, target_port }) => success && target_port === mock.port));
    const { json } = await readArtifacts(folder);
    const mean = lines.reduce((sum, { rtt_ns }) => sum + rtt_ns, 0) / lines.length / 1e6;
    assert.ok(Math.abs(json.network_rtt.avg - mean) < 1e-9);
    for (const tag of ["time_to_first_token", "request_latency"]) {
      const adjusted = json[`network_adjusted_${tag}`];
      assert.ok(Math.abs(json[tag].p50 - adjusted.p50 - mean) < 1e-9, tag);
    }
    const before = await Deno.readTextFile(`${folder}/profile_export_aiperf.json`);
    assert.equal((await runCli(["report", folder])).code, 0);
    assert.equal(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`), before);
    assert.equal(await Deno.readTextFile(`${folder}/profile_export_network_latency.jsonl`), text);
    if (!await Deno.stat(AIPERF).then(() => true, () => false)) return;
    const read = await new Deno.Command(AIPERF, { args: ["-c", CHECK, folder] }).output();
    assert.equal(read.code, 0, new TextDecoder().decode(read.stderr));
  }));

Deno.test("--network-latency-mean takes the user's figure off, to zero at least, and sends no probe", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "20"]);
    const args = profileArgs(mock.url, folder, "--network-latency-mean", "1000");
    assert.equal((await runCli(args)).code, 0);
    const { json, names } = await readArtifacts(folder);
    assert.equal(json.network_rtt.avg, 1000);
    assert.equal(json.network_adjusted_request_latency.max, 0);
    assert.ok(json.request_latency.min >= 20);
    assert.equal(names.includes("profile_export_network_latency.jsonl"), false);
    const both = await runCli([...args, "--network-latency-automatic"]);
    assert.equal(both.code, 2);
  }));
