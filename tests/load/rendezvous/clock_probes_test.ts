import assert from "node:assert/strict";
import fc from "fast-check";
import { clockOffset, type Probe, PROBES } from "../../../src/load/rendezvous/clock_probes.ts";

const MS = fc.double({ min: 0, max: 500, noNaN: true });

Deno.test("clockOffset is within its bound of the truth, whatever the ways take", () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1e7, max: 1e7, noNaN: true }),
      fc.array(fc.record({ there: MS, work: MS, back: MS }), { minLength: 1, maxLength: PROBES }),
      (aheadMs, ways) => {
        let hostMs = 1_700_000_000_000;
        const probes = ways.map(({ there, work, back }): Probe => {
          const sentMs = hostMs + aheadMs;
          const hostReceivedMs = hostMs + there;
          const hostSentMs = hostReceivedMs + work;
          hostMs = hostSentMs + back;
          return { sentMs, hostReceivedMs, hostSentMs, receivedMs: hostMs + aheadMs };
        });
        const found = clockOffset(probes);
        assert.ok(found);
        // Doubles of today's milliseconds are 0.0002 ms apart.
        assert.ok(Math.abs(found.offsetMs - aheadMs) <= found.errorMs + 0.002);
        const least = Math.min(...ways.map(({ there, back }) => there + back));
        assert.ok(Math.abs(found.errorMs - least / 2) < 0.002, "the quickest one counts");
      },
    ),
  );
});

Deno.test("clockOffset needs a probe, and there are twenty or more", () => {
  assert.equal(clockOffset([]), undefined);
  assert.ok(PROBES >= 20);
});
