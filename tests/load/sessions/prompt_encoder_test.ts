import assert from "node:assert/strict";
import { unknownReply } from "../../../src/load/sessions/model/agent_session.ts";
import { PromptEncoder } from "../../../src/load/sessions/prompt_encoder.ts";
import { BUILTIN } from "../../support/builtin.ts";

Deno.test("PromptEncoder joins a reply by a space, whether its prompt has text or not", () => {
  const encoder = new PromptEncoder(BUILTIN);
  const said = (content: string) =>
    [{ kind: "message", message: { "role": "user", content } }] as const;
  const prompt = (content: string) =>
    ({ tools: undefined, parts: said(content), isJoined: true }) as const;
  assert.deepEqual(encoder.encode(prompt("Who?"), said("Me.")), BUILTIN.encode("Who? Me."));
  assert.deepEqual(encoder.encode(prompt(""), said("Me.")), BUILTIN.encode(" Me."));
  assert.equal(encoder.encode(prompt(""), [unknownReply("a", 5)]).length, 6);
  assert.deepEqual(encoder.encode(prompt(""), []), []);
});
