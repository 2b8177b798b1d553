import assert from "node:assert/strict";
import { isSecretName } from "../../../src/core/secrets/secret_names.ts";

const SECRETS = [
  ...[
    "authorization",
    "Proxy-Authorization",
    "api-key",
    "apikey",
    "API_KEY",
    "apiKey",
    "X-ApiKey-2",
  ],
  ...["key", "Ocp-Apim-Subscription-Key", "subscriptionkey", "AWSAccessKeyId", "x-functions-key"],
  ...[
    "token",
    "access_token",
    "idToken",
    "hf_token",
    "x-vault-token",
    "X-Token-Value",
    "refreshtoken",
  ],
  ...["password", "db_passwd", "X-Account-Pass", "userPwd", "passphrase", "mypassword"],
  ...["secret", "client_secret", "clientSecret", "cookie", "Set-Cookie", "sig", "X-Amz-Signature"],
  ...[
    "X-Amz-Credential",
    "auth",
    "x-auth-user",
    "jwt",
    "oauth[state]",
    "auth.token",
    "private_key",
  ],
];
const OTHERS = [
  ...[
    "max_tokens",
    "maxTokens",
    "min_tokens",
    "token_count",
    "token_ids",
    "eos_token_id",
    "stop_token",
  ],
  ...[
    "time_to_first_token",
    "inter_token_latency",
    "skip_special_tokens",
    "bos_token",
    "tokenizer",
  ],
  ...[
    "prompt_cache_key",
    "sort_key",
    "public_key",
    "Idempotency-Key",
    "keyboard",
    "monkey",
    "top_k",
  ],
  ...["author", "X-Author", "authority", "passage", "bypass", "first_pass", "compass", "design"],
  ...["model", "temperature", "X-Tenant", "signal", "keep_alive", ""],
  ...["max_session_tokens", "user_token_count", "num_client_tokens"],
];

Deno.test("isSecretName knows names of secrets, however they are written", () => {
  for (const name of SECRETS) assert.ok(isSecretName(name), name);
});

Deno.test("isSecretName takes no names of language models and databases for secrets", () => {
  for (const name of OTHERS) assert.ok(!isSecretName(name), name);
});
