import assert from "node:assert/strict";
import type { ByteConnection } from "../../../src/load/rendezvous/channel.ts";
import { RendezvousError } from "../../../src/load/rendezvous/messages.ts";
import { introduction, TestBarrier } from "../../support/barriers.ts";

const COUNT = 4;

function refused(pattern: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof RendezvousError, String(error));
    assert.match(error.message, pattern);
    return true;
  };
}

Deno.test("shards that meet begin at one time, whatever their clocks say", async () => {
  await using barrier = new TestBarrier(introduction(0, COUNT));
  const ahead = [0, 2500, -86_400_000, 0.25];
  const followers = [1, 2, 3].map((index) =>
    barrier.follower(introduction(index, COUNT), { aheadMs: ahead[index] ?? 0 })
  );
  const [own, ...others] = await Promise.all(
    [barrier.host, ...followers].map((one) => one.meet(0)),
  );
  assert.ok(own);
  assert.deepEqual(own.clock, { offsetMs: 0, errorMs: 0 });
  others.forEach(({ atMs, clock, warning }, place) => {
    const trueMs = ahead[place + 1] as number;
    assert.ok(clock && Math.abs(clock.offsetMs - trueMs) <= clock.errorMs + 0.001, `${trueMs}`);
    assert.ok(Math.abs(atMs - trueMs - own.atMs) <= clock.errorMs + 0.001);
    assert.equal(warning, undefined);
  });
  // After the warm-up they meet again, and at the end shard 0 waits for all.
  const again = await Promise.all([barrier.host, ...followers].map((one) => one.meet(1)));
  assert.ok(again.every(({ atMs }, i) => atMs > ([own, ...others][i]?.atMs ?? Infinity)));
  const [warning] = await Promise.all([barrier.host, ...followers].map((one) => one.over()));
  assert.equal(warning, undefined);
  assert.deepEqual(barrier.warnings, []);
});

Deno.test("a shard that does not fit is refused by name, and the others do not notice", async () => {
  await using barrier = new TestBarrier(introduction(0, 2));
  const cases = [
    [introduction(1, 3), /refuses shard 1: it is one of 3 shards, shard 0 is one of 2/],
    [introduction(1, 2, { planHash: "cd".repeat(32) }), /its plan is another one .*cdcdcdcdcdcd/],
    [introduction(1, 2, { version: "inferometer/2" }), /it is inferometer\/2, shard 0 is inf.*\/1/],
    [introduction(0, 2), /shard 0 of 2 has come already, from node0/],
  ] as const;
  for (const [self, pattern] of cases) {
    await assert.rejects(barrier.follower(self).meet(0), refused(pattern));
  }
  const follower = barrier.follower(introduction(1, 2));
  await Promise.all([barrier.host.meet(0), follower.meet(0)]);
  await assert.rejects(
    barrier.follower(introduction(1, 2)).meet(0),
    refused(/shard 1 of 2 has come already, from node1/),
  );
  assert.equal(barrier.warnings.length, 5);
  assert.match(barrier.warnings[0] ?? "", /^Shard 1 from node1 was refused: /);
});

Deno.test("a missing shard is named to all after the timeout, and nothing begins", async () => {
  await using barrier = new TestBarrier(introduction(0, COUNT));
  const follower = barrier.follower(introduction(2, COUNT));
  const failing = assert.rejects(
    follower.meet(0),
    refused(/^shards 1,.* 3 of 4 did not come within 60 s \(--rendezvous-timeout\)$/),
  );
  const own = assert.rejects(barrier.host.meet(0), refused(/^shards 1,.* 3 of 4 did not come/));
  await follower.hasCome;
  barrier.timers.expire(60_000);
  await Promise.all([failing, own]);
});

Deno.test("a shard with another token, or without shard 0, says so after its timeout", async () => {
  await using barrier = new TestBarrier(introduction(0, 2));
  const follower = barrier.follower(introduction(1, 2), {
    token: "x".repeat(20),
    timeoutMs: 55_000,
  });
  const failing = assert.rejects(
    follower.meet(0),
    refused(/node0:1 did not begin within 55 s .*it has another token, or is not shard 0/),
  );
  await barrier.guestWarned;
  barrier.timers.expire(55_000);
  await failing;
  // Both sides are told once, at the first time of many.
  assert.deepEqual(barrier.warnings, [
    "Rejected a connection from 127.0.0.1 as shard 1: it has a different token",
  ]);
  assert.deepEqual(barrier.guestWarnings, [
    "Shard 0 at node0:1 rejects this shard: it has another token, or is not shard 0 of " +
    "this run; retrying within 55 s (--rendezvous-timeout)",
  ]);
});

Deno.test("strangers who flood, speak nonsense or say nothing disturb nobody", async () => {
  await using barrier = new TestBarrier(introduction(0, COUNT));
  const { port } = barrier;
  const strangers: Deno.Conn[] = [];
  const texts = [
    "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "\x00\x00\x00\x05" + "\x00".repeat(32) + "\x00null",
    "\xff".repeat(5000),
    "\x00\x00\x00\x00".repeat(100),
    "",
    "\x00\x00\x00\x1a" + "\x00".repeat(32) + '\x00{"nonce":"","index":1}....',
  ];
  for (let i = 0; i < 900; i++) {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    strangers.push(connection);
    const text = texts[i % texts.length] as string;
    // Whoever was dropped before cannot write any more.
    await connection.write(Uint8Array.from(text, (letter) => letter.charCodeAt(0))).catch(() => 0);
  }
  const followers = [1, 2, 3].map((index) => barrier.follower(introduction(index, COUNT)));
  await Promise.all([barrier.host, ...followers].map((one) => one.meet(0)));
  await Promise.all([barrier.host, ...followers].map((one) => one.meet(1)));
  await Promise.all([barrier.host, ...followers].map((one) => one.over()));
  assert.deepEqual(barrier.warnings, []);
  for (const connection of strangers) connection.close();
});

Deno.test("strangers cannot use up the descriptors of shard 0", async () => {
  await using barrier = new TestBarrier(introduction(0, 2));
  const strangers: Deno.Conn[] = [];
  for (let i = 0; i < 200; i++) {
    strangers.push(await Deno.connect({ hostname: "127.0.0.1", port: barrier.port }));
  }
  const follower = barrier.follower(introduction(1, 2));
  await Promise.all([barrier.host.meet(0), follower.meet(0)]);
  // The limit of time for strangers does not expire in this test: these are dropped by number.
  for (const connection of strangers.slice(0, 160)) {
    const piece = new Uint8Array(4096);
    try {
      while (await connection.read(piece) !== null);
    } catch (error) {
      assert.ok(error instanceof Deno.errors.ConnectionReset, String(error));
    }
  }
  for (const connection of strangers) connection.close();
});

Deno.test("shards that all come before one has proved anything do not push each other out", async () => {
  const count = 601;
  await using barrier = new TestBarrier(introduction(0, count));
  const { promise: allHeard, resolve } = Promise.withResolvers<void>();
  let connections = 0;
  let heard = 0;
  const held = (connection: ByteConnection): ByteConnection => {
    connections++;
    return {
      // What shard 0 says first is heard by nobody before it has been said to all.
      async read(piece) {
        const length = await connection.read(piece);
        if (++heard === count - 1) resolve();
        await allHeard;
        return length;
      },
      write: (bytes) => connection.write(bytes),
      close: () => connection.close(),
    };
  };
  const followers = Array.from(
    { length: count - 1 },
    (_, place) => barrier.follower(introduction(place + 1, count), { held }),
  );
  await Promise.all(followers.map(({ hasCome }) => hasCome));
  assert.equal(connections, count - 1);
});

Deno.test("a shard that dies in the warm-up does not keep the others from measuring", async () => {
  await using barrier = new TestBarrier(introduction(0, 3));
  const [one, two] = [1, 2].map((index) => barrier.follower(introduction(index, 3))) as [
    ReturnType<typeof barrier.follower>,
    ReturnType<typeof barrier.follower>,
  ];
  await Promise.all([barrier.host, one, two].map((each) => each.meet(0)));
  await one.close();
  const [own] = await Promise.all([barrier.host, two].map((each) => each.meet(1)));
  assert.match(own?.warning ?? "", /^The others continue without shard 1 \(node1\) of 3$/);
  const [text] = await Promise.all([barrier.host, two].map((each) => each.over()));
  assert.equal(text, "Shard 1 (node1) of 3 did not come to an end");
});

Deno.test("shards that lose shard 0 go on by themselves, and say so", async () => {
  const barrier = new TestBarrier(introduction(0, 2));
  await using follower = Object.assign(barrier.follower(introduction(1, 2)), {
    [Symbol.asyncDispose]: () => barrier[Symbol.asyncDispose](),
  });
  await Promise.all([barrier.host.meet(0), follower.meet(0)]);
  const waiting = follower.meet(1);
  await barrier.host.close();
  assert.match((await waiting).warning ?? "", /Shard 0 at node0:1 is gone: this shard continues/);
  assert.match((await follower.meet(1)).warning ?? "", /is gone/);
  assert.equal(await follower.over(), undefined);
});

Deno.test("a shard whose connection breaks before the start comes again", async () => {
  await using barrier = new TestBarrier(introduction(0, 2));
  const follower = barrier.follower(introduction(1, 2));
  const waiting = follower.meet(0);
  await follower.hasCome;
  follower.breakOff();
  const own = barrier.host.meet(0);
  const [{ atMs }, other] = await Promise.all([own, waiting]);
  assert.ok(Math.abs(other.atMs - atMs) < 1000);
  assert.deepEqual(barrier.warnings, []);
});

Deno.test("shard 0 that is interrupted while it waits for the ends still gets the files", async () => {
  const own = await Deno.makeTempDir();
  await Deno.writeTextFile(`${own}/shard.json`, "{}");
  const collectsInto = await Deno.makeTempDir();
  await using barrier = new TestBarrier(introduction(0, 2), { collectsInto });
  const follower = barrier.follower(introduction(1, 2));
  await Promise.all([barrier.host, follower].map((one) => one.meet(0)));
  // The run does not wait for this any more when it is interrupted.
  const over = barrier.host.over();
  const collected = barrier.host.collect();
  assert.equal(await follower.collect(own), undefined);
  assert.equal(await collected, undefined);
  await follower.over();
  assert.equal(await over, undefined);
});

Deno.test("who is missing is told to all, however long the names of their machines are", async () => {
  const long = (index: number) => ({ host: `node${index}.`.repeat(40).slice(0, 250) });
  await using barrier = new TestBarrier(introduction(0, COUNT * 2, long(0)));
  const followers = Array.from({ length: COUNT * 2 - 1 }, (_, place) => place + 1).map((index) =>
    barrier.follower(introduction(index, COUNT * 2, long(index)))
  );
  await Promise.all(followers.map(({ hasCome }) => hasCome));
  // The others are there, and not ready.
  const told = refused(/^shards .{1000,} of 8 did not come within 60 s/);
  const all = [barrier.host, followers[0]].map((one) =>
    assert.rejects(Promise.resolve(one?.meet(0)), told)
  );
  barrier.timers.expire(60_000);
  await Promise.all(all);
});
