/** Each kind of API through the whole program, held against what the embedded server did. */

import assert from "node:assert/strict";
import { ENDPOINT_TYPES } from "../../src/client/endpoint/endpoint_types.ts";
import type { EndpointType } from "../../src/client/endpoint/protocol/endpoint_type.ts";
import { wholeReply } from "../../src/client/http/reply_text.ts";
import { JobBoard } from "../../src/mock/job_board.ts";
import { type RecordLine, withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import type { ServedRequest } from "../support/mock_process.ts";
import { runProfile } from "../support/profile_run.ts";
import { validRecords, valueOf } from "../support/recomputed.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { runCli } from "../support/run_cli.ts";

const LOAD = ["--request-count", "4", "--concurrency", "2", "--workers", "1", "--no-canaries"];

const RANKINGS = [
  ...["--rankings-passages-mean", "3", "--rankings-passages-prompt-token-mean", "7"],
  ...["--rankings-query-prompt-token-mean", "5"],
];

/** What a type needs besides the options that all have, and the path of its requests. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  "template": [
    ...["--custom-endpoint", "/template", "--extra-inputs"],
    '{"payload_template": "{\\"text\\": {{ text }}, \\"max_tokens\\": {{ max_tokens }}, ' +
    '\\"stream\\": {{ stream|lower }}}"}',
  ],
  "raw": ["--custom-endpoint", "/raw"],
  "nim-rankings": RANKINGS,
  "cohere-rankings": RANKINGS,
  "hf-tei-rankings": RANKINGS,
  "image-edit": ["--image-width-mean", "16", "--image-height-mean", "9"],
  "image-retrieval": ["--image-width-mean", "16", "--image-height-mean", "9", "-b", "1"],
  "audio-transcription": ["--audio-length-mean", "0.1"],
};

for (const type of ENDPOINT_TYPES.values()) {
  Deno.test(`profile measures ${type.name} on synthetic prompts, streaming and not`, () =>
    withFolder(async (folder) => {
      using mock = await startLocalMock(["--ttft", "1", "--itl", "1"]);
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
          assertLatency(type, record, truth);
          if (!type.producesTokens) {
            assertOnlyMeant(type, record, truth);
            continue;
          }
          assert.equal(valueOf(record, "input_sequence_length"), 25);
          assert.equal(valueOf(record, "output_sequence_length"), 8);
          assert.equal(truth.output_tokens, 8);
          assert.equal(truth.prompt_tokens, 25);
          const isStream = streaming.length > 0 && type.writer.stream !== undefined;
          assert.equal(truth.sent_after_ms.length, isStream ? 8 : 1);
          assert.equal(Number.isFinite(valueOf(record, "time_to_first_token")), isStream);
        }
      }
    }));
}

/** The client cannot see a reply before it was sent; a job is looked at every 100 ms. */
function assertLatency(
  type: EndpointType,
  record: RecordLine,
  { sent_after_ms: sentMs }: ServedRequest,
): void {
  const last = sentMs.at(-1) ?? NaN;
  const latency = valueOf(record, "request_latency");
  // Both clocks are those of this machine; the request was on its way before it was read.
  assert.ok(latency >= last, `${type.name}: ${latency} ms, the server took ${last} ms`);
}

/** A reply without tokens has no metrics of tokens; one of images has those of images. */
function assertOnlyMeant(type: EndpointType, record: RecordLine, truth: ServedRequest): void {
  const tags = Object.keys(record.metrics);
  const isOfTokens = /output|inter_|time_to|reasoning|prefill|osl/;
  assert.deepEqual(tags.filter((tag) => isOfTokens.test(tag)), []);
  assert.equal(tags.includes("input_sequence_length"), type.tokenizesInput);
  if (type.tokenizesInput) {
    assert.equal(valueOf(record, "input_sequence_length"), truth.prompt_tokens);
    if (!type.ranksPassages) assert.equal(truth.prompt_tokens, 25);
  }
  const hasImages = type.producesImages === true || type.requiredMedia === "image";
  assert.equal(tags.includes("image_latency"), hasImages);
  if (hasImages) {
    assert.equal(valueOf(record, "num_images"), 1);
    assert.equal(valueOf(record, "image_latency"), valueOf(record, "request_latency"));
  }
  assert.equal(truth.output_tokens, 0);
}

Deno.test("profile follows jobs to their end, and fetches what they made where that is asked", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "150"]);
    const args = [
      "--url",
      mock.url,
      "--model",
      "m",
      "--endpoint-type",
      "video-generation",
      ...LOAD,
    ];
    const at = JobBoard.prototype.at;
    /** What was received besides what was said of the jobs: the replies to their submission. */
    const besides: number[] = [];
    for (const more of [[], ["--download-video-content"]]) {
      const asked: string[] = [];
      let said = 0;
      JobBoard.prototype.at = function (path) {
        const job = at.call(this, path);
        if (job === undefined) return undefined;
        asked.push(path);
        said += wholeReply("200 OK", job.contentType, job.body).length;
        return job;
      };
      const { code, stderr, artifacts } = await runProfile(`${folder}/${more.length}`, [
        ...args,
        ...more,
      ]).finally(() => {
        JobBoard.prototype.at = at;
      });
      assert.equal(code, 0, stderr);
      const records = validRecords(artifacts.records);
      assert.equal(records.length, 4);
      for (const record of records) {
        // The job took 150 ms, and is seen to be done when it is asked for the second time.
        assert.ok(valueOf(record, "request_latency") >= 150);
        assert.ok(valueOf(record, "http_req_data_sent") > 0.5, "all that was asked is counted");
      }
      const fetched = asked.filter((path) => path.endsWith("/content"));
      assert.equal(fetched.length, more.length * 4);
      const received = records.map((record) => valueOf(record, "http_req_data_received"));
      besides.push(received.reduce((sum, kilobytes) => sum + kilobytes * 1024, 0) - said);
    }
    assert.ok((besides[0] as number) > 0);
    assert.equal(besides[1], besides[0], "what was fetched is counted, too");
  }));

Deno.test("profile fails jobs that fail, and those that take too long", () =>
  withFolder(async (folder) => {
    const kindsOf = async (mockArgs: readonly string[], more: readonly string[]) => {
      using mock = await startLocalMock(mockArgs);
      const { code, artifacts } = await runProfile(`${folder}/${more.length}`, [
        ...["--url", mock.url, "--model", "m", "--endpoint-type", "video-generation", ...LOAD],
        ...more,
      ]);
      assert.equal(code, 1);
      return artifacts.records.map(({ error }) => error?.kind);
    };
    assert.deepEqual(await kindsOf(["--faults", "in-band:1"], []), Array(4).fill("stream_error"));
    const slow = await kindsOf(["--ttft", "60000"], ["--request-timeout-seconds", "0.5"]);
    assert.deepEqual(slow, Array(4).fill("timeout"));
  }));

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
    assert.equal((await runCli(["report", run])).code, 0);
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
    const { code, stderr } = await runCli([
      "profile",
      "--url",
      "127.0.0.1:9",
      "--model",
      "m",
      ...args,
    ]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
    assert.ok(!/\n\s+at /.test(stderr), stderr);
  }
});

Deno.test("profile notes options that mean nothing to an endpoint type", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock([]);
    const { code, stderr } = await runProfile(folder, [
      ...["--url", mock.url, "--model", "m", "--endpoint-type", "tgi", ...LOAD, "--osl", "4"],
      ...["--streaming", "--per-chunk-usage", "--use-legacy-max-tokens"],
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /--per-chunk-usage has no effect: endpoint type huggingface-generate/);
    assert.match(stderr, /--use-legacy-max-tokens has no effect/);
  }));

Deno.test("endpoints lists every type with its path, streams, media and an example", async () => {
  const table = await runCli(["endpoints"]);
  assert.equal(table.code, 0, table.stderr);
  const json = await runCli(["endpoints", "--json"]);
  const listed: Record<string, unknown>[] = JSON.parse(json.stdout);
  assert.deepEqual(listed.map(({ name }) => name), [...ENDPOINT_TYPES.keys()]);
  for (const { name, path, streaming, media, example } of listed) {
    assert.ok(table.stdout.includes(String(name)) && table.stdout.includes(String(path)));
    assert.ok(typeof streaming === "boolean" && Array.isArray(media));
    assert.match(String(example), new RegExp(`^inferometer profile --endpoint-type ${name} `));
  }
});
