import assert from "node:assert/strict";
import { configuredType } from "../../../../src/client/endpoint/endpoint_types.ts";

const SETTINGS = {
  ...{ model: "m", streaming: true, legacyMaxTokens: false, perChunkUsage: false },
  extraInputs: { "top_k": 1 },
};
const CONTENT = { texts: ["Hello"], images: [], outputTokens: 5, extra: { "seed": 2 } };

Deno.test("configuredType makes bodies without the fields that a run omits", () => {
  for (const name of ["chat", "completions"]) {
    const fields = (omittedInputs: readonly string[]) =>
      configuredType({ endpointType: name, omittedInputs }).buildBody(CONTENT, SETTINGS);
    const whole = fields([]);
    assert.deepEqual(whole["stream_options"], { "include_usage": true });
    for (const omitted of Object.keys(whole)) {
      const { [omitted]: _, ...others } = whole;
      assert.deepEqual(fields([omitted]), others);
    }
    assert.deepEqual(fields(["stream_options", "seed", "unknown"]), {
      ...Object.fromEntries(
        Object.entries(whole).filter(([key]) => key !== "stream_options" && key !== "seed"),
      ),
    });
    assert.deepEqual(fields(["stream_options.include_usage"])["stream_options"], {});
  }
});

Deno.test("configuredType omits fields of conversations, and then does not ask for usage", () => {
  const type = configuredType({ endpointType: "chat", omittedInputs: ["stream_options", "model"] });
  const body = type.conversation?.buildBody(
    [{ "role": "user", "content": "x" }],
    CONTENT,
    SETTINGS,
  );
  assert.deepEqual(Object.keys(body ?? {}), [
    ...["messages", "stream", "max_completion_tokens", "top_k", "seed"],
  ]);
  assert.equal(type.asksForUsage, undefined);
  assert.equal(configuredType({ endpointType: "chat" }).asksForUsage, true);
});

Deno.test("configuredType leaves stream_options null as an input says", () => {
  const extraInputs = { "stream_options": null };
  const body = configuredType({ endpointType: "chat" })
    .buildBody(CONTENT, { ...SETTINGS, extraInputs });
  assert.equal(body["stream_options"], null);
});
