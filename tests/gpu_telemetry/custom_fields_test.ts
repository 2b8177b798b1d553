import assert from "node:assert/strict";
import { CustomFieldError, parseCustomFields } from "../../src/gpu_telemetry/custom_fields.ts";

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
    ["# x\n\nDCGM_FI_DEV_SM_CLOCK, label, x", 3, /gauge or counter, got "label"/],
  ];
  for (const [text, line, message] of cases) {
    assert.throws(
      () => parseCustomFields(text),
      (error) =>
        error instanceof CustomFieldError && error.line === line && message.test(error.message),
    );
  }
});
