import assert from "node:assert/strict";
import { specsOf } from "../../../src/config/options/option.ts";
import {
  OPTION_TABLES,
  PROFILE_COMMAND_OPTIONS,
} from "../../../src/config/options/commands/option_tables.ts";
import { redactedCommand } from "../../../src/config/options/redacted_command.ts";
import { isSecretName } from "../../../src/core/secrets/secret_names.ts";

const CASES: readonly (readonly [args: readonly string[], shown: string])[] = [
  [
    ["--api-key", "sk-1", "--api-key=sk-2", "--api_key", "-s"],
    "--api-key <redacted> " +
    "--api-key=<redacted> --api_key <redacted>",
  ],
  [["-H", "Authorization: Bearer sk-3"], "-H 'Authorization: <redacted>'"],
  [["-HX-Api-Key:sk-3"], "-H'X-Api-Key: <redacted>'"],
  [
    ["--header", "X-Plain: a b", "x-api-key:k", "X-B: c"],
    "--header 'X-Plain: a b' " +
    "'x-api-key: <redacted>' 'X-B: c'",
  ],
  [["--header=X-A: b,X-Token: c, d:e"], "--header='X-A: b,X-Token: <redacted>'"],
  [
    ["--header", '{"X-Api-Key": "k", "X-A": "b"}'],
    `--header '{"X-Api-Key":"<redacted>","X-A":"b"}'`,
  ],
  [["--header", '{"X-Api-Key": "k"'], "--header <redacted>"],
  [["--header", "Bearer k"], "--header <redacted>"],
  [["--url", "http://u:sk-4@h:1/x", "k:sk-5@h"], "--url 'http://<redacted>@h:1/x' '<redacted>@h'"],
  [["--url=https://h/?api_key=k&model=m"], "--url='https://h/?api_key=<redacted>&model=m'"],
  [["-uhttp://k@h"], "-u'http://<redacted>@h'"],
  [
    ["--custom-endpoint", "/v1/chat?code=1&token=k"],
    "--custom-endpoint '/v1/chat?code=1&token=<redacted>'",
  ],
  [["--endpoint", "/v1/chat?token=k"], "--endpoint '/v1/chat?token=<redacted>'"],
  [["--server-metrics", "h:1/m?sig=k"], "--server-metrics 'h:1/m?sig=<redacted>'"],
  [
    ["--extra-inputs", "api_key:sk,max_tokens:5", "top_k:3"],
    "--extra-inputs " +
    "'api_key:<redacted>,max_tokens:5' top_k:3",
  ],
  [
    ["--extra-inputs", '{"a":{"token":"k"},"b":1}'],
    `--extra-inputs '{"a":{"token":"<redacted>"},"b":1}'`,
  ],
  [["--extra-inputs", 'a:{"password":["k"]}'], `--extra-inputs 'a:{"password":"<redacted>"}'`],
  [
    ["--goodput", "time_to_first_token:100", "inter_token_latency:5"],
    "--goodput " +
    "time_to_first_token:100 inter_token_latency:5",
  ],
  [
    ["--model", "it's", "--streaming", "--concurrency", "-1"],
    `--model 'it'\\''s' --streaming ` +
    "--concurrency -1",
  ],
  [
    ["--model", "secret/token:key", "--tokenizer", "/a/api-key:b/t.json"],
    "--model secret/token:key " +
    "--tokenizer /a/api-key:b/t.json",
  ],
];

Deno.test("redactedCommand looks into the values of options that may hold a secret, and no others", () => {
  for (const [args, shown] of CASES) {
    assert.equal(
      redactedCommand(["profile", ...args], PROFILE_COMMAND_OPTIONS),
      `inferometer profile ${shown}`,
    );
  }
});

Deno.test("OPTION_TABLES say of every option called like a secret where it is", () => {
  const specs = [...OPTION_TABLES.values()].flatMap(specsOf);
  const paths = specs.filter(({ value }) => value === "file");
  for (const spec of specs) {
    if (isSecretName(spec.name) && !paths.includes(spec)) {
      assert.ok(spec.secret !== undefined, spec.name);
    }
  }
  assert.ok(paths.some(({ name }) => name === "clientKey"));
});
