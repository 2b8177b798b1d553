import assert from "node:assert/strict";
import { chat } from "../../../../src/client/endpoint/openai/chat.ts";
import { generate } from "../../../../src/client/endpoint/engines/generate.ts";
import { huggingfaceGenerate } from "../../../../src/client/endpoint/engines/huggingface_generate.ts";
import { ollama } from "../../../../src/client/endpoint/ollama/ollama.ts";
import type { EndpointType } from "../../../../src/client/endpoint/protocol/endpoint_type.ts";
import { ReplyReader } from "../../../../src/client/endpoint/protocol/reply_reader.ts";
import {
  readServerWork,
  repeatsWork,
  type ServerWork,
} from "../../../../src/client/endpoint/protocol/server_work.ts";

const CAPTURES = "/work/shared/cases/servers/captures2";
const hasCaptures = await Deno.stat(CAPTURES).then(() => true, () => false);

/** Reads a stream of events, byte by byte in one piece, and returns what its server reported. */
function workOfStream(type: EndpointType, objects: readonly unknown[]): ServerWork | undefined {
  const body = objects.map((json) => `data: ${JSON.stringify(json)}\n\n`).join("") +
    "data: [DONE]\n\n";
  return workOf(type, body, [["content-type", "text/event-stream"]]);
}

function workOf(
  type: EndpointType,
  body: string,
  headers: [string, string][],
): ServerWork | undefined {
  const reader = new ReplyReader(type);
  reader.begin(200, "OK", headers);
  const bytes = new TextEncoder().encode(body);
  reader.push(bytes, 0, bytes.length, 1);
  assert.deepEqual(reader.end(true, 2), undefined);
  return reader.content.work;
}

const chunk = (content: string, more: object = {}) => ({
  "choices": [{ "index": 0, "delta": { content }, "finish_reason": null }],
  ...more,
});
const usage = { "choices": [], "usage": { "prompt_tokens": 5, "completion_tokens": 3 } };
const last = { "choices": [{ "index": 0, "delta": {}, "finish_reason": "length" }] };

Deno.test("vLLM: times and drafts of the last chunk", () => {
  const metrics = {
    "time_to_first_token_ms": 12.25,
    "queue_time_ms": 3.5,
    "mean_itl_ms": 1,
    "speculative_decoding": {
      "num_spec_steps": 7,
      "num_draft_tokens": 21,
      "num_accepted_draft_tokens": 9,
    },
  };
  assert.deepEqual(workOfStream(chat, [chunk("a"), chunk(" b"), last, { ...usage, metrics }]), {
    queueNs: 3_500_000,
    prefillNs: 12_250_000,
    ttftNs: 15_750_000,
    drafts: 7,
    draftTokens: 21,
    acceptedTokens: 9,
  });
});

Deno.test("vLLM: a request without drafts reports its times only", () => {
  const metrics = { "time_to_first_token_ms": 2, "queue_time_ms": 0, "speculative_decoding": null };
  const work = workOfStream(chat, [chunk("a"), last, { ...usage, metrics }]);
  assert.deepEqual(work, { queueNs: 0, prefillNs: 2_000_000, ttftNs: 2_000_000 });
});

Deno.test("llama.cpp: counts of drafts are missing where nothing was drafted", () => {
  const timings = { "prompt_ms": 1.5, "predicted_n": 3, "draft_n": 4, "draft_n_accepted": 0 };
  assert.deepEqual(workOfStream(chat, [chunk("a"), last, { ...usage, timings }]), {
    prefillNs: 1_500_000,
    draftTokens: 4,
    acceptedTokens: 0,
  });
  assert.deepEqual(
    workOfStream(chat, [chunk("a"), last, { ...usage, timings: { "prompt_ms": 1.5 } }]),
    { prefillNs: 1_500_000 },
  );
});

Deno.test("llama.cpp: the last of several timings counts", () => {
  const events = [1, 2, 3].map((n) =>
    chunk("a", { "timings": { "prompt_ms": 2, "draft_n": 2 * n, "draft_n_accepted": n } })
  );
  assert.deepEqual(workOfStream(chat, [...events, last]), {
    prefillNs: 2_000_000,
    draftTokens: 6,
    acceptedTokens: 3,
  });
});

Deno.test("Dynamo: the token of a prefill worker is not yet the client's first token", () => {
  const timing = { "prefill_wait_time_ms": 1, "prefill_time_ms": 20, "ttft_ms": 21 };
  const of = (prefill: number, decode: number) => {
    const work = workOfStream(chat, [
      chunk("a"),
      {
        ...last,
        "nvext": {
          timing,
          "worker_id": { "prefill_worker_id": prefill, "decode_worker_id": decode },
        },
      },
    ]);
    const { worker, ...times } = work ?? {};
    assert.ok(worker !== undefined);
    return times;
  };
  assert.deepEqual(of(1, 1), { queueNs: 1_000_000, prefillNs: 20_000_000, ttftNs: 21_000_000 });
  assert.deepEqual(of(1, 2), { queueNs: 1_000_000, prefillNs: 20_000_000 });
});

Deno.test("SGLang: drafts by both of its APIs, times by its own", () => {
  const drafts = {
    "spec_verify_ct": 5,
    "spec_num_proposed_drafts": 15,
    "spec_num_correct_drafts": 8,
  };
  assert.deepEqual(
    workOfStream(chat, [chunk("a"), last, {
      ...usage,
      "sglext": { "spec_tokens_details": drafts },
    }]),
    { drafts: 5, draftTokens: 15, acceptedTokens: 8 },
  );
  const meta = {
    "finish_reason": { "type": "stop" },
    "prompt_tokens": 5,
    "completion_tokens": 3,
    "queue_time": 0.25,
    "forward_entry_time": 100.5,
    "prefill_finished_time": 101,
    "spec_verify_ct": 5,
    "spec_draft_token_num": 15,
    "spec_accept_token_num": 8,
  };
  assert.deepEqual(
    workOf(generate, JSON.stringify({ "text": "abc", "meta_info": meta }), [
      ["content-type", "application/json"],
    ]),
    {
      drafts: 5,
      draftTokens: 15,
      acceptedTokens: 8,
      queueNs: 250_000_000,
      prefillNs: 500_000_000,
    },
  );
});

Deno.test("Ollama and TGI: what their replies have", () => {
  const lines = [
    { "message": { "content": "a" }, "done": false },
    { "message": { "content": "" }, "done": true, "prompt_eval_duration": 4_000_000 },
  ].map((line) => `${JSON.stringify(line)}\n`).join("");
  assert.deepEqual(workOf(ollama, lines, [["content-type", "application/x-ndjson"]]), {
    prefillNs: 4_000_000,
  });
  const headers: [string, string][] = [
    ["content-type", "application/json"],
    ["X-Queue-Time", "12"],
    ["x-inference-time", "80"],
  ];
  assert.deepEqual(
    workOf(huggingfaceGenerate, JSON.stringify({ "generated_text": "a" }), headers),
    {
      queueNs: 12_000_000,
    },
  );
  assert.deepEqual(
    workOf(chat, JSON.stringify({ "choices": [{ "message": { "content": "a" } }] }), [
      ["content-type", "application/json"],
      ["x-queue-time", "12"],
    ]),
    undefined,
  );
});

Deno.test("accepted tokens by position, where the histogram fits the other counts", () => {
  const work = (histogram: unknown) =>
    readServerWork({
      metrics: {
        "speculative_decoding": {
          ...{ "num_spec_steps": 15, "num_draft_tokens": 37, "num_accepted_draft_tokens": 28 },
          "acceptance_histogram": histogram,
        },
      },
    })?.acceptedAt;
  assert.deepEqual(work([1, 6, 2, 6]), [14, 8, 6]);
  assert.equal(work([1, 6, 2, 5]), undefined);
  assert.equal(work([1, 6, "2", 6]), undefined);
  const meta = {
    ...{ "spec_verify_ct": 4, "spec_num_proposed_drafts": 8, "spec_num_correct_drafts": 5 },
    "spec_correct_drafts_histogram": [1, 1, 2],
  };
  const sglang = workOfStream(generate, [{ text: "a b", "meta_info": meta }]);
  assert.deepEqual(sglang?.acceptedAt, [3, 2]);
});

Deno.test("instances that replies and headers name have a number, the same for the same name", () => {
  const dynamo = (id: number, more: object = {}) =>
    workOfStream(chat, [
      chunk("a", { nvext: { "worker_id": { "decode_worker_id": id, ...more } } }),
      chunk(" b", { nvext: { "worker_id": { "decode_worker_id": id, ...more } } }),
      last,
    ])?.worker;
  const [first, second] = [dynamo(10610230053891632175), dynamo(4635688717585812785)];
  assert.ok(first !== undefined && second !== undefined && first !== second);
  assert.equal(dynamo(10610230053891632175), first);
  assert.equal(dynamo(7, { "prefill_worker_id": 10610230053891632175 }), first, "it has the cache");
  assert.notEqual(dynamo(10610230053891632175, { "decode_dp_rank": 1 }), first);
  const header = (name: string) =>
    workOf(
      chat,
      `data: ${JSON.stringify(chunk("a"))}\n\ndata: [DONE]\n\n`,
      [
        ...[["content-type", "text/event-stream"], ["X-SMG-Routed-Worker-Id", name]] as const,
      ].map(([key, value]): [string, string] => [key, value]),
    )?.worker;
  assert.equal(header("http://w1:8000"), header("http://w1:8000"));
  assert.notEqual(header("http://w1:8000"), header("http://w2:8000"));
  assert.equal(header(""), undefined);
  const rank = (rank: number) =>
    workOfStream(generate, [{ text: "a", "meta_info": { "dp_rank": rank } }])?.worker;
  assert.notEqual(rank(0), rank(1));
  const transfer = readServerWork({ "kv_transfer_params": { "remote_engine_id": "p0" } });
  assert.notEqual(transfer?.worker, undefined);
});

Deno.test("each reply of a reader has the instance that all of its events name", () => {
  const reader = new ReplyReader(chat);
  let replies = 0;
  const workerOf = (id: number | undefined, texts: readonly string[]): string | undefined => {
    const more = id === undefined ? {} : { nvext: { "worker_id": { "decode_worker_id": id } } };
    // The reader knows events of an earlier reply by all but the ID of the reply.
    const named = { "id": `chatcmpl-${++replies}` };
    const events = texts.map((text) => ({ ...named, ...chunk(text, more) }));
    const body = events.map((json) => `data: ${JSON.stringify(json)}\n\n`).join("") +
      "data: [DONE]\n\n";
    const bytes = new TextEncoder().encode(body);
    reader.begin(200, "OK", [["content-type", "text/event-stream"]]);
    reader.push(bytes, 0, bytes.length, 1);
    assert.equal(reader.end(true, 2), undefined);
    assert.equal(reader.content.chunkCount, texts.filter((text) => text !== "").length);
    return reader.content.work?.worker;
  };
  const ids = [7, 7, 7, 8, 8, undefined, undefined, 7, 7];
  for (const texts of [["a"], ["", "a"], ["", "a", " b", " c"]]) {
    assert.deepEqual(ids.map((id) => workerOf(id, texts)), ids.map((id) => id?.toString()));
  }
});

Deno.test("work repeats earlier work only if all of it is known and equal", () => {
  const earlier = { queueNs: 1, worker: "a" };
  assert.ok(repeatsWork({}, undefined));
  assert.ok(repeatsWork({ worker: "a" }, earlier));
  assert.ok(repeatsWork({ queueNs: 1, worker: "a" }, earlier));
  assert.ok(!repeatsWork({ worker: "a" }, undefined));
  assert.ok(!repeatsWork({ queueNs: 2, worker: "a" }, earlier));
  assert.ok(!repeatsWork({ worker: "a", ttftNs: 1 }, earlier));
});

Deno.test("numbers that cannot be counts or times are not taken", () => {
  const timings = { "prompt_ms": -1, "draft_n": 3, "draft_n_accepted": 4 };
  assert.deepEqual(readServerWork({ timings }), undefined);
  const { draftTokens, acceptedTokens } = readServerWork({
    "timings": { ...timings, "draft_n_accepted": 3 },
  }) ?? {};
  assert.deepEqual([draftTokens, acceptedTokens], [3, 3], "every draft may be accepted");
  assert.deepEqual(
    readServerWork({ timings: { "draft_n": 2.5, "draft_n_accepted": 1 } }),
    undefined,
  );
  assert.deepEqual(readServerWork({ "metrics": { "queue_time_ms": Infinity } }), undefined);
});

Deno.test({
  name: "captures: the payloads of requests add up to the counters of vLLM",
  ignore: !hasCaptures,
  async fn() {
    const folder = `${CAPTURES}/vllm-ngram-smallcache`;
    const lines = (await Deno.readTextFile(`${folder}/load.jsonl`)).trim().split("\n");
    const works = lines.map((line) => readServerWork(JSON.parse(line)["rest"]) ?? {});
    for (const raw of ["chat.http", "chat_stream.http", "completions.http"]) {
      const text = await Deno.readTextFile(`${folder}/${raw}`);
      const start = text.lastIndexOf('"metrics":') + '"metrics":'.length;
      // The payload is the last field of its object.
      const [json] = text.slice(start).split("\n");
      works.push(
        readServerWork({ "metrics": JSON.parse((json as string).trim().slice(0, -1)) }) ?? {},
      );
    }
    const page = await Deno.readTextFile(`${folder}/metrics_after_load.txt`);
    const counted = (name: string): number =>
      Number(new RegExp(`^vllm:spec_decode_num_${name}_total{.*} (.*)$`, "m").exec(page)?.[1]);
    const sum = (name: "drafts" | "draftTokens" | "acceptedTokens"): number =>
      works.reduce((sum, work) => sum + (work[name] ?? 0), 0);
    assert.deepEqual(sum("drafts"), counted("drafts"));
    assert.deepEqual(sum("draftTokens"), counted("draft_tokens"));
    assert.deepEqual(sum("acceptedTokens"), counted("accepted_tokens"));
    for (const position of [0, 1, 2]) {
      const name = "vllm:spec_decode_num_accepted_tokens_per_pos_total";
      const row = new RegExp(`^${name}{.*position="${position}".*} (.*)$`, "m").exec(page);
      assert.equal(
        works.reduce((sum, { acceptedAt }) => sum + (acceptedAt?.[position] ?? 0), 0),
        Number(row?.[1]),
      );
    }
    const drafted = works.filter(({ draftTokens = 0 }) => draftTokens > 0);
    assert.deepEqual(drafted.every(({ drafts }) => drafts !== undefined), true);
  },
});
