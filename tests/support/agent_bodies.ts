/** Bodies of agents with tools, calls, results and reasoning, for property tests. */

import fc from "fast-check";

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const json = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean()), { maxKeys: 3 });

const tool = fc.record({ name: text, description: text, parameters: json }, {
  requiredKeys: ["name"],
}).map((definition) => ({ "type": "function", "function": definition }));

const call = fc.record({
  name: text,
  arguments: fc.oneof(text, json.map((value) => JSON.stringify(value))),
}).map((called) => ({ "id": "c", "type": "function", "function": called }));

const content = fc.oneof(
  text,
  fc.array(text.map((value) => ({ "type": "text", "text": value })), { maxLength: 3 }),
);

const message = fc.oneof(
  fc.record({ role: fc.constantFrom("system", "user"), content }),
  fc.record({
    role: fc.constant("assistant"),
    content: fc.oneof(content, fc.constant(null)),
    reasoning_content: text,
    tool_calls: fc.array(call, { minLength: 1, maxLength: 2 }),
  }, { requiredKeys: ["role", "content"] }),
  fc.record({ role: fc.constant("tool"), tool_call_id: fc.constant("c"), content }),
);

/** A body of chat completions. */
export const AGENT_BODY = fc.record({
  tools: fc.array(tool, { maxLength: 3 }),
  messages: fc.array(message, { minLength: 1, maxLength: 6 }),
});
