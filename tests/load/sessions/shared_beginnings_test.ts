import assert from "node:assert/strict";
import type {
  AgentCall,
  CallPrompt,
  PromptPart,
} from "../../../src/load/sessions/model/agent_session.ts";
import { sharedBeginnings } from "../../../src/load/sessions/shared_beginnings.ts";

/** Calls of one agent, each after the one before. */
function callsOf(prompts: readonly CallPrompt[]): AgentCall[] {
  return prompts.map((prompt, place) => (
    { prompt, predecessor: place === 0 ? undefined : place - 1 } as AgentCall
  ));
}

function textsOf(...contents: string[]): CallPrompt {
  const parts = contents.map((content): PromptPart => (
    { kind: "message", message: { "role": "user", "content": content } }
  ));
  return { kind: "texts", tools: undefined, parts, isJoined: false };
}

Deno.test("sharedBeginnings compares whole bodies with earlier ones of the session", () => {
  const calls = callsOf([
    textsOf("aaaa"),
    textsOf("aaaa", "bbbb"),
    textsOf("aaaa", "bbcc"),
    textsOf("aaaa", "bbbb", "dddd"),
  ]);
  assert.deepEqual(sharedBeginnings(calls, [undefined, undefined, undefined, 1], 16), [
    { share: 0, isReset: false },
    { share: 4 / 9, isReset: false },
    { share: 7 / 9, isReset: true },
    { share: NaN, isReset: false },
  ]);
});

Deno.test("sharedBeginnings counts blocks that an earlier prompt has", () => {
  const calls = callsOf([
    { kind: "blocks", blocks: [1, 2], inputTokens: 40 },
    { kind: "blocks", blocks: [1, 2, 3], inputTokens: 48 },
    { kind: "blocks", blocks: [1, 3, 4], inputTokens: 64 },
    { kind: "none" },
  ]);
  assert.deepEqual(sharedBeginnings(calls, calls.map(() => undefined), 16), [
    { share: 0, isReset: false },
    { share: 32 / 48, isReset: false },
    { share: 32 / 64, isReset: true },
    { share: NaN, isReset: false },
  ]);
});
