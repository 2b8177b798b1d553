import assert from "node:assert/strict";
import type { EndpointType } from "../../../src/client/endpoint/protocol/endpoint_type.ts";
import { joinedText } from "../../../src/client/http/join_bytes.ts";
import { primedBody } from "../../../src/load/worker/primed_body.ts";

const encoder = new TextEncoder();
const HEAD = '{"messages":[{"role":"user","content":"é"}';

/** A body that was primed, with limits of the reply in these fields. */
function primed(tail: string, limits: readonly string[], ends: readonly number[] = []): unknown {
  const bytes = encoder.encode(HEAD + tail);
  const cuts = [0, ...ends, bytes.length];
  const pieces = cuts.slice(1).map((end, place) => bytes.subarray(cuts[place], end));
  const type = {
    conversation: undefined,
    outputLimits: (fields: Record<string, unknown>) =>
      limits.map((name) => {
        const [first = "", second] = name.split(".");
        const value = fields[first];
        return [name, second === undefined ? value : (value as Record<string, unknown>)?.[second]];
      }),
  } as unknown as EndpointType;
  return JSON.parse(joinedText(primedBody(pieces, encoder.encode(tail).length, type)));
}

Deno.test("primedBody limits the reply to a token and drops fields that ask for more", () => {
  const messages = [{ "role": "user", "content": "é" }];
  const names = ["max_completion_tokens", "max_tokens"];
  assert.deepEqual(
    primed('],"max_tokens":9,"min_tokens":9,"ignore_eos":true,"model":"m"}', names),
    { "messages": messages, "max_tokens": 1, "model": "m" },
  );
  assert.deepEqual(primed("]}", names), { "messages": messages, "max_completion_tokens": 1 });
  assert.deepEqual(primed("]}", ["options.num_predict"]), {
    "messages": messages,
    "options": { "num_predict": 1 },
  });
});

Deno.test("primedBody keeps the messages wherever pieces of the body end", () => {
  const tail = '],"max_tokens":9,"user":"ö"}';
  const length = encoder.encode(HEAD + tail).length;
  for (let end = 1; end < length; end++) {
    assert.deepEqual(primed(tail, ["max_tokens"], [end]), {
      "messages": [{ "role": "user", "content": "é" }],
      ...{ "max_tokens": 1, "user": "ö" },
    }, `pieces end at ${end}`);
  }
});
