/** GPU telemetry of a run: its tables and files against the mock's truth, AIPerf's models, bad ends. */

import assert from "node:assert/strict";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { endOf } from "../support/profile_run.ts";
import { runCli, spawnCli } from "../support/run_cli.ts";
import { PROFILE_JSON_SCHEMA } from "../../src/report/export/schemas/profile_json_schema.ts";
import { schemaProblems } from "../support/schema_problems.ts";

/** AIPerf, if it is on this machine: INFEROMETER_TEST_AIPERF names its Python. */
const AIPERF = Deno.env.get("INFEROMETER_TEST_AIPERF") ?? "/tmp/peers/venv/bin/python";

const CHECK = `
import sys
from aiperf.common.models.export_models import JsonExportData
from aiperf.common.models.telemetry_models import TelemetryHierarchy, TelemetryRecord
hierarchy = TelemetryHierarchy()
for line in open(sys.argv[1] + "/gpu_telemetry_export.jsonl", "rb"):
    hierarchy.add_record(TelemetryRecord.model_validate_json(line, strict=True))
data = open(sys.argv[1] + "/profile_export_aiperf.json", "rb").read()
gpus = [gpu for endpoint in JsonExportData.model_validate_json(data, strict=True).telemetry_data.endpoints.values() for gpu in endpoint.gpus.values()]
print(len(gpus), gpus[0].metrics["nvidia_power_usage"].unit)
`;

function profileArgs(url: string, folder: string, ...args: string[]): string[] {
  return [
    ...["profile", "--url", url, "--model", "mock-model", "--streaming", "--isl", "20"],
    ...["--osl", "10", "--concurrency", "3", "--request-count", "30", "--artifact-dir", folder],
    ...["--server-metrics-interval", "50ms", "--server-metrics-flush-period", "0.2", ...args],
  ];
}

Deno.test("GPU telemetry is in every output, and report makes it again byte for byte", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--gpus", "2", "--ttft", "10", "--itl", "5"]);
    const exporter = `${mock.url}/dcgm/metrics`;
    const run = `${folder}/run`;
    const { code, stdout, stderr } = await runCli(
      profileArgs(mock.url, run, "--gpu-telemetry", exporter),
    );
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Energy per Output Token\s+\d/);
    const { json, csv, consoleText, names } = await readArtifacts(run);
    assert.ok(names.includes("gpu_telemetry_export.jsonl"));
    assert.deepEqual(schemaProblems(PROFILE_JSON_SCHEMA, json), []);
    assert.match(csv, /^Endpoint,GPU_Index,GPU_Name,GPU_UUID,Platform,Metric,avg,/m);
    assert.match(consoleText, /GPU 1 \| Mock GPU/);
    const { gpus } = Object.values(json.telemetry_data.endpoints)[0] as {
      gpus: Record<string, { metrics: Record<string, { avg: number; min: number; max: number }> }>;
    };
    const power = gpus["gpu_1"]?.metrics["nvidia_power_usage"];
    // At rest it takes 101 W, with three requests under way 75 W more.
    assert.ok(power !== undefined && power.min >= 101 && power.max <= 176 && power.max > 101);
    const energyJ = json.nvidia_total_gpu_energy.avg;
    const meanW = json.nvidia_average_gpu_power.avg;
    const seconds = (Date.parse(json.end_time) - Date.parse(json.start_time)) / 1e3;
    assert.ok(meanW > 201 && meanW <= 351.001, `${meanW} W`);
    assert.ok(Math.abs(energyJ - meanW * seconds) < 0.02 * energyJ + 0.5);
    assert.equal(json.nvidia_energy_per_request.avg, energyJ / 30);
    assert.equal(json.nvidia_energy_per_user.avg, energyJ / 3);
    const before = new Map<string, string>();
    for (const name of names) before.set(name, await Deno.readTextFile(`${run}/${name}`));
    assert.equal((await runCli(["report", run])).code, 0);
    for (const [name, text] of before) {
      assert.equal(await Deno.readTextFile(`${run}/${name}`), text, name);
    }
    const page = before.get("report.html") ?? "";
    for (const text of [/GPU power/, /GPU utilization/, /GPU memory in use/, /Each of 2 GPUs/]) {
      assert.match(page, text);
    }
    assert.match(page, /NVIDIA Energy per User<\/th><td class="text">joules\/user<\/td>/);
  }));

Deno.test({
  name: "AIPerf's models read the files of GPU telemetry",
  ignore: !await Deno.stat(AIPERF).then(() => true, () => false),
  fn: () =>
    withFolder(async (folder) => {
      using mock = await startLocalMock(["--gpus", "2"]);
      const run = spawnCli(
        profileArgs(mock.url, folder, "--gpu-telemetry", `${mock.url}/dcgm/metrics`),
      );
      assert.equal((await endOf(run)).code, 0);
      const { code, stdout, stderr } = await new Deno.Command(AIPERF, {
        args: ["-c", CHECK, folder],
      })
        .output();
      assert.equal(code, 0, new TextDecoder().decode(stderr));
      assert.equal(new TextDecoder().decode(stdout), "2 W\n");
    }),
});

Deno.test("fields of a list are reported, and a bad line is a usage error", () =>
  withFolder(async (folder) => {
    // As long as some scrapes: gauges of a shorter run are absent.
    using mock = await startLocalMock(["--gpus", "1", "--ttft", "10", "--itl", "5"]);
    const list = `${folder}/fields.csv`;
    await Deno.writeTextFile(list, "DCGM_FI_DEV_SM_CLOCK, gauge, SM clock frequency (in MHz)\n");
    const args = profileArgs(
      mock.url,
      `${folder}/run`,
      "--gpu-telemetry",
      list,
      `${mock.url}/dcgm/metrics`,
    );
    assert.equal((await runCli(args)).code, 0);
    const { csv } = await readArtifacts(`${folder}/run`);
    assert.match(csv, /,SM Clock Frequency \(MHz\),1410\.00,/);
    await Deno.writeTextFile(list, "# fields\nDCGM_FI_DEV_SM_CLOCK, meter, x\n");
    const bad = await runCli(args);
    assert.equal(bad.code, 2);
    assert.match(
      bad.stderr,
      /--gpu-telemetry: .*fields\.csv:2: Expected gauge, counter or label, got "meter"/,
    );
  }));

Deno.test("an exporter that is not there is told once, and nothing else changes", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock();
    const { code, stdout, stderr } = await runCli(
      profileArgs(mock.url, folder, "--gpu-telemetry", "127.0.0.1:1"),
    );
    assert.equal(code, 0, stderr);
    assert.match(stdout, /note: No GPU telemetry from http:\/\/127\.0\.0\.1:1\/metrics/);
    const { json } = await readArtifacts(folder);
    assert.deepEqual(json.telemetry_data.endpoints, {});
    assert.equal("nvidia_total_gpu_energy" in json, false);
  }));

Deno.test("native libraries are refused by name, and the plan lists where GPUs are looked for", async () => {
  const profile = (...args: string[]) =>
    runCli(["profile", "--url", "http://127.0.0.1:1", "--model", "m", "--dry-run", ...args]);
  const refused = await profile("--gpu-telemetry", "pynvml");
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /pynvml reads a native library/);
  const plain = await profile();
  assert.match(plain.stdout, /GPUs\s+GET http:\/\/localhost:9400\/metrics if present/);
  assert.match(plain.stdout, /GPU scrape worker.*localhost:9400/);
  const off = await profile("--no-gpu-telemetry");
  assert.match(off.stdout, /GPUs\s+not collected/);
  assert.doesNotMatch(off.stdout, /9400/);
});
