import assert from "node:assert/strict";
import { machineTime, MachineTimes } from "../../../src/run/runner/machine_times.ts";

Deno.test("machineTime adds up the fields of all cores, followers' time only once", () => {
  const text = "cpu  10 1 5 100 2 0 3 7 4 4\ncpu0 5 0 2 50 1 0 1 3 2 2\n";
  assert.deepEqual(machineTime(text), { total: 128, stolen: 7 });
  for (const other of ["", "cpu\n", "cpu  1 2 3\n", "intr 5\n"]) {
    assert.equal(machineTime(other), undefined, other);
  }
});

Deno.test(
  "MachineTimes go on when they are read again",
  { ignore: Deno.build.os !== "linux" },
  () => {
    const times = MachineTimes.open();
    assert.ok(times !== undefined);
    const first = times.read()?.total as number;
    assert.ok(first > 0);
    assert.ok((times.read()?.total as number) >= first);
    times.close();
    assert.equal(times.read(), undefined);
  },
);
