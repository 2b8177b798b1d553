/** Replies checked against what their requests require; the mock server breaks a known number. */

import assert from "node:assert/strict";
import { PROFILE_JSON_SCHEMA } from "../../src/report/export/schemas/profile_json_schema.ts";
import { RECORD_LINE_SCHEMA } from "../../src/report/export/schemas/record_line_schema.ts";
import { readArtifacts, type RecordLine, withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { runProfile } from "../support/profile_run.ts";
import { NO_FLUSH, runCli } from "../support/run_cli.ts";
import { schemaProblems } from "../support/schema_problems.ts";

const SCHEMA = {
  "type": "object",
  "properties": {
    "city": { "type": "string", "minLength": 1 },
    "days": { "type": "array", "items": { "$ref": "#/$defs/day" }, "minItems": 1 },
  },
  "required": ["city", "days"],
  "additionalProperties": false,
  "$defs": { "day": { "enum": ["mon", "tue"] } },
};
const FORMAT = {
  "response_format": { "type": "json_schema", "json_schema": { "schema": SCHEMA } },
};
const TOOLS = {
  "tool_choice": "required",
  "tools": [{ "type": "function", "function": { "name": "plan", "parameters": SCHEMA } }],
};
const LOAD = ["--streaming", "--isl", "40", "--osl", "400", "--random-seed", "5"];

/** Replies that the mock broke, by its own count. */
async function brokenBy(url: string, kind: string): Promise<number> {
  const response = await fetch(`${url}/mock/stats`);
  return (await response.json())["corrupted"][kind] ?? 0;
}

interface Checked {
  readonly valid?: boolean;
  readonly kind?: string;
  readonly reason?: string;
  readonly flaw?: string;
}

function answersOf(records: readonly RecordLine[]): (Checked | undefined)[] {
  return records.map(({ metadata }) => metadata["answer"] as Checked | undefined);
}

Deno.test("exactly the replies that the mock broke are invalid, and gates find them", async () => {
  for (
    const [extra, kind, reason] of [
      [FORMAT, "invalid_json", "not_json"],
      [FORMAT, "invalid_form", "schema"],
      [{ "guided_regex": "[a-f]{4}-\\d+" }, "invalid_form", "regex"],
      [{ "structured_outputs": { "choice": ["yes", "no"] } }, "invalid_form", "choice"],
      [TOOLS, "wrong_tool", "wrong_tool"],
      [TOOLS, "invalid_json", "arguments_not_json"],
    ] as const
  ) {
    using mock = await startLocalMock(["--corrupt-above", `0:${kind}:0.3`, "--seed", "4"]);
    await withFolder(async (folder) => {
      const { artifacts, code, stdout } = await runProfile(folder, [
        ...["--url", mock.url, ...LOAD, "--request-count", "60", "--concurrency", "3"],
        ...["--extra-inputs", JSON.stringify(extra), "--slo", "answers.valid>=99%"],
        ...["--goodput-needs-correct"],
      ]);
      const broken = await brokenBy(mock.url, kind);
      assert.ok(broken > 5 && broken < 40, `${broken} ${kind}`);
      assert.equal(code, 3, stdout);
      const { json, records } = artifacts;
      assert.deepEqual(json.answers.valid, { share: (60 - broken) / 60, count: 60 });
      const { count, kind: named, reasons, tokens, unchecked } = json.answers.invalid;
      assert.deepEqual([count, named, unchecked], [broken, "invalid_reply", 0]);
      assert.equal(reasons[reason], broken);
      const invalid = records.filter(({ metadata }) =>
        (metadata["answer"] as Checked | undefined)?.valid === false
      );
      assert.equal(invalid.length, broken);
      assert.equal(
        tokens,
        invalid.reduce(
          (sum, { metrics }) => sum + Number(metrics["output_sequence_length"]?.value ?? 0),
          0,
        ),
      );
      for (const answer of answersOf(invalid)) {
        assert.deepEqual([answer?.kind, answer?.reason], ["invalid_reply", reason]);
        assert.ok(answer?.flaw);
      }
      // Invalid replies are complete requests.
      assert.equal(json.request_count.avg, 60);
      assert.equal(json.good_request_count.avg, 60 - broken);
      assert.match(stdout, new RegExp(`invalid_reply ${broken} ${reason}`));
      assert.deepEqual(schemaProblems(PROFILE_JSON_SCHEMA, json), []);
      assert.deepEqual(schemaProblems(RECORD_LINE_SCHEMA, records[0]), []);
    });
  }
});

Deno.test("every reply of a healthy server is valid over each API", async () => {
  using mock = await startLocalMock(["--tool-calls", "0.5"]);
  const tools = [{ "name": "plan", "input_schema": SCHEMA }];
  const flat = [{ "type": "function", "name": "plan", "parameters": SCHEMA }];
  for (
    const [type, extra] of [
      ["chat", { ...FORMAT, "n": 2 }],
      ["chat", { ...TOOLS, "tool_choice": "auto" }],
      ["completions", { "guided_json": SCHEMA }],
      ["responses", { "text": { "format": { "type": "json_schema", "schema": SCHEMA } } }],
      ["responses", { "tools": flat, "tool_choice": "required" }],
      ["messages", { "output_config": { "format": { "type": "json_schema", "schema": SCHEMA } } }],
      ["messages", { "tools": tools, "tool_choice": { "type": "any" } }],
      ["ollama", { "format": SCHEMA }],
      ["ollama", { "tools": TOOLS.tools }],
      ["huggingface_generate", { "grammar": { "type": "json", "value": SCHEMA } }],
      ["generate", { "sampling_params": { "json_schema": JSON.stringify(SCHEMA) } }],
    ] as const
  ) {
    await withFolder(async (folder) => {
      const { artifacts: { json }, code, stderr } = await runProfile(folder, [
        ...["--url", mock.url, ...LOAD, "--request-count", "12", "--endpoint-type", type],
        ...["--extra-inputs", JSON.stringify(extra), "--slo", "answers.valid>=100%"],
      ]);
      assert.equal(code, 0, `${type}: ${stderr}${JSON.stringify(json.answers)}`);
      assert.deepEqual(json.answers.valid, { share: 1, count: 12 }, type);
    });
  }
});

Deno.test("shards, merge and recompute have the invalid replies of their records", async () => {
  using mock = await startLocalMock(["--corrupt-above", "0:invalid_json:0.3", "--seed", "8"]);
  await withFolder(async (folder) => {
    const run = `${folder}/run`;
    for (const index of [0, 1]) {
      const { code, stderr } = await runCli([
        ...["profile", "--shard", `${index}/2`, "--model", "m", "--url", mock.url, ...LOAD],
        ...["--tokenizer", "builtin", "--request-count", "40", "--concurrency", "4"],
        ...["--extra-inputs", JSON.stringify(FORMAT), "--artifact-dir", run],
      ], { env: NO_FLUSH });
      assert.equal(code, 0, stderr);
    }
    const merge = await runCli(["merge", run, "--expect-shards", "2"]);
    assert.equal(merge.code, 0, merge.stderr);
    const { json, records } = await readArtifacts(run);
    const broken = await brokenBy(mock.url, "invalid_json");
    assert.ok(broken > 0);
    assert.deepEqual(json.answers.valid, { share: (40 - broken) / 40, count: 40 });
    assert.equal(json.answers.invalid.reasons.not_json, broken);
    assert.equal(answersOf(records).filter((one) => one?.reason === "not_json").length, broken);
    const recompute = await runCli(["recompute", run]);
    assert.equal(recompute.code, 0, recompute.stderr);
    const summary = `${run}-recomputed/profile_export_aiperf.json`;
    const again = JSON.parse(await Deno.readTextFile(summary));
    assert.deepEqual(again.answers, json.answers);
  });
});

Deno.test("rows have their own requirements, and what cannot be checked stops nothing", async () => {
  using mock = await startLocalMock();
  await withFolder(async (folder) => {
    const rows = [
      { text: "a", response_format: FORMAT.response_format },
      { text: "b", extra: { "guided_regex": "[0-9]{3}" } },
      // No word of the mock's replies ends with it, and look-around is left to JavaScript.
      { text: "c", extra: { "guided_regex": "(?= )( ?\\w+ ?)+!" } },
      { text: "d", extra: { "guided_grammar": "root ::= [a-z]+" } },
      { text: "e" },
      { text: "f", tools: TOOLS.tools, tool_choice: "required" },
      { text: "g", tools: TOOLS.tools, tool_choice: "none" },
    ];
    const input = `${folder}/rows.jsonl`;
    await Deno.writeTextFile(input, rows.map((row) => JSON.stringify(row)).join("\n"));
    const { artifacts: { json, records }, code, stdout } = await runProfile(`${folder}/run`, [
      ...["--url", mock.url, "--streaming", "--input-file", input, "--concurrency", "1"],
      ...["--request-count", String(rows.length), "--slo", "answers.valid>=100%"],
    ]);
    assert.equal(code, 0, stdout);
    assert.deepEqual(json.answers.valid, { share: 1, count: 4 });
    assert.equal(json.answers.invalid.unchecked, 2);
    assert.deepEqual(answersOf(records).map((one) => one?.valid), [
      ...[true, true, undefined, undefined, undefined, true, true],
    ]);
    assert.match(answersOf(records)[2]?.flaw ?? "", /did not end in time/);
    assert.match(answersOf(records)[3]?.flaw ?? "", /a grammar is not checked/);
    assert.match(stdout, /valid not checked in 2 replies: a pattern did not end in time/);
  });
});

Deno.test("a reply that the token limit cut off is invalid for that reason", async () => {
  using mock = await startLocalMock();
  await withFolder(async (folder) => {
    const { artifacts: { json }, stdout } = await runProfile(folder, [
      ...["--url", mock.url, "--streaming", "--isl", "20", "--osl", "3", "--request-count", "8"],
      ...["--extra-inputs", JSON.stringify(FORMAT)],
    ]);
    assert.deepEqual(json.answers.valid, { share: 0, count: 8 });
    assert.equal(json.answers.invalid.reasons.cut, 8);
    assert.match(stdout, /first: text: cut off by the token limit at its end, character \d+/);
  });
});
