import assert from "node:assert/strict";
import { OriginPool } from "../../../src/client/http/origin_pool.ts";

const MS = 1e6;

/** A pool and connections that carry requests on it, one after another. */
class Bench {
  readonly pool = new OriginPool<{ used: boolean }>();
  nowNs = 0;

  /** A connection that nobody has used. */
  fresh(): { used: boolean } {
    const connection = { used: false };
    this.pool.add(connection, this.nowNs);
    return connection;
  }

  /** One that a reply has just ended on. */
  answered(): { used: boolean } {
    const connection = { used: true };
    this.pool.add(connection, this.nowNs);
    return connection;
  }

  /** Has the server close a connection so long after its reply. */
  closedAfter(ms: number): boolean {
    const connection = this.answered();
    this.nowNs += ms * MS;
    return this.pool.drop(connection, this.nowNs);
  }

  take(): { used: boolean } | undefined {
    return this.pool.take(this.nowNs)?.connection;
  }
}

/** A pool whose server closes its connections. */
function closing(): Bench {
  const bench = new Bench();
  bench.closedAfter(1);
  bench.closedAfter(1);
  return bench;
}

Deno.test("OriginPool gives the connection that was used last while the server keeps them", () => {
  const bench = new Bench();
  const [first, second] = [bench.answered(), bench.answered()];
  bench.closedAfter(1);
  assert.equal(bench.take(), second);
  assert.equal(bench.take(), first);
  assert.equal(bench.take(), undefined);
  assert.equal(bench.pool.needsSpare, false);
});

Deno.test("OriginPool does not use a connection again when two in a row were closed after a reply", () => {
  const bench = closing();
  bench.answered();
  assert.equal(bench.take(), undefined);
  assert.equal(bench.pool.needsSpare, true);
  const spares = [bench.fresh(), bench.fresh()];
  assert.equal(bench.pool.needsSpare, false);
  assert.deepEqual([bench.take(), bench.take()], spares, "the oldest first");
  assert.equal(bench.pool.needsSpare, true);
});

Deno.test("OriginPool learns from requests that met a closed connection, too", () => {
  const bench = new Bench();
  for (const idleNs of [0, 2 * MS]) bench.pool.noteClosed(idleNs);
  bench.answered();
  assert.equal(bench.take(), undefined);
});

Deno.test("OriginPool learns nothing from a server that only keeps idle connections for some time", () => {
  const bench = new Bench();
  for (let i = 0; i < 5; i++) bench.closedAfter(1000);
  for (let i = 0; i < 5; i++) bench.pool.noteClosed(5000 * MS);
  const connection = bench.answered();
  assert.equal(bench.take(), connection);
});

Deno.test("OriginPool learns nothing where connections are used again in between", () => {
  const bench = new Bench();
  for (let i = 0; i < 5; i++) {
    bench.closedAfter(1);
    bench.pool.noteKept();
  }
  const connection = bench.answered();
  assert.equal(bench.take(), connection);
});

Deno.test("OriginPool uses connections again when one outlasts its reply", () => {
  const bench = closing();
  const [first, second] = [bench.answered(), bench.answered()];
  bench.nowNs += 999 * MS;
  assert.equal(bench.take(), undefined);
  bench.nowNs += MS;
  assert.equal(bench.take(), first);
  assert.equal(bench.take(), second);
  assert.equal(bench.pool.needsSpare, false);
  const next = bench.answered();
  assert.equal(bench.take(), next, "at once");
});

Deno.test("OriginPool tells a spare connection that the server let be for a while from all others", () => {
  const bench = closing();
  const dropped = (connection: { used: boolean }, ms: number) => {
    bench.nowNs += ms * MS;
    return bench.pool.drop(connection, bench.nowNs);
  };
  assert.equal(dropped(bench.fresh(), 5000), true);
  assert.equal(dropped(bench.fresh(), 1), false, "a server that wants none gets none");
  assert.equal(dropped(bench.answered(), 5000), false);
  assert.equal(dropped({ used: false }, 5000), false, "not idle");
});
