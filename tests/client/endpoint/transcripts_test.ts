/** Replies of each API from its documentation, cut at every byte, with the verdicts to report. */

import assert from "node:assert/strict";
import { ENDPOINT_TYPES, endpointType } from "../../../src/client/endpoint/endpoint_types.ts";
import { readReply } from "../../../src/client/endpoint/read_reply.ts";
import { cutAt, everyCut, readFixture } from "../../support/fixtures.ts";
import type { ServerTranscript } from "../../support/transcripts.ts";

/** A reply of an endpoint type. */
interface Transcript extends ServerTranscript {
  readonly "endpoint": string;
}

const { servers } = readFixture<{ servers: readonly Transcript[] }>("sse/endpoints.json");
const encoder = new TextEncoder();

for (const testCase of servers) {
  Deno.test(`readReply judges ${testCase.server}: ${testCase.name}, however it is cut`, () => {
    const { endpoint, status, content_type: type, expect } = testCase;
    const bytes = encoder.encode(testCase.body);
    for (const places of everyCut(bytes)) {
      const verdict = readReply(endpoint, {
        status,
        headers: [["Content-Type", type]],
        body: cutAt(bytes, places),
        complete: true,
      });
      const said = verdict.error === undefined
        ? ""
        : `${verdict.error.kind} ${verdict.error.message}`;
      assert.ok(said.includes(expect.error ?? ""), said);
      assert.deepEqual({ ...verdict, error: undefined, otherChoices: undefined }, {
        otherChoices: undefined,
        valid: expect.counts_as_success,
        error: undefined,
        text: expect.text,
        reasoning: expect.reasoning,
        toolText: expect.tool_text,
        usage: expect.usage,
        finishReason: expect.finish_reason,
        contentChunks: expect.content_events ?? verdict.contentChunks,
      });
    }
  });
}

Deno.test("readReply calls no reply valid whose connection broke, whatever the type", () => {
  for (const { endpoint, name, content_type: type, body, expect } of servers) {
    if (!expect.counts_as_success) continue;
    const bytes = encoder.encode(body);
    // In the middle: nothing has said yet that the reply is over.
    for (const part of [0.2, 0.5]) {
      const verdict = readReply(endpoint, {
        status: 200,
        headers: [["Content-Type", type]],
        body: [bytes.subarray(0, Math.floor(bytes.length * part))],
        complete: false,
      });
      assert.equal(verdict.error?.kind, "truncated", name);
    }
  }
});

Deno.test("transcripts have every type but those whose own fixtures are OpenAI's", () => {
  const covered = new Set(servers.map(({ endpoint }) => endpointType(endpoint).name));
  const missing = [...ENDPOINT_TYPES.keys()].filter((name) => !covered.has(name));
  assert.deepEqual(missing, ["chat", "completions"]);
});

Deno.test("docs/endpoints.md names every type", async () => {
  const text = await Deno.readTextFile(new URL("../../../docs/endpoints.md", import.meta.url));
  for (const { name, path } of ENDPOINT_TYPES.values()) {
    assert.ok(text.includes(`\`${name}\``) && text.includes(path), name);
  }
});
