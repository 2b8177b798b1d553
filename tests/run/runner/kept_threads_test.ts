import assert from "node:assert/strict";
import type { ThreadPermissions } from "../../../src/config/sandbox/permissions.ts";
import type { Thread } from "../../../src/config/sandbox/start_thread.ts";
import { KeptThreads } from "../../../src/run/runner/kept_threads.ts";

const LOAD = new URL("file:///load.ts");
const SCRAPE = new URL("file:///scrape.ts");

/** Starts nothing, and keeps a list. */
function starter() {
  const started: string[] = [];
  const ended: string[] = [];
  const start = (url: URL, { net }: ThreadPermissions, onDeath: (reason: string) => void) => {
    const name = `${url.pathname} ${net}`;
    started.push(name);
    const worker = { terminate: () => ended.push(name) } as unknown as Worker;
    return { worker, ready: Promise.resolve(), onDeath };
  };
  return { started, ended, start };
}

Deno.test("KeptThreads has threads go on with the code and permissions that they were born with", () => {
  const { start, started, ended } = starter();
  const threads = new KeptThreads(start);
  const heard: string[] = [];
  const take = (url: URL, host: string): Thread =>
    threads.take(
      url,
      { net: [host], read: [], write: [], priority: false },
      (reason) => heard.push(`${url.pathname}: ${reason}`),
    );
  const first = [take(LOAD, "a:1"), take(LOAD, "a:1"), take(SCRAPE, "a:1")] as const;
  assert.equal(started.length, 3);
  for (const thread of first) threads.keep(thread);

  const again = [take(SCRAPE, "a:1"), take(LOAD, "a:1"), take(LOAD, "a:1")];
  assert.equal(started.length, 3, "nothing was started for the second run");
  assert.deepEqual(new Set(again), new Set(first));
  assert.notEqual(take(LOAD, "b:1"), first[0]);
  assert.equal(started.at(-1), "/load.ts b:1", "another permission is another thread");
  again[0]?.onDeath("it broke");
  assert.deepEqual(heard, ["/scrape.ts: it broke"]);

  // One that dies while it waits is nobody's.
  threads.keep(first[0]);
  threads.keep(first[1]);
  first[0].onDeath("unheard");
  assert.equal(take(LOAD, "a:1"), first[1]);
  take(LOAD, "a:1");
  assert.deepEqual([started.length, heard.length], [5, 1]);

  threads.keep(first[1]);
  threads.close();
  assert.deepEqual(ended, ["/load.ts a:1"]);
});
