/** What is sent: prompts, files, seeds, tokenizers, servers, connections. */

import assert from "node:assert/strict";
import { type RecordLine, withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { endOf, PROFILE, runProfile } from "../support/profile_run.ts";
import { validRecords, valueOf } from "../support/recomputed.ts";
import {
  goodReply,
  type RecordingServer,
  startRecordingServer,
} from "../support/recording_server.ts";
import { spawnCli } from "../support/run_cli.ts";

/** The bodies that a server got, in no order. */
function bodiesOf(server: RecordingServer): string[] {
  return server.requests.map(({ body }) => body).sort();
}

function promptOf(body: string): string {
  return JSON.parse(body).messages[0].content;
}

Deno.test("profile warms up with prompts of its own", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const { artifacts } = await runProfile(folder, [
      ...["--url", server.url, "--model", "m", "--isl", "30", "--concurrency", "3"],
      ...["--warmup-request-count", "8", "--request-count", "20", "--warmup-concurrency", "2"],
    ]);
    const phaseOf = new Map(
      artifacts.records.map(({ metadata }) => [metadata.x_request_id, metadata.benchmark_phase]),
    );
    const prompts = { warmup: new Set<string>(), profiling: new Set<string>() };
    for (const { headers, body } of server.requests) {
      const phase = phaseOf.get(headers.get("x-request-id") ?? "");
      assert.ok(phase === "warmup" || phase === "profiling");
      prompts[phase].add(promptOf(body));
    }
    assert.deepEqual([prompts.warmup.size, prompts.profiling.size], [8, 20], "all differ");
    assert.deepEqual(prompts.warmup.intersection(prompts.profiling), new Set());
  }));

Deno.test("profile sends the rows of a file, and an inputs.json byte by byte", () =>
  withFolder(async (folder) => {
    const rows = [
      { "text": 'Say "hi" to\nthe \u00e9toile \ud83d\ude80', "session_id": "first" },
      { "texts": ["one", "two"], "output_length": 7 },
      { "type": "single_turn", "text": "plain", "extra": { "top_k": 3 } },
    ];
    const file = `${folder}/prompts.jsonl`;
    await Deno.writeTextFile(file, rows.map((row) => JSON.stringify(row)).join("\n") + "\n\n");
    const common = ["--model", "m", "--streaming", "--request-count", "6", "--concurrency", "2"];
    await using server = startRecordingServer();
    const first = await runProfile(`${folder}/first`, [
      ...["--url", server.url, "--input-file", file, "--extra-inputs", "ignore_eos:true"],
      ...common,
    ]);
    assert.equal(first.code, 0, first.stderr);
    const conversations = first.artifacts.records.map(({ metadata }) =>
      metadata["conversation_id"]
    );
    assert.equal(conversations.filter((name) => name === "first").length, 2, "rows are used again");
    const bodies = [...new Set(bodiesOf(server))].map((body) => JSON.parse(body));
    assert.equal(bodies.length, 3);
    assert.ok(bodies.every(({ ignore_eos: ignoreEos }) => ignoreEos === true));
    const contents = bodies.map(({ messages }) => JSON.stringify(messages[0].content));
    assert.ok(contents.some((content) => content === JSON.stringify(rows[0]?.text)));
    assert.equal(bodies.find((body) => body.max_completion_tokens === 7) === undefined, false);
    assert.equal(bodies.find((body) => body.top_k === 3)?.messages[0].content, "plain");

    await using again = startRecordingServer();
    const inputs = `${folder}/first/inputs.json`;
    const second = await runProfile(`${folder}/second`, [
      ...["--url", again.url, "--input-file", inputs],
      ...common,
    ]);
    assert.equal(second.code, 0, second.stderr);
    assert.deepEqual(bodiesOf(again), bodiesOf(server));
    assert.equal(
      await Deno.readTextFile(`${folder}/second/inputs.json`),
      await Deno.readTextFile(inputs),
    );
  }));

Deno.test(
  "profile takes prompts from a pipe",
  { ignore: Deno.build.os === "windows" },
  () =>
    withFolder(async (folder) => {
      for (const name of ["-", "/dev/stdin"]) {
        await using server = startRecordingServer();
        const run = spawnCli([
          ...[...PROFILE, "--url", server.url, "--model", "m", "--request-count", "4"],
          ...["--input-file", name, "--artifact-dir", folder],
        ], { stdin: "piped" });
        const result = endOf(run);
        const writer = run.stdin.getWriter();
        for (const text of ["one", "two"]) {
          await writer.write(new TextEncoder().encode(`${JSON.stringify({ text })}\n`));
        }
        await writer.close();
        const { code, stderr } = await result;
        assert.equal(code, 0, stderr);
        assert.deepEqual(bodiesOf(server).map(promptOf), ["one", "one", "two", "two"]);
      }
    }),
);

Deno.test("profile sends the same bodies at the same times for a seed, whatever the workers", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const run = async (name: string, seed: string, workers: string) => {
      const { artifacts, code, stderr } = await runProfile(`${folder}/${name}`, [
        ...["--url", server.url, "--model", "m", "--export-level", "raw", "--workers", workers],
        ...["--request-count", "40", "--request-rate", "400", "--random-seed", seed],
        ...["--isl", "40", "--isl-stddev", "20", "--osl", "10", "--osl-stddev", "5"],
        ...["--dataset-sampling-strategy", "shuffle", "--num-dataset-entries", "15"],
      ]);
      assert.equal(code, 0, stderr);
      const raw = await Deno.readTextFile(`${folder}/${name}/profile_export_raw.jsonl`);
      const lines: { metadata: RecordLine["metadata"]; payload: unknown }[] = raw.trimEnd()
        .split("\n").map((line) => JSON.parse(line));
      const workersSeen = new Set(lines.map(({ metadata }) => metadata["worker_id"]));
      assert.ok(workersSeen.size <= Number(workers));
      assert.equal(artifacts.json.run_info.random_seed, Number(seed));
      lines.sort((a, b) => Number(a.metadata["session_num"]) - Number(b.metadata["session_num"]));
      const issued = raw.trimEnd().split("\n").map((line) => {
        const [, number, at] = /"session_num":(\d+),.*"credit_issued_ns":(\d+)/.exec(line) ?? [];
        return [Number(number), BigInt(at ?? 0)] as const;
      }).sort(([a], [b]) => a - b).map(([, at]) => at);
      return {
        inputs: await Deno.readTextFile(`${folder}/${name}/inputs.json`),
        payloads: lines.map(({ payload }) => payload),
        intervals: issued.slice(1).map((at, index) => at - (issued[index] as bigint)),
      };
    };
    const one = await run("one", "7", "1");
    assert.deepEqual(await run("two", "7", "2"), one);
    assert.deepEqual(await run("four", "7", "4"), one);
    const other = await run("other", "8", "2");
    assert.notEqual(other.inputs, one.inputs);
    assert.notDeepEqual(other.intervals, one.intervals);
  }));

/** A tokenizer.json for which every word is one token. */
const WORD_TOKENIZER = {
  "version": "1.0",
  "truncation": null,
  "padding": null,
  "added_tokens": [{
    "id": 0,
    "content": "[UNK]",
    "single_word": false,
    "lstrip": false,
    "rstrip": false,
    "normalized": false,
    "special": true,
  }],
  "normalizer": null,
  "pre_tokenizer": { "type": "WhitespaceSplit" },
  "post_processor": null,
  "decoder": null,
  "model": {
    "type": "WordLevel",
    "vocab": { "[UNK]": 0, "one": 1, "two": 2 },
    "unk_token": "[UNK]",
  },
};

Deno.test("profile counts with a local tokenizer.json", () =>
  withFolder(async (folder) => {
    const tokenizer = `${folder}/tokenizer`;
    await Deno.mkdir(tokenizer);
    await Deno.writeTextFile(`${tokenizer}/tokenizer.json`, JSON.stringify(WORD_TOKENIZER));
    await using server = startRecordingServer({
      answer: ({ body }) => goodReply(body, { pieces: ["a b", " c-d-e", " f", " "] }),
    });
    for (const path of [tokenizer, `${tokenizer}/tokenizer.json`]) {
      const { artifacts, code, stderr } = await runProfile(`${folder}/run`, [
        ...["--url", server.url, "--model", "m", "--streaming", "--request-count", "5"],
        ...["--isl", "25", "--tokenizer", path, "--overwrite"],
      ]);
      assert.equal(code, 0, stderr);
      assert.equal(artifacts.json.tokenizer, path);
      for (const record of artifacts.records) {
        assert.equal(valueOf(record, "output_sequence_length"), 4, "a b c-d-e f");
        assert.equal(valueOf(record, "input_sequence_length"), 25);
      }
    }
    for (const { body } of server.requests) {
      assert.equal(promptOf(body).trim().split(/\s+/).length, 25);
    }
  }));

Deno.test("profile takes the server's token counts with --use-server-token-count", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer({
      answer: ({ body }) =>
        goodReply(body, {
          usage: {
            "prompt_tokens": 70,
            "completion_tokens": 33,
            "total_tokens": 103,
            "completion_tokens_details": { "reasoning_tokens": 13 },
          },
        }),
    });
    const run = (name: string, ...args: string[]) =>
      runProfile(`${folder}/${name}`, [
        ...["--url", server.url, "--model", "m", "--streaming", "--request-count", "4"],
        ...["--isl", "20", ...args],
      ]);
    const own = await run("own", "--tokenizer", "builtin");
    for (const record of own.artifacts.records) {
      assert.equal(valueOf(record, "input_sequence_length"), 20);
      assert.equal(valueOf(record, "output_sequence_length"), 3);
      assert.equal(valueOf(record, "usage_prompt_tokens_diff_pct"), 250);
      assert.equal(valueOf(record, "usage_completion_tokens_diff_pct"), 1000);
    }
    assert.equal(own.artifacts.json.usage_discrepancy_count.avg, 4);
    assert.match(own.stdout, /note: Token counts of 4 of 4 requests differ by more than 10 %/);
    assert.deepEqual(own.artifacts.json.token_source, {
      "input": "tokenizer",
      "output": "tokenizer",
    });
    const aiperf = await run("aiperf", "--defaults", "aiperf");
    assert.deepEqual(aiperf.artifacts.json.token_source, own.artifacts.json.token_source);
    assert.equal(aiperf.artifacts.json.input_sequence_length.avg, 20);
    // Nobody names a tokenizer, and the model's is not at hand.
    const unnamed = await run("unnamed");
    const servers = await run("servers", "--use-server-token-count");
    assert.deepEqual(unnamed.artifacts.json.token_source, { "input": "usage", "output": "usage" });
    for (const record of [...unnamed.artifacts.records, ...servers.artifacts.records]) {
      assert.equal(valueOf(record, "input_sequence_length"), 70);
      assert.equal(valueOf(record, "output_sequence_length"), 33);
      assert.equal(valueOf(record, "output_token_count"), 20);
      assert.equal(valueOf(record, "reasoning_token_count"), 13);
      assert.ok(!("usage_prompt_tokens_diff_pct" in record.metrics), "there is nothing to compare");
    }
    assert.equal(servers.artifacts.json.tokenizer, "server");
    assert.deepEqual(servers.artifacts.json.token_source, unnamed.artifacts.json.token_source);
    assert.equal(servers.artifacts.json.usage_discrepancy_count, undefined);
  }));

Deno.test("profile tells how much of the prompts the server took from its cache", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer({
      answer: ({ body }) =>
        goodReply(body, {
          usage: {
            "prompt_tokens": 40,
            "completion_tokens": 3,
            "total_tokens": 43,
            "prompt_tokens_details": { "cached_tokens": 30 },
          },
        }),
    });
    const { artifacts, stdout, stderr, code } = await runProfile(folder, [
      ...["--url", server.url, "--model", "m", "--streaming", "--request-count", "4"],
      ...["--isl", "40", "--extra-inputs", "ignore_eos:true", "--osl", "30"],
      ...["--tokenizer", "builtin"],
    ]);
    assert.equal(code, 0, stderr);
    for (const record of artifacts.records) {
      assert.equal(valueOf(record, "usage_prompt_cache_read_tokens"), 30);
    }
    const { json } = artifacts;
    assert.equal(json.usage_prompt_cache_read_tokens.sum, 120);
    assert.equal(json.total_usage_prompt_cache_read_tokens.avg, 120);
    assert.equal(json.overall_usage_prompt_cache_read_pct.avg, 75);
    assert.match(stdout, /^tokens: 40 in, 3 out a request \(usage in replies\)$/m);
    assert.match(
      artifacts.consoleText,
      /^tokens: 160 in, 12 out \(usage in replies\); 160 in, 12 out \(builtin/m,
    );
    // The prompts have nothing in common that a cache could have had of this run.
    assert.match(
      stdout,
      /^prompt tokens that servers did not compute: 120 of 160 by replies, cached before/m,
    );
    assert.match(stdout, /^note: Servers took 75 % of the prompt tokens\s+from their caches/m);
    assert.match(stdout, /^note: 4 of 4 outputs .*\s+they end early although\s+ignore_eos/m);
  }));

Deno.test("profile shares requests evenly between several servers", () =>
  withFolder(async (folder) => {
    using first = await startLocalMock(["--ttft", "2"]);
    using second = await startLocalMock(["--ttft", "6"]);
    const { artifacts, code, stderr } = await runProfile(folder, [
      ...["--url", first.url, second.url, "--streaming", "--osl", "3", "--isl", "10"],
      ...["--request-count", "40", "--concurrency", "6"],
    ]);
    assert.equal(code, 0, stderr);
    for (const mock of [first, second]) {
      const { served } = await mock.stats();
      const ids = artifacts.records.filter(({ metadata }) =>
        String(metadata["url"]).startsWith(mock.url)
      ).map(({ metadata }) => metadata.x_request_id);
      assert.equal(ids.length, 20);
      assert.deepEqual(served.map(({ request_id: id }) => id).sort(), ids.sort());
    }
  }));

Deno.test("profile measures the same over fetch as over its own sockets", () =>
  withFolder(async (folder) => {
    const outcome = async (transport: string) => {
      using mock = await startLocalMock([
        ...["--ttft", "2", "--itl", "1", "--reasoning-tokens", "2", "--seed", "4"],
        ...["--faults", "429:0.1", "malformed:0.1", "close:0.1", "in-band:0.1"],
      ]);
      const { artifacts, code, stderr } = await runProfile(`${folder}/${transport}`, [
        ...["--url", mock.url, "--transport", transport, "--streaming", "--random-seed", "1"],
        ...["--request-count", "60", "--concurrency", "1", "--isl", "15", "--osl", "6"],
      ]);
      assert.equal(code, 0, stderr);
      const { json, records } = artifacts;
      const counts = Object.fromEntries([
        ...["request_count", "error_request_count", "total_isl", "total_osl", "total_error_isl"],
        ...["total_output_tokens", "total_reasoning_tokens", "total_usage_total_tokens"],
      ].map((tag) => [tag, json[tag].avg]));
      return {
        ...counts,
        outcomes: records.map(({ error }) => error?.kind),
        messages: json.error_summary,
        // A record by itself has no speed where its chunks came at once.
        tags: [...new Set(validRecords(records).flatMap(({ metrics }) => Object.keys(metrics)))]
          .filter((tag) => !tag.startsWith("http_req_")).sort(),
        inputs: await Deno.readTextFile(`${folder}/${transport}/inputs.json`),
      };
    };
    const socket = await outcome("socket");
    assert.equal(socket.outcomes.length, 60);
    assert.equal(new Set(socket.outcomes).size, 5, "four kinds of failures, and none");
    assert.deepEqual(await outcome("fetch"), socket);
  }));

Deno.test("profile opens a connection for each request with --connection-reuse-strategy never", async (t) => {
  for (const transport of ["socket", "fetch"]) {
    await t.step(transport, () =>
      withFolder(async (folder) => {
        const run = async (strategy: string) => {
          await using server = startRecordingServer();
          const { artifacts, code, stderr } = await runProfile(`${folder}/${strategy}`, [
            ...["--url", server.url, "--model", "m", "--transport", transport, "--streaming"],
            ...["--request-count", "24", "--concurrency", "3"],
            ...["--connection-reuse-strategy", strategy],
          ]);
          assert.equal(code, 0, stderr);
          const connections = new Set(server.requests.map(({ connection }) => connection)).size;
          return { json: artifacts.json, connections };
        };
        const never = await run("never");
        assert.equal(never.connections, 24);
        const pooled = await run("pooled");
        assert.ok(pooled.connections <= 3, `${pooled.connections} connections`);
        if (transport === "fetch") return;
        assert.equal(never.json.http_req_connection_reused.max, 0);
        assert.ok(never.json.http_req_connecting.min > 0);
        assert.equal(pooled.json.http_req_connection_reused.sum, 24 - pooled.connections);
      }));
  }
});

Deno.test("profile has several models take turns, and says in its files which one each request asked", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const prompts = `${folder}/prompts.jsonl`;
    await Deno.writeTextFile(prompts, '{"text":"one"}\n{"text":"two"}\n');
    const run = (name: string, args: readonly string[]) =>
      runProfile(`${folder}/${name}`, [
        ...["--url", server.url, "--concurrency", "3", "--export-level", "raw"],
        ...["--request-count", "12", "--warmup-request-count", "2", ...args],
      ]);
    for (
      const args of [
        ["--model", "a,b", "--model", "org/c", "--isl", "20"],
        ["--model", "a,b,org/c", "--input-file", prompts],
      ]
    ) {
      const { artifacts, code, stderr } = await run(args.at(-2) as string, args);
      assert.equal(code, 0, stderr);
      const sent = new Map(server.requests.map(({ headers, body }) => [
        headers.get("x-request-id"),
        JSON.parse(body),
      ]));
      for (const { metadata } of artifacts.records) {
        const model = ["a", "b", "org/c"][Number(metadata["session_num"]) % 3];
        assert.equal(metadata["model"], model);
        assert.equal(sent.get(metadata.x_request_id).model, model);
      }
      const raw = (await Deno.readTextFile(`${folder}/${args.at(-2)}/profile_export_raw.jsonl`))
        .trim().split("\n").map((line) => JSON.parse(line));
      for (const { metadata, payload } of raw) {
        assert.deepEqual(payload, sent.get(metadata["x_request_id"]));
      }
      assert.deepEqual(artifacts.json.input_config.models.items, [
        { "name": "a" },
        { "name": "b" },
        { "name": "org/c" },
      ]);
    }
    // Bodies that name their model are sent as they are.
    const inputs = `${folder}/--isl/inputs.json`;
    const models = JSON.parse(await Deno.readTextFile(inputs)).data.map((
      { payloads: [{ model }] }: { payloads: [{ model: string }] },
    ) => model);
    assert.deepEqual(
      models,
      Array.from({ length: 12 }, (_, index) => ["a", "b", "org/c"][index % 3]),
    );
    const again = await run("again", ["--model", "x,y", "--input-file", inputs]);
    assert.equal(again.code, 0, again.stderr);
    assert.ok(again.artifacts.records.every(({ metadata }) => !("model" in metadata)));
    assert.equal(
      await Deno.readTextFile(`${folder}/again/inputs.json`),
      await Deno.readTextFile(inputs),
    );
  }));

Deno.test("profile sends everything at once at an infinite rate", () =>
  withFolder(async (folder) => {
    let waiting = 0;
    let release = (): void => {};
    const all = new Promise<void>((resolve) => release = resolve);
    await using server = startRecordingServer({
      // No reply before every request is there.
      answer: async () => {
        if (++waiting === 30) release();
        await all;
        return undefined;
      },
    });
    const { code, stderr, artifacts } = await runProfile(folder, [
      ...["--url", server.url, "--model", "m", "--request-rate", "inf", "--request-count", "30"],
    ]);
    assert.equal(code, 0, stderr);
    assert.equal(artifacts.records.length, 30);
  }));
