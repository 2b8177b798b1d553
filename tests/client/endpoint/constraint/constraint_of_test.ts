import assert from "node:assert/strict";
import {
  constraintOf,
  constraintText,
} from "../../../../src/client/endpoint/constraint/constraint_of.ts";

const SCHEMA = { "type": "object", "properties": { "a": { "type": "integer" } } };
const JSON_SCHEMA = { kind: "json_schema", schema: SCHEMA };
const JSON_OBJECT = { kind: "json_object" };
const REGEX = { kind: "regex", pattern: "a+" };
const CHOICE = { kind: "choice", choices: ["yes", "no"] };
const GRAMMAR = { kind: "unchecked", what: "grammar" };
const TAG = { kind: "unchecked", what: "structural tag" };

const TEXTS: readonly (readonly [api: string, body: Record<string, unknown>, expected: unknown])[] =
  [
    ["OpenAI", { "response_format": { "type": "json_object" } }, JSON_OBJECT],
    [
      "OpenAI",
      {
        "response_format": {
          "type": "json_schema",
          "json_schema": { "name": "n", "schema": SCHEMA },
        },
      },
      JSON_SCHEMA,
    ],
    ["OpenAI", { "response_format": { "type": "text" } }, undefined],
    ["OpenAI transcriptions", { "response_format": "json" }, undefined],
    ["llama.cpp", { "response_format": { "type": "json_object", "schema": SCHEMA } }, JSON_SCHEMA],
    ["llama.cpp", { "json_schema": SCHEMA }, JSON_SCHEMA],
    ["llama.cpp", { "grammar": "root ::= [a-z]+" }, GRAMMAR],
    ["llama.cpp", { "grammar": "" }, undefined],
    ["TensorRT-LLM", { "response_format": { "type": "json", "schema": SCHEMA } }, JSON_SCHEMA],
    ["TensorRT-LLM", { "response_format": { "type": "regex", "regex": "a+" } }, REGEX],
    ["TensorRT-LLM", { "response_format": { "type": "ebnf", "ebnf": "root ::= x" } }, GRAMMAR],
    ["TensorRT-LLM", { "response_format": { "type": "structural_tag", "format": {} } }, TAG],
    ["Triton", { "guided_decoding_guide_type": "regex", "guided_decoding_guide": "a+" }, REGEX],
    [
      "Triton",
      {
        "guided_decoding_guide_type": "json_schema",
        "guided_decoding_guide": JSON.stringify(SCHEMA),
      },
      JSON_SCHEMA,
    ],
    [
      "Responses",
      { "text": { "format": { "type": "json_schema", "schema": SCHEMA } } },
      JSON_SCHEMA,
    ],
    ["Responses", { "text": { "format": { "type": "text" }, "verbosity": "low" } }, undefined],
    [
      "Anthropic",
      { "output_config": { "format": { "type": "json_schema", "schema": SCHEMA } } },
      JSON_SCHEMA,
    ],
    ["Anthropic", { "output_format": { "type": "json_schema", "schema": SCHEMA } }, JSON_SCHEMA],
    ["vLLM", { "structured_outputs": { "json": SCHEMA } }, JSON_SCHEMA],
    ["vLLM", { "structured_outputs": { "json": JSON.stringify(SCHEMA) } }, JSON_SCHEMA],
    ["vLLM", { "structured_outputs": { "regex": "a+" } }, REGEX],
    ["vLLM", { "structured_outputs": { "choice": ["yes", "no"] } }, CHOICE],
    ["vLLM", { "structured_outputs": { "json_object": true } }, JSON_OBJECT],
    ["vLLM", { "structured_outputs": { "grammar": "root ::= x" } }, GRAMMAR],
    ["vLLM", { "structured_outputs": { "structural_tag": "{}" } }, TAG],
    ["vLLM", { "structured_outputs": { "json": null, "choice": [] } }, undefined],
    ["vLLM", { "guided_json": SCHEMA }, JSON_SCHEMA],
    ["vLLM", { "guided_regex": "a+" }, REGEX],
    ["vLLM", { "guided_choice": ["yes", "no"] }, CHOICE],
    ["vLLM", { "guided_grammar": "root ::= x" }, GRAMMAR],
    [
      "vLLM",
      { "response_format": { "type": "json_object" }, "structured_outputs": { "regex": "a+" } },
      REGEX,
    ],
    ["vLLM", { "response_format": { "type": "json_object" }, "guided_regex": "a+" }, REGEX],
    ["vLLM", { "guided_json": "{broken" }, { kind: "unchecked", what: "schema that is not JSON" }],
    ["NVIDIA", { "nvext": { "guided_choice": ["yes", "no"] } }, CHOICE],
    ["SGLang", { "regex": "a+" }, REGEX],
    ["SGLang", { "ebnf": "root ::= x" }, GRAMMAR],
    ["SGLang", { "sampling_params": { "json_schema": JSON.stringify(SCHEMA) } }, JSON_SCHEMA],
    ["TGI", { "parameters": { "grammar": { "type": "json", "value": SCHEMA } } }, JSON_SCHEMA],
    [
      "TGI",
      {
        "parameters": {
          "grammar": { "type": "json_schema", "value": { "name": "x", "schema": SCHEMA } },
        },
      },
      JSON_SCHEMA,
    ],
    ["TGI", { "parameters": { "grammar": { "type": "regex", "value": "a+" } } }, REGEX],
    ["Ollama", { "format": "json" }, JSON_OBJECT],
    ["Ollama", { "format": SCHEMA }, JSON_SCHEMA],
    ["Ollama", { "format": "" }, undefined],
  ];

for (const [api, body, expected] of TEXTS) {
  Deno.test(`constraintOf reads ${api}: ${JSON.stringify(body)}`, () => {
    const read = constraintOf({ "messages": [], ...body });
    assert.deepEqual(read, expected === undefined ? undefined : { text: expected });
  });
}

const PARAMETERS = { "type": "object", "required": ["city"] };
const OFFERED = [{ name: "weather", schema: PARAMETERS }];
const CHAT_TOOLS = [{
  "type": "function",
  "function": { "name": "weather", "parameters": PARAMETERS },
}];
const FLAT_TOOLS = [{ "type": "function", "name": "weather", "parameters": PARAMETERS }];
const ANTHROPIC_TOOLS = [{ "name": "weather", "input_schema": PARAMETERS }];
const AUTO = { offered: OFFERED, isOpen: false, use: "auto" };

const TOOLS: readonly (readonly [api: string, body: Record<string, unknown>, expected: unknown])[] =
  [
    ["chat", { "tools": CHAT_TOOLS }, AUTO],
    ["responses", { "tools": FLAT_TOOLS }, AUTO],
    ["messages", { "tools": ANTHROPIC_TOOLS }, AUTO],
    ["functions", { "functions": [CHAT_TOOLS[0]?.function] }, AUTO],
    ["chat", { "tools": [] }, undefined],
    ["chat", { "tools": CHAT_TOOLS, "tool_choice": "none" }, { ...AUTO, use: "none" }],
    ["chat", { "tools": CHAT_TOOLS, "tool_choice": "required" }, { ...AUTO, use: "required" }],
    [
      "chat",
      {
        "tools": CHAT_TOOLS,
        "tool_choice": { "type": "function", "function": { "name": "weather" } },
      },
      { ...AUTO, use: "required", only: ["weather"] },
    ],
    [
      "responses",
      { "tools": FLAT_TOOLS, "tool_choice": { "type": "function", "name": "weather" } },
      { ...AUTO, use: "required", only: ["weather"] },
    ],
    [
      "chat",
      {
        "tools": CHAT_TOOLS,
        "tool_choice": {
          "type": "allowed_tools",
          "allowed_tools": { "mode": "required", "tools": [CHAT_TOOLS[0]] },
        },
      },
      { ...AUTO, use: "required", only: ["weather"] },
    ],
    [
      "messages",
      { "tools": ANTHROPIC_TOOLS, "tool_choice": { "type": "any" } },
      { ...AUTO, use: "required" },
    ],
    [
      "messages",
      {
        "tools": ANTHROPIC_TOOLS,
        "tool_choice": { "type": "tool", "name": "weather", "disable_parallel_tool_use": true },
      },
      { ...AUTO, use: "required", only: ["weather"], isSingle: true },
    ],
    [
      "TGI",
      { "tools": CHAT_TOOLS, "tool_choice": "weather" },
      { ...AUTO, use: "required", only: ["weather"] },
    ],
    ["functions", { "functions": [{ "name": "f" }], "function_call": "none" }, {
      offered: [{ name: "f" }],
      isOpen: false,
      use: "none",
    }],
    [
      "responses",
      {
        "tools": [...FLAT_TOOLS, { "type": "web_search" }],
        "tool_choice": { "type": "web_search" },
      },
      { ...AUTO, isOpen: true },
    ],
    [
      "responses",
      {
        "tools": [...FLAT_TOOLS, { "type": "mcp", "server_label": "x" }],
        "tool_choice": "required",
      },
      { ...AUTO, isOpen: true },
    ],
    [
      "messages",
      {
        "tools": [...ANTHROPIC_TOOLS, { "type": "web_search_20250305", "name": "web_search" }],
        "tool_choice": { "type": "tool", "name": "web_search" },
      },
      { ...AUTO, isOpen: true },
    ],
    ["chat", { "tools": CHAT_TOOLS, "parallel_tool_calls": false }, { ...AUTO, isSingle: true }],
    ["chat", { "tools": [{ "type": "custom", "custom": { "name": "shell" } }] }, {
      offered: [{ name: "shell", takesText: true }],
      isOpen: false,
      use: "auto",
    }],
  ];

for (const [api, body, expected] of TOOLS) {
  Deno.test(`constraintOf reads tools of ${api}: ${JSON.stringify(body)}`, () => {
    assert.deepEqual(constraintOf(body), expected === undefined ? undefined : { tools: expected });
  });
}

Deno.test("constraintText is equal for bodies with equal requirements", () => {
  const body = { "guided_regex": "a+", "tools": CHAT_TOOLS };
  assert.equal(constraintText({ ...body, "seed": 1 }), constraintText({ ...body, "seed": 2 }));
  assert.deepEqual(JSON.parse(constraintText(body) ?? ""), { text: REGEX, tools: AUTO });
  assert.equal(constraintText({ "messages": [] }), undefined);
});
