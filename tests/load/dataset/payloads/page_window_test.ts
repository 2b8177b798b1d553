import assert from "node:assert/strict";
import { PageWindow } from "../../../../src/load/dataset/payloads/page_window.ts";
import type { PayloadPage } from "../../../../src/load/dataset/payloads/payload_page.ts";
import { payloadPage } from "../../../support/payload_page.ts";
import { withCollector } from "../../../support/with_collector.ts";

const MB = 1024 * 1024;

function windowOf(...pages: readonly PayloadPage[]): PageWindow {
  const window = new PageWindow((pages[0] as PayloadPage).data);
  for (const page of pages) window.add(page);
  return window;
}

Deno.test("PageWindow keeps a page until its sessions are claimed, and over where they began here", () => {
  const window = windowOf(payloadPage(0, MB), payloadPage(2, MB));
  window.begin(1);
  window.release(2);
  assert.equal(window.held, 2);
  window.end(1);
  window.release(1);
  assert.equal(window.held, 2, "another one may begin here");
  window.release(2);
  assert.equal(window.held, 1);
});

Deno.test("PageWindow has the memory of pages that are gone given back", () =>
  withCollector((calls) => {
    const window = windowOf(
      ...[payloadPage(0, 50 * MB), payloadPage(2, 25 * MB), payloadPage(4, 50 * MB)],
    );
    window.release(2);
    window.release(3);
    assert.deepEqual([window.held, calls()], [2, 0], "50 MB are left alone");
    window.release(4);
    assert.deepEqual([window.held, calls()], [1, 0], "and 75");
    window.add(payloadPage(0, MB));
    assert.deepEqual(
      [window.held, calls()],
      [1, 1],
      "a phase that begins has no pages of the last",
    );
  }));

Deno.test("PageWindow releases a page when the last records of its recorded sessions have come", () => {
  const window = windowOf(payloadPage(0, MB), payloadPage(2, MB));
  window.endCall(0, 2, false);
  window.endCall(1, 1, false);
  window.releaseEnded();
  assert.equal(window.held, 2, "a call of session 0 is missing");
  window.endCall(0, 2, false);
  window.releaseEnded();
  assert.equal(window.held, 1);
});

Deno.test("PageWindow keeps the page of a failed session until many pages have followed", () => {
  const window = windowOf(payloadPage(0, MB));
  window.endCall(0, 3, true);
  window.endCall(1, 1, false);
  window.releaseEnded();
  assert.equal(window.held, 1, "other calls of session 0 may still be in flight");
  for (let page = 1; page <= 9; page++) window.add(payloadPage(2 * page, MB));
  window.releaseEnded();
  assert.equal(window.held, 9);
});

Deno.test("PageWindow expects only the sessions of its shard", () => {
  const window = windowOf(payloadPage(0, MB));
  window.endCall(1, 1, false);
  window.releaseEnded();
  assert.equal(window.held, 1);
  window.releaseEnded({ index: 1, count: 2 });
  assert.equal(window.held, 0);
});
