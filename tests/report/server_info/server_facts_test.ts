import assert from "node:assert/strict";
import { redactor } from "../../../src/core/secrets/redactor.ts";
import { QUESTIONS } from "../../../src/report/server_info/questions.ts";
import { serverFacts } from "../../../src/report/server_info/server_facts.ts";
import { serverName } from "../../../src/report/server_info/server_info.ts";

const PLAIN = (text: string): string => text;

/** Facts of a reply to a question. */
async function factsOf(path: string, reply: Record<string, unknown>, redact = PLAIN) {
  const question = QUESTIONS.find((one) => one.path === path);
  assert.ok(question, path);
  const { pick, prefix } = question;
  return await serverFacts(pick === undefined ? reply : pick(reply), prefix, redact);
}

function nameOf(facts: Awaited<ReturnType<typeof factsOf>>): string | undefined {
  return serverName({ url: "", facts, asked: [] });
}

Deno.test("serverFacts of vLLM's replies leave out what is another each time", async () => {
  const model = {
    ...{ "id": "tiny", "object": "model", "created": 1795300716, "owned_by": "vllm" },
    ...{ "root": "/models/tiny", "parent": null, "max_model_len": 4096 },
    "permission": [{ "id": "modelperm-a41dc92886be2acd", "allow_sampling": true }],
  };
  const facts = [
    ...await factsOf("/version", { "version": "0.32.0" }),
    ...await factsOf("/v1/models", { "object": "list", "data": [model] }),
  ];
  assert.deepEqual(facts, [
    ["version", "0.32.0"],
    ["models", "tiny"],
    ["owned_by", "vllm"],
    ["model.root", "/models/tiny"],
    ["model.max_model_len", "4096"],
  ]);
  assert.equal(nameOf(facts), "vllm 0.32.0");
});

Deno.test("serverFacts of SGLang's reply keep the configuration and no key", async () => {
  const facts = new Map(
    await factsOf("/get_server_info", {
      ...{ "model_path": "/models/q", "tp_size": 8, "random_seed": 42, "version": "0.5.1" },
      ...{ "api_key": "sesame-1", "admin_api_key": "sesame-2", "mem_fraction_static": 0.88 },
      "launch_command": "python -m sglang --api-key sesame-3 --tp 8",
      "internal_states": [{ "last_gen_throughput": 12.5 }],
      "weights_url": "https://u:sesame-4@hub/x?token=sesame-5",
      "hint": "use Bearer sk-abcdefghijklmnop0123456789",
      "cuda_graph_bs": [1, 2, 4],
      "nothing": null,
    }),
  );
  assert.doesNotMatch(JSON.stringify([...facts]), /sesame|sk-abc/);
  assert.equal(facts.get("server_info.api_key"), "<redacted>");
  assert.equal(
    facts.get("server_info.launch_command"),
    "python -m sglang --api-key <redacted> --tp 8",
  );
  assert.equal(facts.get("server_info.tp_size"), "8");
  assert.equal(facts.get("server_info.cuda_graph_bs"), "1, 2, 4");
  for (const name of ["random_seed", "nothing"]) assert.ok(!facts.has(`server_info.${name}`), name);
  assert.ok(![...facts.keys()].some((name) => name.includes("internal_states")));
});

Deno.test("serverFacts know llama.cpp, Triton and Dynamo", async () => {
  const llama = await factsOf("/props", {
    "build_info": "b5200-1a2b3c4d",
    "default_generation_settings": { "n_ctx": 4096, "prompt": "secret words" },
    "chat_template": "x".repeat(5000),
  });
  assert.equal(nameOf(llama), "llama.cpp b5200-1a2b3c4d");
  assert.equal(new Map(llama).get("props.default_generation_settings.n_ctx"), "4096");
  assert.match(
    new Map(llama).get("props.chat_template") ?? "",
    /^x{60}\.\.\. \(5000 characters, sha256 [0-9a-f]{12}\)$/,
  );
  assert.doesNotMatch(JSON.stringify(llama), /secret words/);
  const triton = await factsOf("/v2", { "name": "triton", "version": "2.60.0", "extensions": [] });
  assert.equal(nameOf(triton), "triton 2.60.0");
  assert.deepEqual(
    await factsOf("/health", {
      ...{ "status": "healthy", "endpoints": ["b", "a"] },
      "instances": [{ "instance_id": 7 }, { "instance_id": 8 }],
    }),
    [["health.instances", "2"], ["health.endpoints", "a, b"]],
  );
});

Deno.test("serverFacts of a hostile reply are bounded, and steer no terminal", async () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i]));
  assert.equal((await serverFacts(many, "", PLAIN)).length, 500);
  let deep: unknown = "x";
  for (let i = 0; i < 1000; i++) deep = { "a": deep };
  assert.deepEqual(await serverFacts(deep, "", PLAIN), []);
  const facts = await serverFacts(
    JSON.parse(
      '{"__proto__": "a", "a\\u001b[2J": "b\\u0007\\u202ec\\ud800", "long": "' + "n".repeat(9) +
        '"}',
    ),
    "",
    redactor(["nnnnnnnnn"]),
  );
  assert.deepEqual(facts, [["__proto__", "a"], ["a [2J", "b c\ufffd"], ["long", "<redacted>"]]);
});
