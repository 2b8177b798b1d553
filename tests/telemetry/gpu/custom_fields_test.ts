import assert from "node:assert/strict";
import { CustomFieldError, parseCustomFields } from "../../../src/telemetry/gpu/custom_fields.ts";

Deno.test("parseCustomFields names fields as AIPerf does", () => {
  const fields = parseCustomFields(
    "# clocks\r\n\r\nDCGM_FI_DEV_SM_CLOCK, gauge, SM clock frequency (in MHz)\r\n" +
      "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE,gauge,Tensor, cores (in %)\n" +
      "DCGM_FI_DEV_POWER_USAGE, gauge, Power draw (in W)\n" +
      "DCGM_FI_DEV_PCIE_REPLAY_COUNTER, counter,\n",
  );
  assert.deepEqual(fields.map(({ key, header, unit, kind }) => [key, header, unit, kind]), [
    ["nvidia_sm_clock", "SM Clock Frequency", "MHz", "gauge"],
    ["nvidia_pipe_tensor_active", "Tensor, Cores", "%", "gauge"],
    ["nvidia_pcie_replay_counter", "Nvidia PCIE Replay Counter", "count", "counter"],
  ]);
});

Deno.test("parseCustomFields reports the line when it is none of the form", () => {
  const cases: [text: string, line: number, message: RegExp][] = [
    ["\nDCGM_FI_DEV_SM_CLOCK, gauge", 2, /a type and a help/],
    ["sm_clock, gauge, x", 1, /DCGM_FI_, got "sm_clock"/],
    ["# x\n\nDCGM_FI_DEV_SM_CLOCK, text, x", 3, /gauge, counter or label, got "text"/],
  ];
  for (const [text, line, message] of cases) {
    assert.throws(
      () => parseCustomFields(text),
      (error) =>
        error instanceof CustomFieldError && error.line === line && message.test(error.message),
    );
  }
});

Deno.test("parseCustomFields takes dcgm-exporter's own list: labels, units by their case", () => {
  const fields = parseCustomFields(
    "DCGM_FI_DRIVER_VERSION,        label, Driver Version\n" +
      "DCGM_FI_DEV_FB_FREE, gauge, Framebuffer memory free (in MiB).\n" +
      "DCGM_FI_DEV_PCIE_TX_THROUGHPUT,  counter, Bytes through PCIe TX (in KB) via NVML.\n" +
      "DCGM_FI_DEV_SOME_ENERGY, counter, Energy (in mJ).\n" +
      "DCGM_FI_DEV_OTHER_ENERGY, counter, Energy (in MJ).\n",
  );
  assert.deepEqual(fields.map(({ key, unit }) => [key, unit]), [
    ["nvidia_fb_free", "MiB"],
    ["nvidia_pcie_tx_throughput", "KB"],
    ["nvidia_some_energy", "mJ"],
    ["nvidia_other_energy", "MJ"],
  ]);
});
