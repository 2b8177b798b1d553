/** The table of other tools' times between tokens, against what raw replies come to. */

import assert from "node:assert/strict";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";

import { runCli } from "../support/run_cli.ts";
import { PROFILE_JSON_SCHEMA } from "../../src/report/export/schemas/profile_json_schema.ts";
import { schemaProblems } from "../support/schema_problems.ts";

/** A reply as its raw line has it, milliseconds since the request's start. */
interface Reply {
  readonly contentMs: readonly number[];
  readonly lastMs: number;
  readonly serverTokens: number;
}

function replyOf(line: string): Reply {
  const { start_perf_ns: startNs, responses } = JSON.parse(line);
  const reply = { contentMs: [] as number[], lastMs: NaN, serverTokens: NaN };
  for (const { perf_ns: atNs, packets } of responses) {
    reply.lastMs = (atNs - startNs) / 1e6;
    for (const { value } of packets) {
      if (value === "[DONE]") continue;
      const { choices, usage } = JSON.parse(value);
      if (choices[0]?.delta?.content) reply.contentMs.push(reply.lastMs);
      if (usage) reply.serverTokens = usage.completion_tokens;
    }
  }
  return reply;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

Deno.test("the time between tokens by other definitions is what raw replies come to", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "20", "--itl", "9", "--tokens-per-chunk", "3"]);
    const run = `${folder}/run`;
    const profile = (dir: string, ...args: string[]) =>
      runCli([
        ...["profile", "--url", mock.url, "--model", "mock-model", "--streaming", "--isl", "20"],
        ...["--osl", "20", "--request-count", "12", "--concurrency", "2", "--artifact-dir", dir],
        ...["--export-level", "raw", "--no-server-metrics", ...args],
      ]);
    const { code, stdout, stderr } = await profile(run, "--itl-dialects");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /GuideLLM TPOT/);
    const { json, csv } = await readArtifacts(run);
    assert.deepEqual(schemaProblems(PROFILE_JSON_SCHEMA, json), []);
    assert.match(csv, /^Tool,Metric,Definition,count,avg/m);
    const raw = await Deno.readTextFile(`${run}/profile_export_raw.jsonl`);
    const replies = raw.trimEnd().split("\n").map(replyOf);
    assert.ok(replies.every(({ serverTokens }) => serverTokens === 20));
    const spans = replies.map(({ contentMs }) => (contentMs.at(-1) ?? NaN) - (contentMs[0] ?? NaN));
    const ends = replies.map(({ contentMs }) => contentMs.at(-1) ?? NaN);
    const gaps = replies.flatMap(({ contentMs }) =>
      contentMs.slice(1).map((ms, at) => ms - (contentMs[at] ?? NaN))
    );
    const expected: readonly (readonly [tool: string, metric: string, avg: number])[] = [
      // 20 tokens in chunks of 3: the first brings 3.
      ["inferometer", "ITL", mean(spans) / 17],
      ["AIPerf", "ITL", mean(spans) / 19],
      ["vLLM", "TPOT", mean(spans) / 19],
      ["vLLM", "ITL", mean(gaps)],
      [
        "SGLang",
        "TPOT",
        mean(replies.map(({ contentMs, lastMs }) => (lastMs - (contentMs[0] ?? NaN)) / 19)),
      ],
      ["SGLang", "ITL", mean(gaps)],
      ["GuideLLM", "ITL", mean(spans) / 19],
      ["GuideLLM", "TPOT", mean(ends) / 20],
    ];
    const { itl_dialects: dialects } = json as unknown as {
      itl_dialects: { tool: string; metric: string; avg: number }[];
    };
    assert.deepEqual(
      dialects.map(({ tool, metric }) => [tool, metric]),
      expected.map(([tool, metric]) => [tool, metric]),
    );
    expected.forEach(([tool, metric, avg], at) => {
      const found = dialects[at]?.avg ?? NaN;
      assert.ok(Math.abs(found / avg - 1) < 1e-6, `${tool} ${metric}: ${found}, not ${avg}`);
    });
    assert.match(await Deno.readTextFile(`${run}/report.html`), /Time between tokens, ms/);

    // A run that did not ask for it has the same by its records, and each dialect as its own ITL.
    const again = await runCli([
      ...["recompute", run, "--itl-dialect", "vllm", "--artifact-dir", `${folder}/again`],
    ]);
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, /time between tokens as vllm defines it \(was inferometer\)/);
    const other = JSON.parse(
      await Deno.readTextFile(`${folder}/again/profile_export_aiperf.json`),
    );
    assert.ok(Math.abs(other.inter_token_latency.avg / (mean(spans) / 19) - 1) < 1e-6);
    assert.equal(other.time_to_first_token.avg, json.time_to_first_token.avg);
    const lines = await Deno.readTextFile(`${folder}/again/profile_export.jsonl`);
    assert.doesNotMatch(lines, /inter_token_latency/);

    const plain = `${folder}/plain`;
    assert.equal((await profile(plain)).code, 0);
    assert.equal("itl_dialects" in (await readArtifacts(plain)).json, false);
    const added = await runCli([
      ...["recompute", plain, "--itl-dialects", "--artifact-dir", `${folder}/added`],
    ]);
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stdout, /SGLang TPOT/);
  }));
