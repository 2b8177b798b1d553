import assert from "node:assert/strict";
import fc from "fast-check";
import { chat } from "../../../../src/client/endpoint/openai/chat.ts";
import { completions } from "../../../../src/client/endpoint/openai/completions.ts";
import { joinBytes } from "../../../../src/client/http/join_bytes.ts";
import {
  markedBody,
  type MarkerColumns,
  markerOffset,
  sessionMarker,
} from "../../../../src/load/dataset/payloads/session_marker.ts";
import { BUILTIN } from "../../../support/builtin.ts";

const decoder = new TextDecoder();

Deno.test("sessionMarker gives each session of each phase its own, all of one length", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: 0, max: 2_000_000_000 }), (seed, first) => {
      const markers = { target: "first-turn-prefix", seed } as const;
      const seen = new Set<string>();
      for (let session = first; session < first + 50; session++) {
        for (const phase of ["warmup", "profiling"] as const) {
          const marker = sessionMarker(markers, { phase, session });
          assert.match(marker, /^\[rid:\d{12}\]\n\n$/);
          assert.equal(BUILTIN.count(marker), BUILTIN.count("[rid:000000000000]\n\n"));
          assert.equal(marker, sessionMarker(markers, { phase, session }));
          seen.add(marker);
        }
      }
      assert.equal(seen.size, 100);
    }),
    { numRuns: 30 },
  );
  const of = (seed: number) =>
    sessionMarker({ target: "system-suffix", seed }, { phase: "profiling", session: 5 });
  assert.match(of(1), /^\n\n\[rid:\d{12}\]$/);
  assert.notEqual(of(1), of(2));
});

Deno.test("sessionMarker sets warm-up apart, and nothing else, where that is wanted", () => {
  const markers = { target: "warmup-isolation-system", seed: 1 } as const;
  assert.equal(sessionMarker(markers, { phase: "warmup", session: 3 }), "[warmup]\n\n");
  assert.equal(sessionMarker(markers, { phase: "profiling", session: 3 }), "");
});

Deno.test("markedBody puts the marker at its byte, however the body is cut into pieces", () => {
  const bytes = new TextEncoder().encode("0123456789");
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10 }),
      fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 4 }),
      (at, cuts) => {
        const ends = [...cuts.toSorted((a, b) => a - b), 10];
        const pieces = ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
        const markers: MarkerColumns = {
          target: "first-turn-prefix",
          seed: 1,
          at: new Int32Array(new SharedArrayBuffer(4)).fill(at),
        };
        const session = { phase: "profiling", session: 0 } as const;
        const text = decoder.decode(joinBytes(markedBody(pieces, markers, 0, session)));
        const marker = sessionMarker(markers, session).replaceAll("\n", "\\n");
        assert.equal(text, `${"0123456789".slice(0, at)}${marker}${"0123456789".slice(at)}`);
      },
    ),
  );
});

Deno.test("markerOffset finds the text that a marker stands in", () => {
  const system = { role: "system", content: "sö" };
  const user = { role: "user", content: [{ type: "image_url" }, { type: "text", text: "u" }] };
  const at = (messages: unknown, target: Parameters<typeof markerOffset>[2]) => {
    const fields = { messages, model: "m" };
    const offset = markerOffset(chat, fields, target);
    const body = chat.body.encode(fields);
    return offset === undefined ? undefined : decoder.decode(body.subarray(offset)).slice(0, 3);
  };
  assert.equal(at([system, user], "system-prefix"), 'sö"');
  assert.equal(at([system, user], "system-suffix"), '"},');
  assert.equal(at([system, user], "first-turn-prefix"), 'u"}');
  assert.equal(at([user], "warmup-isolation-system"), 'u"}');
  assert.equal(at([system], "first-turn-suffix"), undefined);
  assert.equal(at([{ role: "user", content: null }], "first-turn-suffix"), undefined);
  assert.equal(at("x", "first-turn-suffix"), undefined);
});

Deno.test("markerOffset finds the first text of an API without messages", () => {
  const rest = (fields: Record<string, unknown>) => {
    const offset = markerOffset(completions, fields, "warmup-isolation-first-turn");
    return offset && decoder.decode(completions.body.encode(fields).subarray(offset));
  };
  assert.equal(rest({ model: "m", prompt: "é x" }), 'é x"}');
  assert.equal(rest({ input: ["one", "two"] }), 'one","two"]}');
  assert.equal(rest({ prompt: [[1, 2]] }), undefined);
  assert.equal(rest({ query: "x" }), undefined);
});
