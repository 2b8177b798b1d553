import assert from "node:assert/strict";
import { Channel, ChannelError, connectionKey } from "../../../src/load/rendezvous/channel.ts";
import { TOKEN } from "../../support/barriers.ts";

/** A connection whose two ends are in this test. */
function pipe(): { ends: [Channel, Channel]; toHost: Uint8Array[] } {
  const toHost: Uint8Array[] = [];
  const queues: Uint8Array[][] = [[], []];
  const wake: (() => void)[] = [() => {}, () => {}];
  const end = (own: 0 | 1) => ({
    async read(buffer: Uint8Array): Promise<number | null> {
      while (queues[own]?.length === 0) {
        await new Promise<void>((resolve) => wake[own] = resolve);
      }
      const piece = queues[own]?.shift() as Uint8Array;
      if (piece.length === 0) return null;
      // Pieces end anywhere.
      const part = piece.subarray(0, Math.min(7, buffer.length));
      buffer.set(part);
      if (part.length < piece.length) queues[own]?.unshift(piece.subarray(part.length));
      return part.length;
    },
    write(bytes: Uint8Array): Promise<number> {
      const other = own === 0 ? 1 : 0;
      if (own === 0) toHost.push(bytes.slice());
      queues[other]?.push(bytes.slice());
      wake[other]?.();
      return Promise.resolve(bytes.length);
    },
    close() {},
  });
  const ends: [Channel, Channel] = [
    new Channel(end(0), "follower", () => 1),
    new Channel(end(1), "leader", () => 2),
  ];
  return { ends, toHost };
}

const KEY = connectionKey(TOKEN, "a", "b");

Deno.test("a channel carries texts and bytes, in pieces that end anywhere", async () => {
  const { ends: [follower, host] } = pipe();
  for (const channel of [follower, host]) channel.prove(KEY);
  await follower.send({ "probe": 1 });
  await follower.send(Uint8Array.of(1, 2, 3));
  assert.equal((await host.receive(100))?.text, '{"probe":1}');
  const { text, bytes, atMs } = await host.receive(100) ?? {};
  assert.deepEqual([text, [...bytes ?? []], atMs], [undefined, [1, 2, 3], 2]);
  await host.send({ "welcome": true });
  assert.equal((await follower.receive(100))?.text, '{"welcome":true}');
});

/** What a host makes of frames that a follower with this key has sent, after a change. */
async function received(
  key: Uint8Array,
  change: (frames: Uint8Array[]) => Uint8Array[],
): Promise<string[]> {
  const { ends: [follower], toHost } = pipe();
  follower.prove(key);
  for (let i = 0; i < 3; i++) await follower.send({ "probe": i });
  const frames = change(toHost);
  const bytes = frames.flatMap((frame) => [...frame]);
  let at = 0;
  const host = new Channel(
    {
      read(buffer: Uint8Array) {
        if (at >= bytes.length) return Promise.resolve(null);
        const piece = bytes.slice(at, at += buffer.length);
        buffer.set(piece);
        return Promise.resolve(piece.length);
      },
      write: (bytes: Uint8Array) => Promise.resolve(bytes.length),
      close() {},
    },
    "leader",
    () => 0,
  );
  host.prove(KEY);
  const texts: string[] = [];
  for (let one = await host.receive(100); one !== undefined; one = await host.receive(100)) {
    texts.push(one.text as string);
  }
  return texts;
}

Deno.test("a channel takes nothing that was forged, changed, repeated or left out", async () => {
  assert.equal((await received(KEY, (frames) => frames)).length, 3);
  const changes: ((frames: Uint8Array[]) => Uint8Array[])[] = [
    ([a, b, c]) => [a, a, c, b].map((frame) => frame as Uint8Array),
    ([, b, c]) => [b as Uint8Array, c as Uint8Array],
    ([a, b]) => [a as Uint8Array, (b as Uint8Array).map((byte, i) => i === 45 ? byte ^ 1 : byte)],
    ([a, b]) => [a as Uint8Array, (b as Uint8Array).subarray(0, 40)],
  ];
  for (const change of changes) await assert.rejects(received(KEY, change), ChannelError);
  const other = connectionKey(TOKEN, "a", "other");
  await assert.rejects(received(other, (frames) => frames), /not proved by the token/);
});

Deno.test("a channel refuses a message that is longer than allowed before it is read", async () => {
  const { ends: [follower, host] } = pipe();
  await follower.send(new Uint8Array(101));
  await assert.rejects(host.receive(100), /a message of 102 bytes/);
});
