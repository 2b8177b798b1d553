import assert from "node:assert/strict";
import { AlarmClock } from "../../src/mock/alarm_clock.ts";
import { HANG_MS } from "../support/hang_guard.ts";

async function withClock(test: (clock: AlarmClock) => Promise<void>): Promise<void> {
  const clock = new AlarmClock();
  try {
    await test(clock);
  } finally {
    clock.close();
  }
}

Deno.test("AlarmClock rings every alarm once, in order, and never early", () =>
  withClock(async (clock) => {
    const startMs = performance.now();
    // Set out of order, some for the same time, some for the past.
    const delaysMs = [30, 5, 12.5, 5, -10, 0, 20, 12.4, 29.9, 3];
    const rung: number[] = [];
    const early: number[] = [];
    await new Promise<void>((resolve) => {
      delaysMs.forEach((delayMs) => {
        clock.at(startMs + delayMs, () => {
          rung.push(delayMs);
          if (performance.now() < startMs + delayMs) early.push(delayMs);
          if (rung.length === delaysMs.length) resolve();
        });
      });
    });
    assert.deepEqual(rung, delaysMs.toSorted((a, b) => a - b));
    assert.deepEqual(early, []);
  }));

Deno.test("AlarmClock rings an alarm that is set while another one rings", () =>
  withClock(async (clock) => {
    const startMs = performance.now();
    const times: number[] = [];
    await new Promise<void>((resolve) => {
      const again = (): void => {
        times.push(performance.now() - startMs);
        if (times.length === 50) resolve();
        else clock.at(startMs + times.length * 0.5, again);
      };
      clock.at(startMs, again);
    });
    times.forEach((time, index) =>
      assert.ok(time >= index * 0.5, `${index} rang after ${time} ms`)
    );
  }));

Deno.test("AlarmClock rings a nearer alarm although a farther one was set before", () =>
  withClock(async (clock) => {
    const rung = await new Promise<string>((resolve) => {
      clock.at(performance.now() + 3_600_000, () => resolve("far"));
      clock.at(performance.now() + 1, () => resolve("near"));
    });
    assert.equal(rung, "near");
  }));

Deno.test("AlarmClock's thread ends with it, so that the process can", async () => {
  const module = new URL("../../src/mock/alarm_clock.ts", import.meta.url).href;
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const script = `
    import { AlarmClock } from ${JSON.stringify(module)};
    const clock = new AlarmClock();
    await new Promise((resolve) => clock.at(performance.now() + 5, resolve));
    clock.at(performance.now() + 3_600_000, () => {});
    clock.close();
    console.log("closed");
  `;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--quiet", "--config", config, "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(script));
  await writer.close();
  const deadline = setTimeout(() => child.kill("SIGKILL"), HANG_MS);
  const { code, stdout } = await child.output();
  clearTimeout(deadline);
  assert.equal(new TextDecoder().decode(stdout), "closed\n");
  assert.equal(code, 0, "it did not end by itself");
});
