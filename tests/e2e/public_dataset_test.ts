/** Data sets by name: from a folder, from the local cache, from a hub, or not at all. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { parquetOf, PIXEL, startDataSetHub } from "../support/data_set_hub.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { PROFILE } from "../support/profile_run.ts";
import { type CliResult, runCli } from "../support/run_cli.ts";

const TOKEN = "hf_sesameOpenSesame";
const SHAREGPT = "anon8231489123/ShareGPT_Vicuna_unfiltered";
const SHAREGPT_FILE = "ShareGPT_V3_unfiltered_cleaned_split.json";
const CONVERSATION = [
  ["human", "What is the capital of France?"],
  ["gpt", "The capital of France is Paris."],
  ["human", "And what is that of Spain?"],
  ["gpt", "That would be Madrid, of course."],
].map(([from, value]) => ({ from, value }));

/** Conversations, of which the first is too short by vLLM's rule. */
const SHAREGPT_TEXT = JSON.stringify([
  { id: "short", conversations: [{ from: "human", value: "Hi" }, { from: "gpt", value: "Hi" }] },
  ...Array.from({ length: 3 }, (_, i) => ({ id: `c${i}`, conversations: CONVERSATION })),
]);
const PROBLEMS = Array.from({ length: 400 }, (_, i) => `Problem ${i}`);
/** Makes the file longer than what is read of it at first. */
const SOLUTIONS = PROBLEMS.map((_, i) =>
  Array.from({ length: 300 }, (_, j) => Math.sin(i * 300 + j)).join()
);

Deno.test("profile sends public data sets by name, and fetches them only when it may", async (t) => {
  using mock = await startLocalMock([]);
  const aimo = parquetOf({ problem: PROBLEMS, solution: SOLUTIONS }, 100);
  await using hub = startDataSetHub({
    [`${SHAREGPT}/${SHAREGPT_FILE}`]: SHAREGPT_TEXT,
    "AI-MO/NuminaMath-TIR/data/train-00000-of-00001.parquet": aimo,
    "AI-MO/NuminaMath-TIR/data/test-00000-of-00001.parquet": parquetOf({ problem: ["test"] }),
    "Lin-Chen/MMStar/mmstar.parquet": parquetOf({ question: ["What?"], image: [PIXEL] }),
    "yale-nlp/MMVU/validation.json": JSON.stringify([
      { question: "Who?", choices: { A: "I", B: "you" }, video: "https://h/1.mp4" },
    ]),
    "fka/awesome-chatgpt-prompts/prompts.csv": 'act,prompt\nA,"Act, as\nit is"\nB,Speak\n',
    "HuggingFaceH4/mt_bench_prompts/all.jsonl": '{"prompt":["First","Second"],"category":"x"}\n',
  });
  await withFolder(async (folder) => {
    let runs = 0;
    const run = async (
      args: readonly string[],
      env: Readonly<Record<string, string>> = {},
    ): Promise<CliResult & { readonly artifacts: string }> => {
      hub.asked.length = 0;
      const artifacts = `${folder}/run-${++runs}`;
      const result = await runCli([
        ...[...PROFILE, "--url", mock.url, "--model", "mock-model", "--no-canaries"],
        ...["--artifact-dir", artifacts, ...args],
      ], {
        cwd: folder,
        env: {
          HF_ENDPOINT: hub.endpoint,
          HF_HUB_CACHE: `${folder}/cache`,
          HF_TOKEN: TOKEN,
          ...env,
        },
      });
      return { ...result, artifacts };
    };
    const bodiesOf = async (artifacts: string) => {
      const { data } = JSON.parse(await Deno.readTextFile(`${artifacts}/inputs.json`));
      // deno-lint-ignore no-explicit-any -- what a reader of the file sees
      return data.map(({ payloads }: any) => payloads);
    };

    await t.step("a dry run fetches nothing and names the hub", async () => {
      const { code, stdout, stderr } = await run(["--public-dataset", "sharegpt", "--dry-run"]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /sharegpt \(anon8231489123\/.*\), fetched from http:\/\/127\.0\.0\.1/);
      const host = new URL(hub.endpoint).host.replaceAll(".", "\\.");
      assert.match(stdout, new RegExp(`main, before the others run.*${host}`));
      assert.deepEqual(hub.asked, []);
    });
    await t.step("nothing is fetched offline", async () => {
      for (const [args, env] of [[["--offline"], {}], [[], { HF_HUB_OFFLINE: "1" }]] as const) {
        const { code, stderr } = await run(["--public-dataset", "aimo", ...args], env);
        assert.equal(code, 2);
        assert.match(stderr, /^error: --public-dataset: "aimo" \(AI-MO\/.*\) is not in the cache/);
      }
      assert.deepEqual(hub.asked, []);
    });
    await t.step(
      "conversations are turns, answers their lengths, short ones left out",
      async () => {
        const { code, stderr, artifacts } = await run(
          ["--public-dataset", "sharegpt", "--request-count", "4"],
        );
        assert.equal(code, 0, stderr);
        assert.match(stderr, /conversations left out for their lengths: 1/);
        const [[first, second], ...others] = await bodiesOf(artifacts);
        assert.equal(others.length, 2);
        assert.equal(first.messages[0].content, CONVERSATION[0]?.value);
        assert.equal(first.max_completion_tokens, 7);
        assert.equal(second.messages[0].content, CONVERSATION[2]?.value);
        assert.deepEqual(hub.asked, [`/datasets/${SHAREGPT}/resolve/main/${SHAREGPT_FILE}`]);
        assert.deepEqual([...hub.keys], [`Bearer ${TOKEN}`]);
        const texts = [stderr];
        for (const path of [artifacts, `${artifacts}/run`]) {
          for await (const { name, isFile } of Deno.readDir(path)) {
            if (isFile) texts.push(await Deno.readTextFile(`${path}/${name}`));
          }
        }
        for (const text of texts) assert.ok(!text.includes(TOKEN));
        const config = JSON.parse(
          await Deno.readTextFile(`${artifacts}/profile_export_aiperf.json`),
        ).input_config;
        assert.match(JSON.stringify(config), /"type":"public","dataset":"sharegpt","entries":4/);
        // Made again from the run's folder, with no hub in reach.
        const again = await runCli(["report", artifacts]);
        assert.equal(again.code, 0, again.stderr);
      },
    );
    await t.step("of a Parquet file no more is fetched than is sent", async () => {
      const before = hub.sent;
      const { code, stderr, artifacts } = await run(
        ["--public-dataset", "aimo", "--request-count", "5", "--osl", "16"],
      );
      assert.equal(code, 0, stderr);
      const bodies = (await bodiesOf(artifacts)).flat();
      assert.deepEqual(
        // deno-lint-ignore no-explicit-any -- what a reader of the file sees
        bodies.map(({ messages }: any) => messages[0].content),
        PROBLEMS.slice(0, 5),
      );
      assert.equal(bodies[0].max_completion_tokens, 16);
      assert.ok(hub.sent - before < aimo.length / 2, `${hub.sent - before} of ${aimo.length}`);
    });
    await t.step("pictures, films, tables and lists of turns are sent as they are", async () => {
      const uri = `data:image/png;base64,${btoa(String.fromCharCode(...PIXEL))}`;
      const cases: [string, unknown][] = [
        ["mmstar", [
          { "type": "text", "text": "What?" },
          { "type": "image_url", "image_url": { "url": uri } },
        ]],
        ["mmvu", [
          { "type": "text", "text": "Who? A.I B.you" },
          { "type": "video_url", "video_url": { "url": "https://h/1.mp4" } },
        ]],
        ["chatgpt-prompts", "Act, as\nit is"],
        ["spec_al_mtbench", "First"],
      ];
      for (const [name, content] of cases) {
        const { code, stderr, artifacts } = await run(
          ["--public-dataset", name, "--request-count", "2"],
        );
        assert.equal(code, 0, stderr);
        const [[first]] = await bodiesOf(artifacts);
        assert.deepEqual(first.messages[0].content, content, name);
      }
    });
    await t.step("a filter keeps rows", async () => {
      const args = ["--public-dataset", "chatgpt_prompts", "--request-count", "1"];
      const { code, stderr, artifacts } = await run([...args, "--dataset-filter", "act=b"]);
      assert.equal(code, 0, stderr);
      assert.equal((await bodiesOf(artifacts))[0][0].messages[0].content, "Speak");
      const none = await run([...args, "--dataset-filter", "act=c"]);
      assert.equal(none.code, 2);
      assert.match(none.stderr, /error: chatgpt_prompts: No row has act=c/);
      const wrong = await run([...args, "--dataset-filter", "other=c"]);
      assert.match(wrong.stderr, /error: http:.*prompts\.csv:\d: other: There is no such column/);
    });
    await t.step("a folder, and the cache, come before the hub", async () => {
      await Deno.mkdir(`${folder}/mine`);
      await Deno.writeTextFile(`${folder}/mine/train.jsonl`, '{"problem":"Mine"}\n');
      const mine = await run(
        ["--public-dataset", "aimo", "--request-count", "1", "--public-dataset-folder", "mine"],
      );
      assert.equal(mine.code, 0, mine.stderr);
      assert.equal((await bodiesOf(mine.artifacts))[0][0].messages[0].content, "Mine");
      const missing = await run(
        ["--public-dataset", "mmstar", "--public-dataset-folder", "nowhere", "--dry-run"],
      );
      assert.equal(missing.code, 2);
      assert.match(missing.stderr, /--public-dataset-folder: nowhere has no file of mmstar/);
      const snapshot = `${folder}/cache/datasets--AI-MO--NuminaMath-TIR/snapshots/abc/data`;
      await Deno.mkdir(snapshot, { recursive: true });
      await Deno.writeFile(`${snapshot}/train-00000-of-00001.parquet`, aimo);
      const cached = await run(["--public-dataset", "aimo", "--request-count", "1", "--offline"]);
      assert.equal(cached.code, 0, cached.stderr);
      assert.equal((await bodiesOf(cached.artifacts))[0][0].messages[0].content, "Problem 0");
      assert.deepEqual(hub.asked, []);
    });
    await t.step("what is not there, or not known, is told in one line", async () => {
      const unknown = await run(["--public-dataset", "shargpt"]);
      assert.equal(unknown.code, 2);
      assert.match(unknown.stderr, /^error: --public-dataset: Must be one of .*mean sharegpt\?\)/);
      const agents = await run(["--public-dataset", "exgentic"]);
      assert.equal(agents.code, 2);
      assert.match(agents.stderr, /^error: --public-dataset: "exgentic" is a trace of agents/);
      const text = await run(["--public-dataset", "mmstar", "--endpoint-type", "completions"]);
      assert.equal(text.code, 2);
      assert.match(text.stderr, /mmstar has pictures, which endpoint type completions/);
      const gone = await run(["--public-dataset", "dolly"]);
      assert.equal(gone.code, 1);
      assert.match(gone.stderr, /error: Cannot fetch databricks-dolly-15k\.jsonl of "databricks/);
      for (const { stderr } of [unknown, agents, text, gone]) {
        assert.ok(!/\n\s+at /.test(stderr), stderr);
      }
    });
    await t.step("a hub that lists nothing, and sends files whole, will do", async () => {
      await using plain = startDataSetHub({
        "AI-MO/aimo-validation-aime/data/train-00000-of-00001.parquet": parquetOf({
          problem: PROBLEMS,
        }),
      }, { lists: false, ranges: false });
      const { code, stderr, artifacts } = await run(
        ["--public-dataset", "aimo_aime", "--request-count", "2"],
        { HF_ENDPOINT: plain.endpoint },
      );
      assert.equal(code, 0, stderr);
      assert.equal((await bodiesOf(artifacts))[1][0].messages[0].content, "Problem 1");
    });
    await t.step("points of a sweep use as much of it as they send", async () => {
      const { code, stderr, artifacts } = await run(
        ["--public-dataset", "aimo", "--request-count", "2,6", "--offline"],
      );
      assert.equal(code, 0, stderr);
      const sizes: number[] = [];
      for await (const { name } of Deno.readDir(artifacts)) {
        if (!name.startsWith("request_count")) continue;
        for (const path of [`${artifacts}/${name}`, `${artifacts}/${name}/trial_0001`]) {
          const found = await bodiesOf(path).catch(() => undefined);
          if (found !== undefined) sizes.push(found.length);
        }
      }
      assert.deepEqual(sizes.sort(), [2, 6]);
    });
  });
});
