import assert from "node:assert/strict";
import { FileReceiver } from "../../../src/load/rendezvous/file_receiver.ts";
import { shardFileNames } from "../../../src/load/rendezvous/shard_files.ts";
import { introduction, TestBarrier } from "../../support/barriers.ts";

Deno.test("a shard's files come to shard 0 as they are, the last one last, none that is hidden", async () => {
  const own = await Deno.makeTempDir();
  const all = await Deno.makeTempDir();
  await Deno.mkdir(`${own}/run`);
  const large = new Uint8Array(2_000_000).map((_, i) => i * 7);
  await Deno.writeFile(`${own}/run/records.bin`, large);
  await Deno.writeTextFile(`${own}/shard.json`, "{}");
  await Deno.writeTextFile(`${own}/z z.txt`, "");
  await Deno.writeTextFile(`${own}/.inferometer-claim`, "x");
  assert.deepEqual(await shardFileNames(own), ["run/records.bin", "z z.txt", "shard.json"]);
  await using barrier = new TestBarrier(introduction(0, 2), { collectsInto: all });
  const follower = barrier.follower(introduction(1, 2));
  await Promise.all([barrier.host.meet(0), follower.meet(0)]);
  const [missing, failure] = await Promise.all([barrier.host.collect(), follower.collect(own)]);
  assert.deepEqual([missing, failure], [undefined, undefined]);
  const there = `${all}/shard-0001-of-0002`;
  assert.deepEqual(await Deno.readFile(`${there}/run/records.bin`), large);
  assert.deepEqual(await shardFileNames(there), await shardFileNames(own));
});

Deno.test("a shard whose files do not come is named", async () => {
  await using barrier = new TestBarrier(introduction(0, 3), { collectsInto: "/nowhere" });
  const followers = [1, 2].map((index) => barrier.follower(introduction(index, 3)));
  await Promise.all([barrier.host, ...followers].map((one) => one.meet(0)));
  for (const follower of followers) await follower.close();
  assert.match(await barrier.host.collect() ?? "", /files of 2 of 3 shards did not come: 1, 2/);
});

Deno.test("a file receiver writes into its folder alone, and no more than was said", async () => {
  const folder = `${await Deno.makeTempDir()}/shard`;
  using files = new FileReceiver(folder);
  for (
    const name of ["../x", "/etc/x", "a/../../x", "", ".hidden", "a//b", "a/.b", "a\\..\\x", "a\nb"]
  ) {
    await assert.rejects(files.begin(name, 1), RangeError, name);
  }
  await files.begin("run/a b.bin", 3);
  await files.add(Uint8Array.of(1, 2));
  await assert.rejects(files.add(Uint8Array.of(3, 4)), RangeError);
});
