import assert from "node:assert/strict";
import fc from "fast-check";
import { chat } from "../../src/client/endpoint/openai/chat.ts";
import { promptTexts } from "../../src/mock/prompt_texts.ts";
import { AGENT_BODY } from "../support/agent_bodies.ts";

Deno.test("promptTexts has no texts of bodies without messages", () => {
  for (const body of [{}, { "prompt": "a" }, { "messages": "a" }, { "input": ["a", "b"] }]) {
    assert.equal(promptTexts(body), undefined);
  }
});

Deno.test("promptTexts reads Anthropic's blocks and the items of Responses", () => {
  assert.deepEqual(
    promptTexts({
      "system": "s",
      "tools": [{ "name": "t", "input_schema": { "type": "object" } }],
      "messages": [
        {
          "role": "assistant",
          "content": [{ "type": "thinking", "thinking": "h" }, {
            "type": "tool_use",
            "name": "t",
            "input": { "a": 1 },
          }],
        },
        {
          "role": "user",
          "content": [{ "type": "tool_result", "content": [{ "type": "text", "text": "r" }] }],
        },
      ],
    }),
    ["t", '{"type":"object"}', "s", "h", "t", '{"a":1}', "r"],
  );
  assert.deepEqual(
    promptTexts({
      "instructions": "s",
      "input": [
        { "role": "user", "content": [{ "type": "input_text", "text": "u" }] },
        { "type": "function_call", "name": "t", "arguments": "{}" },
        { "type": "function_call_output", "output": "r" },
      ],
    }),
    ["s", "u", "t", "{}", "r"],
  );
});

Deno.test("promptTexts agrees with the client about bodies of agents", () => {
  fc.assert(fc.property(AGENT_BODY, (body) => {
    assert.deepEqual(promptTexts(body), chat.inputTexts(body));
  }));
});
