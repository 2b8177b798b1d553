import assert from "node:assert/strict";
import { MockGpus } from "../../src/mock/mock_gpus.ts";

Deno.test("MockGpus integrates power over what was under way", () => {
  let nowMs = 1000;
  const gpus = new MockGpus(2, () => nowMs);
  nowMs += 2000;
  gpus.setRunning(4);
  nowMs += 1000;
  gpus.setRunning(0);
  nowMs += 500;
  const [first, second] = gpus.truth();
  assert.deepEqual(first, { gpu: 0, powerW: 100, energyJ: 350 + 100 });
  assert.deepEqual(second, { gpu: 1, powerW: 101, energyJ: 353.5 + 100 });
  const page = gpus.exposition();
  assert.match(page, /^DCGM_FI_DEV_POWER_USAGE\{gpu="1",UUID="GPU-mock-1".*\} 101.0$/m);
  assert.match(page, /^DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION\{gpu="0".*\} 1000450000.0$/m);
});
