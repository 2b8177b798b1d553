/** What prompts are made of, through the whole program, as a server sees it. */

import assert from "node:assert/strict";
import { PrefixCache } from "../../src/mock/prefix_cache.ts";
import { withFolder } from "../support/artifacts.ts";
import { writeChatTokenizer } from "../support/chat_tokenizer.ts";
import { type LocalMock, startLocalMock } from "../support/local_mock.ts";
import { runProfile } from "../support/profile_run.ts";
import { valueOf } from "../support/recomputed.ts";
import { runCli } from "../support/run_cli.ts";
import { BUILTIN } from "../support/builtin.ts";

const RUN = [
  ...["--request-count", "12", "--concurrency", "3", "--random-seed", "7", "--osl", "4"],
  ...["--isl", "50", "--tokenizer", "builtin", "--export-level", "raw", "--workers", "2"],
];

interface RawLine {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly payload: { readonly messages: readonly { role: string; content: string }[] };
}

/** Raw records of a run, each held against what the server got. */
async function seenBy(mock: LocalMock, folder: string): Promise<RawLine[]> {
  const raw = (await Deno.readTextFile(`${folder}/profile_export_raw.jsonl`)).trim().split("\n")
    .map((line): RawLine => JSON.parse(line));
  const stats = await mock.stats() as unknown as {
    served: { request_id: string; input_digest: string }[];
  };
  const digests = new Map(stats.served.map((one) => [one.request_id, one.input_digest]));
  for (const { metadata, payload } of raw) {
    const texts = payload.messages.map(({ content }) => content);
    assert.equal(
      digests.get(String(metadata["x_request_id"])),
      new PrefixCache().take(texts, []).digest,
    );
  }
  return raw;
}

Deno.test("the server gets system message, context, and a marker of each session, also in later turns", async () => {
  using mock = await startLocalMock(["--prefix-cache"]);
  await withFolder(async (folder) => {
    const { code, stderr, artifacts } = await runProfile(folder, [
      ...["--url", mock.url, ...RUN, "--num-sessions", "12", "--num-dataset-entries", "3"],
      ...["--shared-system-prompt-length", "30", "--user-context-prompt-length", "20"],
      ...["--cache-bust", "first_turn_prefix", "--session-turns-mean", "2"],
      ...["--warmup-request-count", "3", "--prompt-corpus", "code"],
    ]);
    assert.equal(code, 0, stderr);
    const raw = await seenBy(mock, folder);
    const markers = new Map<string, Set<unknown>>();
    for (const { metadata, payload } of raw) {
      const [system, context, first] = payload.messages;
      assert.equal(system?.role, "system");
      assert.equal(BUILTIN.count(system?.content ?? ""), 30);
      assert.equal(BUILTIN.count(context?.content ?? ""), 20);
      assert.equal(BUILTIN.count(first?.content ?? ""), 50);
      const [marker = ""] = /^\[rid:\d{12}\]\n\n/.exec(first?.content ?? "") ?? [];
      assert.notEqual(marker, "");
      const sessions = markers.get(marker) ?? new Set();
      markers.set(marker, sessions.add(`${metadata["benchmark_phase"]}${metadata["session_num"]}`));
    }
    assert.ok([...markers.values()].every(({ size }) => size === 1), "no two sessions share one");
    assert.equal(new Set(raw.map(({ payload }) => payload.messages[0]?.content)).size, 1);
    const isl = artifacts.records.filter(({ metadata }) => metadata["turn_index"] === 0)
      .map((record) => valueOf(record, "input_sequence_length"));
    assert.ok(isl.every((tokens) => tokens === 100), String(isl));
    // Three conversations are played again and again: contexts are known, prompts never.
    assert.equal(new Set(raw.map(({ payload }) => payload.messages[1]?.content)).size > 3, true);
  });
});

Deno.test("the server gets a mixture of lengths, prefixes of a pool, and a prompt from a file", async () => {
  using mock = await startLocalMock(["--prefix-cache"]);
  await withFolder(async (folder) => {
    const { code, stderr, artifacts } = await runProfile(folder, [
      ...["--url", mock.url, ...RUN, "--seq-dist", "[(40,3):50,(90,5):50]"],
      ...["--num-prefix-prompts", "2", "--prefix-prompt-length", "24"],
      ...["--prompt-corpus", "random", "--warmup-request-count", "4"],
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /--seq-dist decides the lengths/);
    const raw = await seenBy(mock, folder);
    const prompts = raw.map(({ payload }) => payload.messages[0]?.content ?? "");
    const lengths = new Set(prompts.map((prompt) => BUILTIN.count(prompt)));
    assert.deepEqual(lengths, new Set([64, 114]));
    assert.equal(new Set(prompts.map((prompt) => prompt.slice(0, 40))).size, 2);
    assert.equal(new Set(prompts).size, 16, "warm-up has prompts of its own");
    for (const record of artifacts.records) {
      const isl = valueOf(record, "input_sequence_length");
      assert.equal(valueOf(record, "output_sequence_length"), isl === 64 ? 3 : 5);
    }
    const { prompts: told, prefix_prompts: prefixes } = artifacts.json.input_config.datasets[0];
    assert.deepEqual(prefixes, { "pool_size": 2, "length": 24 });
    assert.equal(told.sequence_distribution.length, 2);
  });
  await withFolder(async (folder) => {
    const file = await Deno.makeTempFile();
    await Deno.writeTextFile(file, 'Be "brief".\n');
    const { code, stderr } = await runProfile(folder, [
      ...["--url", mock.url, ...RUN, "--system-prompt-file", file],
      ...["--cache-bust", "warmup-isolation-system", "--warmup-request-count", "4"],
    ]);
    await Deno.remove(file);
    assert.equal(code, 0, stderr);
    for (const { metadata, payload } of await seenBy(mock, folder)) {
      const isWarmup = metadata["benchmark_phase"] === "warmup";
      assert.equal(payload.messages[0]?.content, `${isWarmup ? "[warmup]\n\n" : ""}Be "brief".\n`);
    }
  });
});

Deno.test("input tokens with a chat template are those that were asked for, in every turn", async () => {
  using mock = await startLocalMock();
  await withFolder(async (folder) => {
    const tokenizer = await Deno.makeTempDir();
    await writeChatTokenizer(tokenizer);
    const run = await runProfile(folder, [
      ...["--url", mock.url, ...RUN, "--tokenizer", tokenizer, "--apply-chat-template"],
      ...["--session-turns-mean", "2"],
    ]);
    assert.equal(run.code, 0, run.stderr);
    const sessions = Map.groupBy(
      run.artifacts.records,
      ({ metadata }) => metadata["x_correlation_id"],
    );
    for (const records of sessions.values()) {
      const [first, second] = records.toSorted((a, b) =>
        Number(a.metadata["turn_index"]) - Number(b.metadata["turn_index"])
      );
      assert.ok(first);
      assert.equal(valueOf(first, "input_sequence_length"), 50);
      if (second === undefined) continue;
      const reply = valueOf(first, "output_sequence_length");
      assert.equal(valueOf(second, "input_sequence_length"), 50 + reply + 2 + 50);
    }
    await Deno.remove(tokenizer, { recursive: true });
  });
});

Deno.test("profile refuses prompts that do not fit together, and says why", async () => {
  await withFolder(async (folder) => {
    const prompts = `${folder}/prompts.jsonl`;
    await Deno.writeTextFile(prompts, '{"text":"x"}\n');
    for (
      const [args, message] of [
        [["--seq-dist", "1,2:50"], /--seq-dist: Shares must add up to 100 percent: got 50/],
        [["--seq-dist", "1,2:100", "--random-range-ratio", "0.1", "--isl", "9"], /together/],
        [["--random-range-ratio", "0.1"], /--random-range-ratio: Needs --isl/],
        [["--random-range-ratio", "0.1", "--isl", "9"], /--random-range-ratio: Needs --osl/],
        [
          ["--random-range-ratio", "0.9", "--isl", "2", "--osl", "3"],
          /Prompts would have 0 tokens: .* 0 to 4/,
        ],
        [["--random-corpus-style", "sglang"], /Needs --random-range-ratio/],
        [["--prefix-prompt-length", "9"], /Needs --num-prefix-prompts/],
        [["--num-prefix-prompts", "9"], /Needs --prefix-prompt-length/],
        [
          [
            ...["--num-prefix-prompts", "9", "--prefix-prompt-length", "9"],
            ...["--shared-system-prompt-length", "9"],
          ],
          /together/,
        ],
        [["--system-prompt", "x", "--system-prompt-file", "y"], /together/],
        [["--system-prompt", "x", "--shared-system-prompt-length", "9"], /together/],
        [["--system-prompt-file", "/nowhere/x"], /--system-prompt-file: \/nowhere\/x: /],
        [["--system-prompt", "x", "--endpoint-type", "completions"], /completions takes no mess/],
        [["--cache-bust", "system-prefix", "--endpoint-type", "completions"], /takes no messages/],
        [["--cache-bust", "warmup-isolation-system"], /needs --system-prompt/],
        [["--cache-bust", "here"], /--cache-bust: Must be one of none, system-prefix/],
        [["--apply-chat-template", "--tokenizer", "builtin"], /--apply-chat-template.*--tokenizer/],
        [["--input-file", prompts, "--prompt-corpus", "code"], /together/],
        [["--input-file", prompts, "-b", "2"], /--prompt-batch-size: Cannot be used together/],
        [["--prompt-batch-size", "0"], /at least 1/],
      ] as const
    ) {
      const all = ["profile", "--dry-run", "--model", "m", ...args];
      const { code, stderr } = await runCli(all);
      assert.equal(code, 2, `${args.join(" ")}: ${stderr}`);
      assert.match(stderr, message);
      assert.equal(stderr.match(/^error: /gm)?.length, 1, stderr);
      assert.equal(stderr.trim().split("\n").at(-1)?.startsWith("error: "), true, stderr);
    }
  });
});
