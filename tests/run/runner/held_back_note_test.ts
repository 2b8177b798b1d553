import assert from "node:assert/strict";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import { PayloadTableBuilder } from "../../../src/load/dataset/payloads/payload_table_builder.ts";
import { heldBackNote } from "../../../src/run/runner/held_back_note.ts";

/** What is said of a run whose bodies have these pieces. */
function noteOf(bodies: readonly (readonly number[])[], plan: Partial<RunPlan> = {}) {
  const builder = new PayloadTableBuilder();
  for (const pieces of bodies) {
    const segments = pieces.map((bytes) => builder.addSegment(new Uint8Array(bytes)));
    builder.addEntry(segments, { inputTokens: 1, outputTokens: 1, images: 0 });
  }
  const asked = {
    clientCert: { cert: "", key: "" },
    targets: [{ origin: { protocol: "https:" } }],
    transport: "socket",
    ...plan,
  } as RunPlan;
  return heldBackNote(asked, builder.finish(bodies.length));
}

Deno.test("heldBackNote tells of long requests beside a client's certificate, and of no others", () => {
  const long = [[10, 10], [9000, 7000]];
  assert.match(noteOf(long) ?? "", /^With --client-cert, .*: use --transport fetch$/);
  assert.equal(noteOf([[10, 10], [9000, 6000]]), undefined);
  assert.equal(noteOf(long, { clientCert: undefined }), undefined);
  assert.equal(noteOf(long, { transport: "fetch" }), undefined);
  const plain = [{ origin: { protocol: "http:" } }] as unknown as RunPlan["targets"];
  assert.equal(noteOf(long, { targets: plain }), undefined);
});
