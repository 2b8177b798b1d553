import assert from "node:assert/strict";
import { looksSecret } from "../../../src/core/secrets/secret_values.ts";
import { randomStream } from "../../../src/core/statistics/random_stream.ts";

const SECRETS = [
  ...[
    "Bearer x",
    "basic dTpw",
    "Token abc",
    "sk-proj-abcdefghijklmnopqrst",
    "hf_abcdefghijklmnopq",
  ],
  ...["AKIAIOSFODNN7EXAMPLE", "eyJhbGciOiJIUzI1NiJ9.e30.x", "0b6f1d52-93cf-4f8e-9d0f-5a1c0d1a7b7e"],
  ...[
    "key=q8ZtLw3Vx9Rk2mPb7n",
    "a, q8Zt+Lw3/Vx9Rk2mPb7n==",
    "9f86d081884c7d65",
    "QX7T-9KPM-2ZRW-8VLD",
  ],
];
const OTHERS = [
  ...["", "a", "true", "100", "team-a", "meta-llama/Llama-3.1-8B-Instruct", "Qwen2VLForCausalLM"],
  ...["Qwen/Qwen3-30B-A3B-Instruct-2507-FP8", "Meta-Llama-3-8B-Q4_K_M.gguf", "openai/gpt-oss-120b"],
  ...["deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", "nvidia-H100-80GB-HBM3-x8", "us-east-1a-gpu-3"],
  ...[
    "vllm-0.6.3.post1-cu121-py311",
    "experiment_lr0.001_bs32_seed42_ep3",
    "TheQuickBrownFoxJumps",
  ],
  ...[
    "2026-05-13T10:11:12.123456Z",
    "1712345678901234567",
    "0a0a0a0a0a0a0a0a0a",
    "xxxxxxxxxxxxxxxx",
  ],
  ...[
    "node-17.cluster.local:8000",
    "/mnt/data/models/run-2026-05-13/out",
    "application/json; q=0.9",
  ],
  ...[
    "prefill-decode-disagg-run-42",
    "Mozilla/5.0 (X11; Linux x86_64)",
    "the quick brown fox jumps",
  ],
];

Deno.test("looksSecret knows keys by their form", () => {
  for (const value of SECRETS) assert.ok(looksSecret(value), value);
});

Deno.test("looksSecret takes no names, versions, paths and times for keys", () => {
  for (const value of OTHERS) assert.ok(!looksSecret(value), value);
});

Deno.test("looksSecret finds nearly every random key of 32 characters", () => {
  const letters = "abcdefghijklmnopqrstuvwxyz";
  const alphabets: Readonly<Record<string, string>> = {
    "hexadecimal": "0123456789abcdef",
    "base62": `${letters}${letters.toUpperCase()}0123456789`,
    "base64": `${letters}${letters.toUpperCase()}0123456789+/`,
    "base64url": `${letters}${letters.toUpperCase()}0123456789-_`,
    "base36": `${letters}0123456789`,
  };
  for (const [name, alphabet] of Object.entries(alphabets)) {
    const random = randomStream(7, `secrets.${name}`);
    let missed = 0;
    for (let i = 0; i < 1000; i++) {
      const key = Array.from(
        { length: 32 },
        () => alphabet[Math.floor(random() * alphabet.length)],
      ).join("");
      if (!looksSecret(key)) missed++;
    }
    assert.ok(missed < 20, `${name}: ${missed} of 1000`);
  }
});
