import assert from "node:assert/strict";
import { gpuTimeline, joinedTimeline } from "../../../src/report/model/gpu_timeline.ts";
import { endpointOf } from "../../support/gpu_pages.ts";

Deno.test("gpuTimeline takes the GPUs of an exporter together, and no other chips", () => {
  const page = (second: number): string =>
    [0, 1].map((gpu) =>
      `DCGM_FI_DEV_POWER_USAGE{gpu="${gpu}",UUID="g${gpu}"} ${100 * (gpu + 1) + second}\n` +
      `DCGM_FI_DEV_GPU_UTIL{gpu="${gpu}",UUID="g${gpu}"} ${10 * gpu}\n` +
      `DCGM_FI_DEV_FB_USED{gpu="${gpu}",UUID="g${gpu}"} 1000\n`
    ).join("") +
    'node_hwmon_chip_names{chip="c",chip_name="amdgpu"} 1\n' +
    'node_hwmon_chip_names{chip="nvme",chip_name="nvme"} 1\n' +
    'node_hwmon_power_average_watt{chip="c",sensor="power1"} 50\n' +
    'node_hwmon_power_average_watt{chip="nvme",sensor="power1"} 5\n';
  const endpoint = { url: "http://a/metrics", series: endpointOf([0, 1, 2].map(page)) };
  const lines = gpuTimeline([endpoint]);
  assert.deepEqual(
    lines.map(({ role, timesNs, values }) => [role, timesNs, values.map((v) => +v.toFixed(6))]),
    [
      ["gpuPower", [0, 1e9, 2e9], [350, 352, 354]],
      ["gpuUtilization", [0, 1e9, 2e9], [10, 10, 10]],
      ["gpuMemory", [0, 1e9, 2e9], [2.097152, 2.097152, 2.097152]],
    ],
  );
});

Deno.test("joinedTimeline has an exporter's line once", () => {
  const line = (role: "gpuPower" | "kvUsage", metric: string) => ({
    ...{ role, metric, endpointUrl: "http://a/metrics", timesNs: [0], values: [1] },
  });
  const servers = [line("gpuPower", "x"), line("kvUsage", "y")];
  const gpus = [line("gpuPower", "z")];
  assert.deepEqual(joinedTimeline(servers, gpus).map(({ metric }) => metric), ["y", "z"]);
  assert.deepEqual(joinedTimeline(servers), servers);
});
