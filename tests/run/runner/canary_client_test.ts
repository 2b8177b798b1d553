import assert from "node:assert/strict";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import { startThread } from "../../../src/config/sandbox/start_thread.ts";
import { MainClock } from "../../../src/core/thread/run_clock.ts";
import { CANARY_CONNECTIONS } from "../../../src/measurement/canary/canary_server.ts";
import { CanaryClient } from "../../../src/run/runner/canary_client.ts";
import { freePort } from "../../../src/run/runner/free_port.ts";
import { KeptThreads } from "../../../src/run/runner/kept_threads.ts";
import { FakeTime } from "../../support/fake_time.ts";

/** Canaries come many times a second. */
const PATIENCE_MS = 5000;

/** Begins clients whose threads have their orders, and counts the threads that were started for them. */
async function start(changed: Partial<RunPlan> = {}, streaming = false) {
  const resolved = await resolvePlan({
    ...{ url: ["http://127.0.0.1:1"], model: "m", workers: 1, noServerMetrics: true },
    // A thread goes on as what it was born for, and that includes its port.
    canaryPort: freePort() as number,
    streaming,
  }, { cores: 2, cliCommand: "test", findModel: () => Promise.resolve("m") });
  const plan = { ...resolved, ...changed };
  const count = { started: 0 };
  let die = (_reason: string): void => {};
  const threads = new KeptThreads((url, permissions, onDeath) => {
    count.started++;
    die = onDeath;
    return startThread(url, permissions, onDeath);
  });
  const clock = new MainClock();
  const begin = async (onWarning: (text: string) => void = (text) => assert.fail(text)) => {
    const client = CanaryClient.start(plan, onWarning, threads);
    assert.ok(client);
    await client.init(clock);
    return client;
  };
  return { begin, clock, count, die: (reason: string) => die(reason), plan, threads };
}

/** A load worker's end of a stream of canaries: waits for one that was written after a time. */
async function canariesOf({ orders: { origin, token } }: CanaryClient) {
  const { body } = await fetch(`http://${origin.host}${token}/0`, {
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const reader = body?.getReader();
  assert.ok(reader);
  return async (afterNs: number) => {
    for (;;) {
      const { value } = await reader.read();
      assert.ok(value);
      // Kind, intended and written time of each.
      const writtenNs = new Float64Array(value.slice().buffer).at(-1) as number;
      if (writtenNs > afterNs) return;
    }
  };
}

Deno.test("CanaryClient has canaries written in one phase after the other", async () => {
  const { begin, clock, threads } = await start();
  const client = await begin();
  const written = await canariesOf(client);
  for (let phase = 1; phase <= 3; phase++) {
    const beginNs = clock.nowNs();
    client.begin(beginNs);
    await written(beginNs);
    client.end();
  }
  await client.close();
  threads.close();
});

Deno.test("CanaryClient leaves its thread to the next run, though a phase is under way", async () => {
  const { begin, count, threads } = await start();
  const client = await begin();
  const written = await canariesOf(client);
  client.begin(0);
  await written(0);
  assert.equal(client.close(), client.close(), "it is closed once");
  await client.close();
  await (await begin()).close();
  assert.equal(count.started, 1);
  threads.close();
});

Deno.test("CanaryClient waits for the load workers to connect", async () => {
  const { begin, threads } = await start();
  const client = await begin();
  const time = new FakeTime();
  const { origin, token } = client.orders;
  const replies = Promise.all(
    Array.from({ length: CANARY_CONNECTIONS }, () => fetch(`http://${origin.host}${token}/0`)),
  );
  await client.connected(time);
  assert.equal(time.nowNs(), 0);
  assert.equal(time.pending, 0);
  for (const { body } of await replies) await body?.cancel();
  await client.close();
  threads.close();
});

Deno.test("CanaryClient does not wait for ever for load workers that do not connect", async () => {
  const { begin, threads } = await start();
  const client = await begin();
  const time = new FakeTime();
  let isOver = false;
  const over = client.connected(time).then(() => isOver = true);
  await time.pass(299);
  assert.equal(isOver, false);
  await time.pass(2);
  await over;
  await client.close();
  threads.close();
});

Deno.test("CanaryClient waits for nobody where its thread cannot listen", async () => {
  const { begin, plan, threads } = await start();
  const time = new FakeTime();
  const warnings: string[] = [];
  const taken = Deno.listen({ hostname: "127.0.0.1", port: plan.canaryPort as number });
  const client = await begin((text) => warnings.push(text));
  await client.connected(time);
  taken.close();
  await client.close();
  threads.close();
  assert.deepEqual([time.nowNs(), time.pending, warnings.length], [0, 0, 1]);
  assert.match(warnings[0] ?? "", /error not measured: /);
});

Deno.test("CanaryClient waits for nobody where its thread has died", async () => {
  const { begin, die, threads } = await start();
  const time = new FakeTime();
  const warnings: string[] = [];
  const client = await begin((text) => warnings.push(text));
  const over = client.connected(time);
  die("gone");
  await over;
  await client.close();
  threads.close();
  assert.deepEqual([time.nowNs(), time.pending], [0, 0]);
  assert.deepEqual(warnings, ["Client error no longer measured: gone"]);
});

Deno.test("CanaryClient has canaries read as the replies are that they stand for", async () => {
  const reading = async (streaming: boolean, changed: Partial<RunPlan>) => {
    const { begin, threads } = await start(changed, streaming);
    const client = await begin();
    const { transport, asked, reuse } = client.orders;
    await client.close();
    threads.close();
    return { transport, asked, reuse };
  };
  const onSockets = { transport: "socket", asked: undefined, reuse: undefined };
  for (const streaming of [true, false]) {
    for (const changed of [{}, { transport: "fetch", canaryTransport: "socket" }] as const) {
      assert.deepEqual(await reading(streaming, changed), onSockets);
    }
  }
  assert.deepEqual(await reading(true, { transport: "fetch" }), {
    ...{ transport: "fetch", asked: "first", reuse: "pooled" },
  });
  assert.deepEqual(await reading(false, { transport: "fetch", reuse: "never" }), {
    ...{ transport: "fetch", asked: "any", reuse: "never" },
  });
});
