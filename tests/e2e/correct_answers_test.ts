/** Answers compared with expected ones, against the mock server, which breaks a known number. */

import assert from "node:assert/strict";
import { PROFILE_JSON_SCHEMA } from "../../src/report/export/schemas/profile_json_schema.ts";
import { readArtifacts, type RecordLine, withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { PROFILE, runProfile } from "../support/profile_run.ts";
import { NO_FLUSH, runCli } from "../support/run_cli.ts";
import { schemaProblems } from "../support/schema_problems.ts";

const TASKS = ["--verify-tasks", "--isl", "120", "--streaming", "--random-seed", "5"];

/** Answers that the mock broke, by its own count. */
async function wrongBy(url: string): Promise<number> {
  const response = await fetch(`${url}/mock/stats`);
  return (await response.json())["corrupted"]["wrong_answer"] ?? 0;
}

/** Outcomes of the records of a run. */
function outcomes(records: readonly RecordLine[]): { right: number; wrong: number } {
  const answers = records.map(({ metadata }) => metadata["answer"] as { correct?: boolean });
  const count = (correct: boolean) => answers.filter((one) => one?.correct === correct).length;
  return { right: count(true), wrong: count(false) };
}

Deno.test("tasks find exactly the wrong answers, and gates of the run and its files do", async () => {
  using mock = await startLocalMock(["--corrupt-above", "0:wrong_answer:0.25", "--seed", "3"]);
  await withFolder(async (folder) => {
    const run = `${folder}/run`;
    const { artifacts, code, stdout } = await runProfile(run, [
      ...["--url", mock.url, ...TASKS, "--request-count", "80", "--concurrency", "4"],
      ...["--goodput-needs-correct", "--slo", "answers.correct>=95%"],
    ]);
    const wrong = await wrongBy(mock.url);
    assert.ok(wrong > 8 && wrong < 35, `${wrong}`);
    assert.equal(code, 3, stdout);
    const { json, records } = artifacts;
    assert.deepEqual(json.answers.correct, { share: (80 - wrong) / 80, count: 80 });
    assert.deepEqual([json.answers.wrong.count, json.answers.wrong.unchecked], [wrong, 0]);
    const examples: { request: number; flaw: string }[] = json.answers.wrong.examples;
    assert.equal(examples.length, Math.min(10, wrong));
    for (const { request, flaw } of examples) {
      const of = records.find(({ metadata }) => metadata["session_num"] === request);
      assert.deepEqual(of?.metadata["answer"], { correct: false, flaw });
    }
    assert.deepEqual(outcomes(records), { right: 80 - wrong, wrong });
    assert.equal(json.good_request_count.avg, 80 - wrong);
    assert.match(stdout, new RegExp(`answers correct .* % \\(${80 - wrong} of 80 replies\\)`));
    assert.deepEqual(schemaProblems(PROFILE_JSON_SCHEMA, json), []);
    const gate = (slo: string) => runCli(["gate", run, "--slo", slo], { env: NO_FLUSH });
    const least = Math.floor((80 - wrong) / 80 * 100) - 20;
    for (const hasRecords of [true, false]) {
      if (!hasRecords) await Deno.remove(`${run}/run`, { recursive: true });
      assert.equal((await gate("answers.correct>=99%")).code, 3);
      const met = await gate(`answers.correct>=${least}%`);
      assert.equal(met.code, 0, met.stdout + met.stderr);
    }
  });
});

Deno.test("every answer of a healthy server is right, at any length and over every API", async () => {
  using mock = await startLocalMock();
  for (
    const [type, isl, more] of [
      ["chat", "20", ["--session-turns-mean", "2", "--num-sessions", "6"]],
      ["chat", "3000", ["--request-count", "6", "--warmup-request-count", "2"]],
      ["completions", "200", ["--request-count", "12"]],
      ["messages", "200", ["--request-count", "6"]],
      ["responses", "200", ["--request-count", "6"]],
    ] as const
  ) {
    await withFolder(async (folder) => {
      const { artifacts: { json }, code, stderr } = await runProfile(folder, [
        ...["--url", mock.url, "--verify-tasks", "arithmetic,copy,lookup", "--isl", isl],
        ...["--endpoint-type", type, "--streaming", "--slo", "answers.correct>=100%", ...more],
      ]);
      assert.equal(code, 0, stderr);
      assert.equal(json.answers.correct.share, 1);
      assert.equal(json.answers.correct.count, json.request_count.avg);
    });
  }
});

Deno.test("shards, merge and recompute have the verdicts of their records", async () => {
  using mock = await startLocalMock(["--corrupt-above", "0:wrong_answer:0.3", "--seed", "8"]);
  await withFolder(async (folder) => {
    const run = `${folder}/run`;
    for (const index of [0, 1]) {
      const { code, stderr } = await runCli([
        ...["profile", "--shard", `${index}/2`, "--model", "m", "--url", mock.url, ...TASKS],
        ...["--tokenizer", "builtin", "--request-count", "40", "--concurrency", "4"],
        ...["--artifact-dir", run],
      ], { env: NO_FLUSH });
      assert.equal(code, 0, stderr);
    }
    const merge = await runCli(["merge", run, "--expect-shards", "2"]);
    assert.equal(merge.code, 0, merge.stderr);
    const { json, records } = await readArtifacts(run);
    const wrong = await wrongBy(mock.url);
    assert.ok(wrong > 0);
    assert.deepEqual(json.answers.correct, { share: (40 - wrong) / 40, count: 40 });
    assert.deepEqual(outcomes(records), { right: 40 - wrong, wrong });
    const recompute = await runCli(["recompute", run, "--goodput-needs-correct"]);
    assert.equal(recompute.code, 0, recompute.stderr);
    const summary = `${run}-recomputed/profile_export_aiperf.json`;
    const again = JSON.parse(await Deno.readTextFile(summary));
    assert.deepEqual(again.answers, json.answers);
    assert.equal(again.good_request_count.avg, 40 - wrong);
  });
});

Deno.test("rows are compared with what they expect, and a pattern without end stops nothing", async () => {
  using mock = await startLocalMock();
  await withFolder(async (folder) => {
    const rows = Array.from({ length: 20 }, (_, i) => ({
      text: `hello ${i}`,
      output_length: i === 7 ? 60 : 3,
      ...(i % 5 === 0 ? {} : {
        expected: i === 7
          ? { regex: "^(?=([a-z ]+)+!$)" }
          : i % 5 === 1
          ? { exact: "another" }
          : "the of and",
      }),
    }));
    const input = `${folder}/rows.jsonl`;
    await Deno.writeTextFile(input, rows.map((row) => JSON.stringify(row)).join("\n"));
    const load = ["--url", mock.url, "--streaming", "--request-count", "20", "--input-file", input];
    const run = (name: string, ...more: string[]) =>
      runCli([...PROFILE, ...load, "--artifact-dir", `${folder}/${name}`, ...more], {
        env: NO_FLUSH,
        alone: true,
      });
    const checked = await run("checked", "--verify", "answers");
    assert.equal(checked.code, 0, checked.stderr);
    const { json, records } = await readArtifacts(`${folder}/checked`);
    const { right, wrong } = outcomes(records);
    const untested = records.filter(({ metadata }) =>
      JSON.stringify(metadata["answer"]) === '{"flaw":"the regex did not end in time"}'
    );
    assert.deepEqual([right, wrong, untested.length], [11, 4, 1]);
    assert.deepEqual(json.answers.correct, { share: 11 / 15, count: 15 });
    assert.deepEqual([json.answers.wrong.count, json.answers.wrong.unchecked], [4, 1]);
    assert.match(checked.stderr, /1 answers? .* not checked: a pattern took more than 1 s/);
    const unchecked = await run("unchecked");
    assert.equal(unchecked.code, 0, unchecked.stderr);
    assert.match(unchecked.stderr, /Rows have expected answers, which are not checked/);
    assert.equal((await readArtifacts(`${folder}/unchecked`)).json.answers.correct, null);
  });
});

/** A reply with two tool calls, whose arguments come in pieces; the second call names the city. */
function callingReply(city: string): string {
  const second = { index: 1, id: "b", type: "function" };
  const argumentsText = `{ "days": 2, "city": ${JSON.stringify(city)} }`;
  const deltas = [
    { index: 0, id: "a", type: "function", function: { name: "now", arguments: "" } },
    { ...second, function: { name: "weather", arguments: argumentsText.slice(0, 9) } },
    { index: 1, function: { arguments: argumentsText.slice(9) } },
  ];
  const events = deltas.map((call, place) => ({
    "choices": [{
      "index": 0,
      "delta": { ...(place === 0 ? { role: "assistant" } : {}), tool_calls: [call] },
    }],
  }));
  const end = { "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] };
  return [...events, end].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") +
    "data: [DONE]\n\n";
}

Deno.test("tool calls of a stream are compared with recorded ones by name and arguments", async () => {
  const cities = ["Rome", "Oslo", "Bern", "Kyiv"];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      if (request.method !== "POST") return new Response(null, { status: 404 });
      const { messages } = await request.json();
      const city = messages.at(-1).content.split(" ").at(-1);
      return new Response(callingReply(city === "Oslo" ? "Bergen" : city), {
        headers: { "content-type": "text/event-stream" },
      });
    },
  );
  await withFolder(async (folder) => {
    const input = `${folder}/rows.jsonl`;
    const rows = cities.map((city) => ({
      messages: [{ role: "user", content: `Weather in ${city}` }, {
        role: "assistant",
        tool_calls: [
          { function: { name: "weather", arguments: JSON.stringify({ city, days: 2 }) } },
          { function: { name: "now", arguments: "{}" } },
        ],
      }],
    }));
    await Deno.writeTextFile(input, rows.map((row) => JSON.stringify(row)).join("\n"));
    const url = `http://127.0.0.1:${server.addr.port}`;
    const { artifacts: { json } } = await runProfile(`${folder}/run`, [
      ...["--url", url, "--model", "m", "--streaming", "--verify", "answers"],
      ...["--input-file", input, "--request-count", "8", "--concurrency", "1"],
    ]);
    assert.deepEqual(json.answers.correct, { share: 6 / 8, count: 8 });
    const flaw = "arguments of expected tool call 1 differ at /city";
    assert.deepEqual(json.answers.wrong.examples, [{ request: 1, flaw }, { request: 5, flaw }]);
  });
});

Deno.test("a run that would check nothing is refused in one line", async () => {
  using mock = await startLocalMock();
  await withFolder(async (folder) => {
    const input = `${folder}/rows.jsonl`;
    await Deno.writeTextFile(input, '{"text":"a"}\n');
    const bad = `${folder}/bad.jsonl`;
    await Deno.writeTextFile(bad, '{"text":"a"}\n{"text":"b","expected":{"number":"4"}}\n');
    const load = ["--url", mock.url, "--model", "m", "--artifact-dir", `${folder}/run`];
    for (
      const [args, message] of [
        [
          ["--verify", "answers"],
          /^error: --verify: answers needs expected answers; use --input-file/,
        ],
        [
          ["--verify", "answers", "--input-file", input],
          /^error: --verify: No row has an "expected"/m,
        ],
        [["--goodput-needs-correct"], /^error: --goodput-needs-correct: Nothing is checked/],
        [["--verify-tasks", "poems"], /^error: --verify-tasks: .*poems/],
        [
          ["--verify-tasks", "--endpoint-type", "embeddings"],
          /^error: --verify-tasks: Replies of this/,
        ],
        [
          ["--verify", "answers", "--input-file", bad, "--request-count", "2"],
          /bad\.jsonl:2:\d+: expected: number must be a number, got "4"/,
        ],
      ] as const
    ) {
      const { code, stderr } = await runCli([...PROFILE, ...load, ...args], { env: NO_FLUSH });
      assert.equal(code, 2, `${args}: ${stderr}`);
      assert.match(stderr, message);
    }
    const run = `${folder}/unchecked`;
    const plain = [...PROFILE, "--url", mock.url, "--request-count", "3", "--artifact-dir", run];
    assert.equal((await runCli(plain, { env: NO_FLUSH })).code, 0);
    const { code, stderr } = await runCli(["recompute", run, "--goodput-needs-correct"]);
    assert.equal(code, 2);
    assert.match(stderr, /^error: --goodput-needs-correct: .*unchecked has no checked answers/);
  });
});
