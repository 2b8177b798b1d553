import assert from "node:assert/strict";
import { bodyPieces } from "../../../../src/client/endpoint/protocol/body_pieces.ts";

Deno.test("bodyPieces returns tools first, then each message's reasoning, content and calls", () => {
  const parameters = { "type": "object", "properties": { "q": { "type": "string" } } };
  const tools = [
    { "type": "function", "function": { "name": "find", "description": "Finds it", parameters } },
    { "name": "run", "input_schema": { "type": "object" } },
  ];
  const messages = [
    { "role": "system", "content": "Be brief" },
    { "role": "user", "content": [{ "type": "text", "text": "Go" }, { "type": "image_url" }] },
    {
      "role": "assistant",
      "content": null,
      "reasoning_content": "Hm",
      "tool_calls": [
        { "id": "1", "function": { "name": "find", "arguments": '{"q": "x"}' } },
        { "id": "2", "function": { "name": "run", "arguments": { "a": 1 } } },
      ],
    },
    { "role": "tool", "tool_call_id": "1", "content": "found" },
  ];
  assert.deepEqual(bodyPieces(tools, messages).map(({ part, text }) => [part, text]), [
    ["tools", "find"],
    ["tools", "Finds it"],
    ["tools", '{"type":"object","properties":{"q":{"type":"string"}}}'],
    ["tools", "run"],
    ["tools", '{"type":"object"}'],
    ["system", "Be brief"],
    ["user", "Go"],
    ["reasoning", "Hm"],
    ["tool_calls", "find"],
    ["tool_calls", '{"q": "x"}'],
    ["tool_calls", "run"],
    ["tool_calls", '{"a":1}'],
    ["tool_results", "found"],
  ]);
});

Deno.test("bodyPieces has nothing for empty texts and for what is no message", () => {
  assert.deepEqual(bodyPieces("none", [null, 3, { "role": "user", "content": "" }]), []);
});
