/** Several models or adapters in one run: who is asked, and the tables of each. */

import assert from "node:assert/strict";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";

import { runCli } from "../support/run_cli.ts";
import { PROFILE_JSON_SCHEMA } from "../../src/report/export/schemas/profile_json_schema.ts";
import { schemaProblems } from "../support/schema_problems.ts";

interface Line {
  readonly metadata: Record<string, unknown>;
  readonly metrics: Record<string, { readonly value: number }>;
  readonly error?: unknown;
}

async function linesOf(path: string): Promise<Line[]> {
  return (await Deno.readTextFile(path)).trimEnd().split("\n").map((line) => JSON.parse(line));
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

Deno.test("each model has the figures of the requests that asked it", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "5", "--itl", "2"]);
    const run = `${folder}/run`;
    const { code, stdout, stderr } = await runCli([
      ...["profile", "--url", mock.url, "--model", "base,lora/a,lora/b", "--streaming"],
      ...["--isl", "20", "--osl", "8", "--request-count", "60", "--concurrency", "4"],
      ...["--model-selection-strategy", "weighted", "--model-weights", "2,1,1"],
      ...["--random-seed", "5", "--artifact-dir", run, "--no-server-metrics"],
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /lora\/a/);
    const { json, csv } = await readArtifacts(run);
    assert.deepEqual(schemaProblems(PROFILE_JSON_SCHEMA, json), []);
    assert.deepEqual(json.input_config["models"], {
      "items": [
        { "name": "base", "weight": 0.5 },
        { "name": "lora/a", "weight": 0.25 },
        { "name": "lora/b", "weight": 0.25 },
      ],
      "strategy": "weighted",
    });
    const lines = await linesOf(`${run}/profile_export.jsonl`);
    const { per_model: models } = json as unknown as {
      per_model: {
        model: string;
        succeeded: number;
        failed: number;
        metrics: Record<string, { avg: number; count?: number }>;
      }[];
    };
    assert.deepEqual(models.map(({ model }) => model), ["base", "lora/a", "lora/b"]);
    for (const { model, succeeded, failed, metrics } of models) {
      const own = lines.filter(({ metadata }) => metadata["model"] === model);
      assert.ok(own.length > 0);
      assert.deepEqual([succeeded, failed], [own.length, 0]);
      for (const tag of ["time_to_first_token", "inter_token_latency", "request_latency"]) {
        const expected = mean(own.map((line) => line.metrics[tag]?.value ?? NaN));
        assert.ok(Math.abs((metrics[tag]?.avg ?? NaN) / expected - 1) < 1e-9, `${model} ${tag}`);
      }
      const rate = own.length / json.benchmark_duration.avg;
      assert.ok(Math.abs((metrics["request_throughput"]?.avg ?? NaN) / rate - 1) < 1e-9);
    }
    assert.match(csv, /^Model,Succeeded,Failed,Metric,avg/m);
    const page = await Deno.readTextFile(`${run}/report.html`);
    assert.match(page, /id="models"/);
    assert.equal((await runCli(["report", run])).code, 0);
    assert.equal(await Deno.readTextFile(`${run}/report.html`), page);
    assert.deepEqual((await readArtifacts(run)).json, json);
  }));

Deno.test("a session stays with its model, and a conversation with --model-selection-strategy sticky", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "2", "--itl", "1"]);
    const input = `${folder}/talks.jsonl`;
    await Deno.writeTextFile(
      input,
      Array.from({ length: 3 }, (_, talk) =>
        `${
          JSON.stringify({
            "session_id": `talk ${talk}`,
            "turns": [{ "text": `hello ${talk}` }, { "text": "and then?" }],
          })
        }\n`).join(""),
    );
    for (const strategy of ["round_robin", "random", "sticky"]) {
      const run = `${folder}/${strategy}`;
      const { code, stderr } = await runCli([
        ...["profile", "--url", mock.url, "--model", "a,b", "--input-file", input],
        ...["--num-sessions", "12", "--concurrency", "3", "--random-seed", "1"],
        ...["--custom-dataset-type", "multi-turn", "--dataset-sampling-strategy", "shuffle"],
        ...["--model-selection-strategy", strategy, "--artifact-dir", run, "--no-server-metrics"],
      ]);
      assert.equal(code, 0, stderr);
      const lines = await linesOf(`${run}/profile_export.jsonl`);
      assert.equal(lines.length, 24);
      const modelsBy = (key: string) => {
        const found = new Map<unknown, Set<unknown>>();
        for (const { metadata } of lines) {
          const models = found.get(metadata[key]) ?? new Set();
          found.set(metadata[key], models.add(metadata["model"]));
        }
        return found;
      };
      for (const models of modelsBy("session_num").values()) assert.equal(models.size, 1);
      if (strategy === "sticky") {
        const talks = modelsBy("conversation_id");
        assert.equal(talks.size, 3);
        for (const models of talks.values()) assert.equal(models.size, 1);
      }
    }
  }));

Deno.test("the plan shows how models are chosen", async () => {
  const { code, stdout, stderr } = await runCli([
    ...["profile", "--url", "http://127.0.0.1:1", "--model", "a,b", "--dry-run"],
    ...["--model-selection-strategy", "weighted", "--model-weights", "3,1"],
  ]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /model\s+a 75 %, b 25 % \(weighted\)/);
});

Deno.test("weights that do not fit the models are a usage error", async () => {
  const { code, stderr } = await runCli([
    ...["profile", "--url", "http://127.0.0.1:1", "--model", "a,b", "--dry-run"],
    ...["--model-selection-strategy", "weighted", "--model-weights", "1,2,3"],
  ]);
  assert.equal(code, 2);
  assert.match(stderr, /--model-weights: Expected one for each of the 2 models: got 3/);
});
