/** Each kind of API through the whole program, held against what the embedded server did. */

import assert from "node:assert/strict";
import { ENDPOINT_TYPES } from "../../src/endpoint/endpoint_types.ts";
import { withFolder } from "../support/artifacts.ts";
import { startMock } from "../support/mock_process.ts";
import { endOf, runProfile } from "../support/profile_run.ts";
import { validRecords, valueOf } from "../support/recomputed.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { spawnCli } from "../support/run_cli.ts";

const LOAD = ["--request-count", "4", "--concurrency", "2", "--workers", "1", "--no-canaries"];

/** What a type needs besides the options that all have, and the path of its requests. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  "template": [
    ...["--custom-endpoint", "/template", "--extra-inputs"],
    '{"payload_template": "{\\"text\\": {{ text }}, \\"max_tokens\\": {{ max_tokens }}, ' +
    '\\"stream\\": {{ stream|lower }}}"}',
  ],
  "raw": ["--custom-endpoint", "/raw"],
};

for (const type of ENDPOINT_TYPES.values()) {
  Deno.test(`profile measures ${type.name} on synthetic prompts, streaming and not`, () =>
    withFolder(async (folder) => {
      await using mock = await startMock(["--ttft", "1", "--itl", "1"]);
      for (const streaming of [["--streaming"], []]) {
        const { code, stderr, artifacts } = await runProfile(`${folder}/${streaming.length}`, [
          ...["--url", mock.url, "--model", "m", "--endpoint-type", type.name.replaceAll("-", "_")],
          ...["--isl", "25", "--osl", "8", ...LOAD, ...streaming, ...OWN[type.name] ?? []],
        ]);
        assert.equal(code, 0, stderr);
        const { served } = await mock.stats();
        const byId = new Map(served.map((request) => [request.request_id, request]));
        const records = validRecords(artifacts.records);
        assert.equal(records.length, 4);
        for (const record of records) {
          const truth = byId.get(record.metadata.x_request_id);
          assert.ok(truth !== undefined);
          assert.equal(valueOf(record, "input_sequence_length"), 25);
          assert.equal(valueOf(record, "output_sequence_length"), 8);
          assert.equal(truth.output_tokens, 8);
          assert.equal(truth.prompt_tokens, 25);
          assert.equal(truth.sent_after_ms.length, streaming.length === 0 ? 1 : 8);
          assert.equal(
            Number.isFinite(valueOf(record, "time_to_first_token")),
            streaming.length > 0,
          );
        }
      }
    }));
}

Deno.test("profile sends Anthropic's headers, and the key in its own", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer({
      answer: () =>
        Response.json({
          "type": "message",
          "content": [{ "type": "text", "text": "hi" }],
          "stop_reason": "end_turn",
          "usage": { "input_tokens": 1, "output_tokens": 1 },
        }),
    });
    const key = "sk-ant-not-to-be-seen-7d1f";
    const { code, stdout, stderr } = await runProfile(folder, [
      ...["--url", server.url, "--model", "m", "--endpoint-type", "messages", ...LOAD],
      ...["--api-key", key],
    ]);
    assert.equal(code, 0, stderr);
    for (const { headers, body, path } of server.requests) {
      assert.equal(path, "/v1/messages");
      assert.equal(headers.get("x-api-key"), key);
      assert.equal(headers.get("authorization"), null);
      assert.equal(headers.get("anthropic-version"), "2023-06-01");
      const { messages, ...others } = JSON.parse(body);
      assert.equal(messages.length, 1);
      assert.deepEqual(others, { "model": "m", "max_tokens": 1024 });
    }
    const texts = [stdout, stderr];
    for await (const { name, isFile } of Deno.readDir(folder)) {
      if (isFile) texts.push(await Deno.readTextFile(`${folder}/${name}`));
    }
    assert.ok(texts.every((text) => !text.includes(key)), "the key is nowhere");
  }));

Deno.test("profile sends raw bodies byte for byte, and makes their results again", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer({
      answer: () => Response.json({ "answers": [{ "t": "one two three" }] }),
    });
    const lines = ['{ "ask" : "a",  "n":1.0 }', '{"ask":"\\u00e9"}'];
    await Deno.writeTextFile(`${folder}/bodies.jsonl`, `${lines.join("\n")}\n`);
    const run = `${folder}/run`;
    const { code, stderr } = await runProfile(run, [
      ...["--url", `${server.url}/ask/me`, "--model", "m", "--endpoint-type", "raw", ...LOAD],
      ...[
        "--input-file",
        `${folder}/bodies.jsonl`,
        "--extra-inputs",
        "response_field:answers[0].t",
      ],
    ]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      server.requests.map(({ path, body }) => `${path} ${body}`).sort(),
      [...lines, ...lines].map((line) => `/ask/me ${line}`).sort(),
    );
    const file = `${run}/profile_export_aiperf.json`;
    const before = await Deno.readTextFile(file);
    await Deno.remove(file);
    assert.equal((await endOf(spawnCli(["report", run]))).code, 0);
    assert.equal(await Deno.readTextFile(file), before);
  }));

Deno.test("profile refuses a template, a path or a model that cannot be used, in one line", async () => {
  const refused: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [["--endpoint-type", "template"], /^error: --extra-inputs: payload_template is missing/],
    [
      ["--endpoint-type", "template", "--extra-inputs", 'payload_template:{"a": {{ txt }}}'],
      /There is no placeholder \{\{ txt \}\}/,
    ],
    [
      ["--endpoint-type", "template", "--extra-inputs", 'payload_template:{"a": 1}'],
      /The template must have \{\{ text \}\} or \{\{ texts \}\} once/,
    ],
    [
      ["--endpoint-type", "template", "--extra-inputs", "payload_template:./missing.json"],
      /payload_template: \.\/missing\.json: /,
    ],
    [
      ["--endpoint-type", "raw", "--extra-inputs", "response_field:a..b"],
      /response_field: Expected a path/,
    ],
    [["--endpoint-type", "triton", "--model", "a,b"], /^error: --model: Exactly one is needed/],
    [["--endpoint-type", "kserv"], /--endpoint-type/],
  ];
  for (const [args, message] of refused) {
    const { code, stderr } = await endOf(
      spawnCli(["profile", "--url", "127.0.0.1:9", "--model", "m", ...args]),
    );
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
    assert.ok(!/\n\s+at /.test(stderr), stderr);
  }
});

Deno.test("profile notes options that mean nothing to an endpoint type", () =>
  withFolder(async (folder) => {
    await using mock = await startMock([]);
    const { code, stderr } = await runProfile(folder, [
      ...["--url", mock.url, "--model", "m", "--endpoint-type", "tgi", ...LOAD, "--osl", "4"],
      ...["--streaming", "--per-chunk-usage", "--use-legacy-max-tokens"],
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /--per-chunk-usage has no effect: endpoint type huggingface-generate/);
    assert.match(stderr, /--use-legacy-max-tokens has no effect/);
  }));

Deno.test("endpoints lists every type with its path, streams, media and an example", async () => {
  const table = await endOf(spawnCli(["endpoints"]));
  assert.equal(table.code, 0, table.stderr);
  const json = await endOf(spawnCli(["endpoints", "--json"]));
  const listed: Record<string, unknown>[] = JSON.parse(json.stdout);
  assert.deepEqual(listed.map(({ name }) => name), [...ENDPOINT_TYPES.keys()]);
  for (const { name, path, streaming, media, example } of listed) {
    assert.ok(table.stdout.includes(String(name)) && table.stdout.includes(String(path)));
    assert.ok(typeof streaming === "boolean" && Array.isArray(media));
    assert.match(String(example), new RegExp(`^inferometer profile --endpoint-type ${name} `));
  }
});
