import assert from "node:assert/strict";
import { NetworkProbe } from "../../../src/telemetry/network_latency/network_probe.ts";
import { meanRttNs } from "../../../src/telemetry/network_latency/network_sample.ts";

const TARGET = { url: "http://s:1", hostname: "s", address: "10.0.0.1", port: 1 };

/** A probe whose connects take `rttMs` each, undefined for one that is refused, on a clock of its own. */
function probing(rttsMs: readonly (number | undefined)[]) {
  let nowMs = 0;
  let tries = 0;
  const waits: { readonly delayMs: number; readonly call: () => void }[] = [];
  const probe = new NetworkProbe({
    targets: [TARGET],
    intervalMs: 1000,
    nowNs: () => nowMs * 1e6,
    connect() {
      const rttMs = rttsMs[tries++ % rttsMs.length];
      if (rttMs === undefined) return Promise.reject(new Error("refused"));
      nowMs += rttMs;
      return Promise.resolve();
    },
    after(delayMs, call) {
      const wait = { delayMs, call };
      waits.push(wait);
      return () => waits.splice(waits.indexOf(wait), 1);
    },
  });
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
  return {
    probe,
    waits,
    settle,
    async beat() {
      await settle();
      const [wait] = waits.splice(0, 1);
      nowMs += wait?.delayMs ?? 0;
      wait?.call();
      await settle();
    },
  };
}

Deno.test("NetworkProbe keeps to its beat, however long a connect takes", async () => {
  const { probe, beat } = probing([3, 40, 7]);
  probe.start();
  await beat();
  await beat();
  const samples = await probe.stop(false);
  assert.deepEqual(samples.map(({ atNs, rttNs }) => [atNs, rttNs]), [
    [0, 3e6],
    [1000e6, 40e6],
    [2000e6, 7e6],
  ]);
  assert.equal(meanRttNs(samples), 50e6 / 3);
});

Deno.test("NetworkProbe adds connects after a short load, until five have succeeded", async () => {
  const { probe, settle } = probing([2, undefined]);
  probe.start();
  await settle();
  const samples = await probe.stop(true);
  assert.equal(samples.filter(({ rttNs }) => rttNs === 2e6).length, 5);
  assert.equal(samples.filter(({ error }) => error === "refused").length, 4);
});

Deno.test("NetworkProbe gives up on a server that refuses", async () => {
  const { probe, settle } = probing([undefined]);
  probe.start();
  await settle();
  const samples = await probe.stop(true);
  assert.equal(samples.length, 1 + 10);
  assert.equal(meanRttNs(samples), undefined);
});
