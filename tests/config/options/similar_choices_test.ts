import assert from "node:assert/strict";
import { checkedValue } from "../../../src/config/options/checked_value.ts";
import { ENDPOINT_OPTIONS } from "../../../src/config/options/profile/endpoint_options.ts";
import type { OptionSpec } from "../../../src/config/options/option.ts";
import { similarChoices } from "../../../src/config/options/similar_choices.ts";

const TYPE: OptionSpec = { ...ENDPOINT_OPTIONS.endpointType, name: "endpointType" };

/** The message for a wrong `--endpoint-type`. */
function messageOf(word: string): string {
  try {
    checkedValue(TYPE, word);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error(`${word} is taken`);
}

Deno.test("--endpoint-type suggests the types that a word from another tool means", () => {
  const ranking = "(Did you mean nim-rankings, cohere-rankings or hf-tei-rankings?)";
  for (
    const [word, suggestion] of [
      ["rerank", ranking],
      ["reranking", ranking],
      ["Reranker", ranking],
      ["openai-chat", "(Did you mean chat?)"],
      ["vllm-completions", "(Did you mean completions?)"],
      ["embedding", "(Did you mean embeddings?)"],
      ["image", "(Did you mean image-generation, image-edit or image-retrieval?)"],
    ] as const
  ) {
    assert.ok(messageOf(word).endsWith(suggestion), `${word}: ${messageOf(word)}`);
  }
  assert.doesNotMatch(messageOf("quux"), /Did you mean/);
});

Deno.test("similarChoices names a choice by its synonym", () => {
  assert.deepEqual(similarChoices("defualt", ["metrics", "requests"], { default: "metrics" }), [
    "metrics",
  ]);
});
