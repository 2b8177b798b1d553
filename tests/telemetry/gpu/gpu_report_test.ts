import assert from "node:assert/strict";
import { gpuEfficiency } from "../../../src/telemetry/gpu/gpu_efficiency.ts";
import { gpuReport, type GpuTelemetryReport } from "../../../src/telemetry/gpu/gpu_report.ts";
import { endpointOf } from "../../support/gpu_pages.ts";

const WINDOW = { startNs: 1e9, endNs: 5e9 };

function reportOf(pages: readonly string[], named = true): GpuTelemetryReport | undefined {
  const endpoint = {
    url: "http://node1:9400/metrics",
    series: endpointOf(pages),
    failures: new Map<string, number>(),
    named,
  };
  return gpuReport([endpoint], { window: WINDOW, baseEpochNs: 0n, customFields: [] });
}

function figuresOf(report: GpuTelemetryReport | undefined, gpu = 0): Record<string, number> {
  const figures = report?.endpoints[0]?.gpus[gpu]?.figures ?? [];
  return Object.fromEntries(figures.map(({ field, stats }) => [field.key, stats.avg]));
}

const DCGM = 'gpu="0",UUID="GPU-a",modelName="H100",Hostname="n1"';

Deno.test("gpuReport scales what DCGM says into AIPerf's units", () => {
  const page = (second: number): string =>
    `DCGM_FI_DEV_POWER_USAGE{${DCGM}} ${300 + second}\n` +
    "# TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION counter\n" +
    `DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{${DCGM}} ${5e12 + second * 3e5}\n` +
    `DCGM_FI_DEV_FB_USED{${DCGM}} 1000\nDCGM_FI_PROF_SM_ACTIVE{${DCGM}} 0.25\n` +
    `DCGM_FI_DEV_POWER_VIOLATION{${DCGM}} ${second * 2000}\n` +
    `DCGM_FI_DEV_GPU_TEMP{gpu="x"} 1\nother{${DCGM}} 1\n`;
  const report = reportOf(Array.from({ length: 7 }, (_, second) => page(second)));
  const { nvidia_energy_consumption: energy, ...figures } = figuresOf(report);
  assert.deepEqual(figures, {
    nvidia_power_usage: 303,
    nvidia_memory_used: 1000 * 1.048576e-3,
    nvidia_sm_utilization: 25,
    nvidia_power_violation: 8,
  });
  assert.ok(Math.abs((energy ?? NaN) * 1e6 - 1200) < 0.01);
  assert.equal(report?.totals[0]?.powerW, 303);
  assert.ok(Math.abs((report?.totals[0]?.energyJ ?? NaN) - 1200) < 0.01);
  assert.deepEqual(report?.notes, []);
});

Deno.test("gpuReport takes one GPU's samples together when its pod changes", () => {
  const report = reportOf(
    [0, 1, 2, 3, 4, 5].map((second) =>
      `DCGM_FI_DEV_POWER_USAGE{${DCGM},pod="p${second % 2}"} ${second}\n`
    ),
  );
  assert.equal(report?.endpoints[0]?.gpus.length, 1);
  assert.deepEqual(figuresOf(report), { nvidia_power_usage: 3 });
});

Deno.test("gpuReport tells when energy is missing, reset, or rarely updated", () => {
  const power = `DCGM_FI_DEV_POWER_USAGE{${DCGM}} 200\n`;
  const energy = (mJ: number): string =>
    `${power}DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{${DCGM}} ${mJ}\n`;
  const missing = reportOf(Array(6).fill(power));
  assert.equal(missing?.totals[0]?.energyJ, 800);
  assert.match(missing?.notes.join() ?? "", /reports no energy; its energy is its mean power/);
  const reset = reportOf([9e6, 9.2e6, 9.4e6, 1e5, 3e5, 5e5].map(energy));
  assert.ok(Math.abs((reset?.totals[0]?.energyJ ?? NaN) - 700) < 1e-6);
  assert.match(reset?.notes.join() ?? "", /Energy Consumption began again from zero 1 x/);
  const still = reportOf(Array(6).fill(energy(9e6)));
  assert.equal(still?.totals[0]?.energyJ, 800);
  assert.match(still?.notes.join() ?? "", /not updated often enough/);
});

Deno.test("gpuReport reads AMD's exporter", () => {
  const labels = 'gpu_id="3",serial_number="S1",card_series="Instinct MI300X",hostname="n2"';
  const report = reportOf(
    [0, 1, 2, 3, 4, 5, 6].map((second) =>
      `gpu_package_power{${labels}} 650\ngpu_energy_consumed{${labels}} ${second * 650e6}\n` +
      `gpu_gfx_activity{${labels}} 90\ngpu_used_vram{${labels}} 2000\n`
    ),
  );
  const gpu = report?.endpoints[0]?.gpus[0]?.identity;
  assert.deepEqual([gpu?.index, gpu?.name, gpu?.platform, gpu?.uuid], [
    ...[3, "Instinct MI300X", "amd", "S1"],
  ]);
  const figures = figuresOf(report);
  assert.equal(figures["amd_power"], 650);
  assert.equal(figures["amd_memory_used"], 2000 * 1.048576e-3);
  assert.ok(Math.abs((report?.totals[0]?.energyJ ?? NaN) - 2600) < 1e-6);
});

Deno.test("gpuReport reads the power of node_exporter's GPU chips, and of no others", () => {
  const page = 'node_hwmon_chip_names{chip="0000:03:00_0",chip_name="amdgpu"} 1\n' +
    'node_hwmon_chip_names{chip="nvme0",chip_name="nvme"} 1\n' +
    'node_hwmon_power_average_watt{chip="0000:03:00_0",sensor="power1"} 120\n' +
    'node_hwmon_power_average_watt{chip="nvme0",sensor="power1"} 5\n';
  const report = reportOf(Array(6).fill(page));
  assert.equal(report?.endpoints[0]?.gpus.length, 1);
  assert.deepEqual(figuresOf(report), { amd_power: 120 });
});

Deno.test("gpuReport is silent of an endpoint that nobody named and that has no GPUs", () => {
  assert.equal(reportOf(["go_goroutines 5\n"], false), undefined);
  assert.match(reportOf(["go_goroutines 5\n"])?.notes.join() ?? "", /no known GPU exporter/);
});

Deno.test("gpuEfficiency is what its formulas say", () => {
  const totals = [{ platform: "nvidia" as const, powerW: 410, energyJ: 2000 }];
  const client = {
    ...{ outputTokens: 4000, inputTokens: 1000, requests: 50, latencyMs: 500 },
    ...{ requestsPerSecond: 10, outputTokensPerSecond: 800, goodRequestsPerSecond: 8 },
    concurrency: 4,
  };
  const values = Object.fromEntries(
    gpuEfficiency({ totals, seconds: 5 }, client).map(({ tag, value }) => [tag, value]),
  );
  assert.deepEqual(values, {
    nvidia_total_gpu_power: 410,
    nvidia_average_gpu_power: 400,
    nvidia_total_gpu_energy: 2000,
    nvidia_output_tokens_per_joule: 2,
    nvidia_energy_per_output_token: 500,
    nvidia_energy_per_total_token: 400,
    nvidia_energy_per_request: 40,
    nvidia_energy_per_user: 500,
    nvidia_energy_delay_product: 20,
    nvidia_performance_per_watt: 0.025,
    nvidia_output_tps_per_watt: 2,
    nvidia_goodput_per_watt: 0.02,
  });
  const unknown = gpuEfficiency({
    totals: [{ platform: "nvidia" as const, powerW: 410, energyJ: undefined }],
    seconds: 5,
  }, client);
  assert.deepEqual(unknown.map(({ tag }) => tag), ["nvidia_total_gpu_power"]);
});

Deno.test("gpuReport adds up the memory of a divided GPU's parts, and takes the mean of all else", () => {
  const part = (id: number) => `${DCGM},GPU_I_PROFILE="1g.10gb",GPU_I_ID="${id}"`;
  const page = [1, 2, 3].map((id) =>
    `DCGM_FI_DEV_POWER_USAGE{${part(id)}} 300\n` +
    `DCGM_FI_DEV_FB_USED{${part(id)}} ${id * 1000}\n` +
    `DCGM_FI_PROF_SM_ACTIVE{${part(id)}} ${id / 10}\n`
  ).join("");
  const pages = Array.from({ length: 7 }, () => page);
  const report = reportOf(pages);
  assert.equal(report?.endpoints[0]?.gpus.length, 1);
  assert.deepEqual(figuresOf(report), {
    nvidia_power_usage: 300,
    nvidia_memory_used: 6000 * 1.048576e-3,
    nvidia_sm_utilization: 20,
  });
  // What is said of the whole GPU counts for itself.
  const whole = `DCGM_FI_DEV_FB_USED{${DCGM}} 9000\n`;
  const figures = figuresOf(reportOf(pages.map((text) => text + whole)));
  assert.equal(figures["nvidia_memory_used"], 9000 * 1.048576e-3);
});

Deno.test("gpuReport takes what pods that share a GPU say of it once", () => {
  const page = ["a", "b"].map((pod) => `DCGM_FI_DEV_POWER_USAGE{${DCGM},pod="${pod}"} 250\n`);
  const report = reportOf(Array.from({ length: 7 }, () => page.join("")));
  assert.deepEqual(figuresOf(report), { nvidia_power_usage: 250 });
  assert.equal(report?.totals[0]?.powerW, 250);
});
