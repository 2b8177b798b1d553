import assert from "node:assert/strict";
import { SYSTEM_TIMERS } from "../../../src/core/thread/timers.ts";
import { FolderBarrier } from "../../../src/load/rendezvous/folder_barrier.ts";
import { RendezvousError } from "../../../src/load/rendezvous/messages.ts";
import { introduction, wallMs } from "../../support/barriers.ts";

const warnings: string[] = [];

function barrier(
  directory: string,
  self: ReturnType<typeof introduction>,
  timeoutMs = 60_000,
): FolderBarrier {
  return new FolderBarrier({ self, directory, timeoutMs }, {
    nowMs: wallMs,
    // Nobody waits in a test.
    timers: { ...SYSTEM_TIMERS, once: (delayMs, call) => SYSTEM_TIMERS.once(delayMs / 50, call) },
    onWarning: (text) => warnings.push(text),
  });
}

async function begun(directory: string, count: number): Promise<FolderBarrier[]> {
  const all = Array.from({ length: count }, (_, i) => barrier(directory, introduction(i, count)));
  for (const one of all) await one.begin();
  return all;
}

Deno.test("shards that see one folder begin at one time, twice, and shard 0 waits for their ends", async () => {
  const directory = `${await Deno.makeTempDir()}/not/yet/there`;
  const all = await begun(directory, 3);
  for (const stage of [0, 1] as const) {
    const agreements = await Promise.all(all.map((one) => one.meet(stage)));
    assert.equal(new Set(agreements.map(({ atMs }) => atMs)).size, 1);
    assert.ok(agreements.every(({ clock, warning }) => clock === undefined && !warning));
  }
  const [warning] = await Promise.all(all.map((one) => one.over()));
  assert.equal(warning, undefined);
  await assert.rejects(
    barrier(directory, introduction(0, 3)).begin(),
    /a run has begun in .* already: name another folder/,
  );
  for (const one of all) await one.close();
});

Deno.test("a shard that does not come, or does not fit, is named; leavings of another run do not count", async () => {
  const directory = await Deno.makeTempDir();
  // A shard that was killed in an earlier attempt has left its file.
  const dead = barrier(directory, introduction(1, 2));
  await dead.begin();
  await dead.close();
  const first = barrier(directory, introduction(0, 2), 800);
  await first.begin();
  const other = barrier(directory, introduction(1, 2, { planHash: "cd".repeat(32) }), 800);
  await other.begin();
  await Promise.all([
    assert.rejects(first.meet(0), (error) => {
      assert.ok(error instanceof RendezvousError);
      assert.match(error.message, /^shard 1 of 2 did not come to .* within 0.8 s/);
      return true;
    }),
    assert.rejects(other.meet(0), /refuses shard 1 in .*: its plan is another one/),
  ]);
  assert.equal(warnings.filter((text) => text.includes("another one")).length, 1);
  for (const one of [first, other]) await one.close();
});

Deno.test("signs of life that come at the same time as others do not disturb a barrier", async () => {
  const directory = await Deno.makeTempDir();
  let beat = (): void => {};
  const timers = {
    ...SYSTEM_TIMERS,
    every: (_: number, call: () => void) => (beat = call, () => {}),
  };
  const one = new FolderBarrier({ self: introduction(0, 1), directory, timeoutMs: 60_000 }, {
    nowMs: wallMs,
    timers,
    onWarning: (text) => warnings.push(text),
  });
  await one.begin();
  // All of them write the same file.
  for (let beats = 0; beats < 50; beats++) beat();
  const agreement = one.meet(0);
  for (let beats = 0; beats < 50; beats++) beat();
  assert.equal((await agreement).warning, undefined);
  await one.close();
});
