import assert from "node:assert/strict";
import type { PageReader } from "../../../src/load/dataset/conversations/page_reader.ts";
import { ControlBlock } from "../../../src/load/worker/control_block.ts";
import { PageFeeder } from "../../../src/run/runner/page_feeder.ts";
import { closedPhase } from "../../support/load_phases.ts";
import { payloadPage } from "../../support/payload_page.ts";
import { withCollector } from "../../support/with_collector.ts";

Deno.test("PageFeeder gives the memory of pages back that it has handed over", () =>
  withCollector(async (calls) => {
    const handed: number[] = [];
    const reader = {
      async *pages() {
        for (const first of [0, 2, 4]) yield payloadPage(first, 30 * 1024 * 1024);
      },
      close() {},
    } as unknown as PageReader;
    const feeder = new PageFeeder(reader, new ControlBlock(), {
      load: { addPage: ({ firstConversation }) => void handed.push(firstConversation) },
      results: { addPage() {} },
      keepsBodies: false,
      onFailure: ({ text }) => assert.fail(text),
    });
    await feeder.begin(closedPhase(2, { sessionCount: 6 }));
    assert.deepEqual([handed, calls()], [[0], 0]);
    feeder.start();
    while (handed.length < 3) await new Promise((resolve) => setTimeout(resolve, 0));
    assert.equal(calls(), 1);
    await feeder.close();
  }));
