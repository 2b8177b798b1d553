/** Energy per token, request and user, computed anew from the lines of a run; and gates on it. */

import assert from "node:assert/strict";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";

import { runCli } from "../support/run_cli.ts";

/** Joules by a counter in megajoules at a time: on the line between the two changes around it. */
function energyAt(samples: readonly (readonly [ns: number, mj: number])[], ns: number): number {
  const changes = samples.filter(([, mj], at) => at === 0 || mj !== samples[at - 1]?.[1]);
  const after = changes.findIndex(([time]) => time >= ns);
  assert.ok(after > 0, "the counter was read on both sides");
  const [[t0, e0], [t1, e1]] = [changes[after - 1], changes[after]] as [
    ...[readonly [number, number], readonly [number, number]],
  ];
  return (e0 + (e1 - e0) * (ns - t0) / (t1 - t0)) * 1e6;
}

Deno.test("energy per token, request and user is what the lines of the run come to", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--gpus", "2", "--ttft", "30", "--itl", "5"]);
    const run = `${folder}/run`;
    const { code, stdout, stderr } = await runCli([
      ...["profile", "--url", mock.url, "--model", "mock-model", "--streaming", "--isl", "20"],
      ...["--osl", "30", "--concurrency", "3", "--request-count", "30", "--artifact-dir", run],
      ...["--warmup-request-count", "4", "--server-metrics-interval", "50ms"],
      ...["--server-metrics-flush-period", "0.3", "--gpu-telemetry", `${mock.url}/dcgm/metrics`],
      ...["--slo", "gpu.power.max<10W", "gpu.energy_per_request<1MJ", "tokens_per_joule>1e-9"],
    ]);
    assert.equal(code, 3, stderr);
    assert.match(stdout, /gpu\.power\.max < 10 W .* MISSED\s+\(worst of 2 GPUs: GPU 1 of/);
    assert.match(stdout, /gpu\.energy_per_request < 1 MJ .* met/);
    const { json } = await readArtifacts(run);
    const recordText = await Deno.readTextFile(`${run}/profile_export.jsonl`);
    // From the phase's start to its last response; differences of stamps are exact in a double.
    const baseNs = BigInt(Date.parse(json.start_time)) * 1_000_000n;
    const startNs = Number(json.start_time.slice(-4, -1)) * 1e3;
    const endNs = Math.max(
      ...[...recordText.matchAll(/"request_end_ns": ?(\d+)/g)].map(([, stamp]) =>
        Number(BigInt(stamp as string) - baseNs)
      ),
    );
    const samples = new Map<string, (readonly [number, number])[]>();
    const text = await Deno.readTextFile(`${run}/gpu_telemetry_export.jsonl`);
    for (const line of text.trimEnd().split("\n")) {
      const stamp = /"timestamp_ns": ?(\d+)/.exec(line)?.[1] ?? "";
      const { gpu_uuid: gpu, telemetry_data: data } = JSON.parse(line);
      const own = samples.get(gpu) ?? [];
      samples.set(gpu, own);
      own.push([Number(BigInt(stamp) - baseNs), data["nvidia_energy_consumption"]]);
    }
    assert.equal(samples.size, 2);
    const energyJ = [...samples.values()].reduce(
      (sum, own) => sum + energyAt(own, endNs) - energyAt(own, startNs),
      0,
    );
    const records = recordText.trimEnd().split("\n").map((line) => JSON.parse(line)).filter((
      { metadata },
    ) => metadata.benchmark_phase === "profiling");
    const total = (tag: string): number =>
      records.reduce((sum, { metrics }) => sum + metrics[tag].value, 0);
    const output = total("output_sequence_length");
    const expected = {
      "nvidia_total_gpu_energy": energyJ,
      "nvidia_average_gpu_power": energyJ / ((endNs - startNs) / 1e9),
      "nvidia_energy_per_output_token": 1e3 * energyJ / output,
      "nvidia_energy_per_total_token": 1e3 * energyJ / (output + total("input_sequence_length")),
      "nvidia_energy_per_request": energyJ / records.length,
      "nvidia_energy_per_user": energyJ / 3,
      "nvidia_output_tokens_per_joule": output / energyJ,
      "nvidia_energy_delay_product": energyJ / records.length *
        total("request_latency") / records.length / 1e3,
    };
    for (const [tag, value] of Object.entries(expected)) {
      assert.ok(Math.abs(json[tag].avg / value - 1) < 1e-4, `${tag}: ${json[tag].avg}, ${value}`);
    }

    const gate = await runCli([
      ...["gate", run, "--slo", "gpu.power.max<10kW", "energy_per_output_token>0"],
    ]);
    assert.equal(gate.code, 0, gate.stderr);
    const runs = await runCli(["runs", folder, "--metric", "gpu.power.max", "--json"]);
    assert.equal(runs.code, 0, runs.stderr);
    assert.match(runs.stdout, /"source": ?"gpu"/);
    // Of a folder without records, by its summary alone.
    await Deno.remove(`${run}/run`, { recursive: true });
    const exported = await runCli(["gate", run, "--slo", "gpu.power.max<10W"]);
    assert.equal(exported.code, 3, exported.stderr);
    assert.match(exported.stdout, /worst of 2 GPUs/);
    const unknown = await runCli(["gate", run, "--slo", "gpu.powerr.max<10W"]);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /did you mean "gpu\.power"\?/);
  }));

Deno.test("an objective on GPUs needs their telemetry, and says so where there is none", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock();
    const args = [
      ...["profile", "--url", mock.url, "--model", "mock-model", "--request-count", "3"],
      ...["--artifact-dir", folder, "--slo", "gpu.power.max<1kW"],
    ];
    const off = await runCli([...args, "--no-gpu-telemetry"]);
    assert.equal(off.code, 2);
    assert.match(off.stderr, /"gpu\.power\.max" has no value without GPU telemetry/);
    const none = await runCli([...args, "--gpu-telemetry", "127.0.0.1:1"]);
    assert.equal(none.code, 3, none.stderr);
    assert.match(none.stdout, /gpu\.power\.max < 1 kW\s+no value\s+MISSED\s+\(no GPU was found\)/);
  }));
