import assert from "node:assert/strict";
import { SharedGarbage } from "../../../src/core/thread/shared_garbage.ts";
import { withCollector } from "../../support/with_collector.ts";

Deno.test("SharedGarbage cleans up at each 80 MB", () =>
  withCollector((calls) => {
    const garbage = new SharedGarbage();
    garbage.add(80 * 1024 * 1024 - 1);
    garbage.add(0);
    assert.equal(calls(), 0);
    garbage.add(1);
    assert.equal(calls(), 1);
    garbage.add(79 * 1024 * 1024);
    assert.equal(calls(), 1, "it begins anew");
    garbage.add(200 * 1024 * 1024);
    assert.equal(calls(), 2);
  }));
