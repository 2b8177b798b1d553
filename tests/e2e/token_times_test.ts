/** Times between tokens of whole runs, against servers whose chunks and tokens are known. */

import assert from "node:assert/strict";
import { type RecordLine, withFolder } from "../support/artifacts.ts";
import { chunk } from "../support/fault_server.ts";
import { runProfile } from "../support/profile_run.ts";
import { runCli } from "../support/run_cli.ts";
import { type ScriptedServer, scriptedServer } from "../support/scripted_server.ts";

const GAP_MS = 20;

function event(delta: Record<string, unknown>, tokens?: number, finish: string | null = null) {
  const choices = [{ "index": 0, delta, "finish_reason": finish }];
  return `data: ${JSON.stringify({ choices, ...usageOf(tokens) })}\n\n`;
}

function usageOf(tokens?: number, reasoning?: number): Record<string, unknown> {
  return tokens === undefined ? {} : {
    "usage": {
      "prompt_tokens": 7,
      "completion_tokens": tokens,
      ...(reasoning === undefined
        ? {}
        : { "completion_tokens_details": { "reasoning_tokens": reasoning } }),
    },
  };
}

function ended(tokens: number, reasoning?: number): string {
  const usage = { "choices": [], ...usageOf(tokens, reasoning) };
  return `${event({}, undefined, "stop")}data: ${JSON.stringify(usage)}\n\ndata: [DONE]\n\n`;
}

const word = (tokens?: number) => event({ "content": " w" }, tokens);

/** Replies in which each gap between chunks is the time of one token: events, a gap before each. */
const SHAPES: Readonly<Record<string, readonly string[]>> = {
  "hidden": [...Array(20).fill(word()), ended(1020, 1000)],
  "eos": [word(1), word(2), word(3), ended(4)],
  "eosend": [word(), word(), word(), ended(4)],
  "closing": [
    event({ "content": "one two three four five six seven eight nine ten eleven twelve" }, 20),
    ...Array.from({ length: 10 }, (_, at) => word(21 + at)),
    ended(32),
  ],
  "lastdot": [
    event({ "content": "The quick brown fox jumps over the lazy dog and then some more text" }),
    event({ "content": "." }),
    ended(16),
  ],
  "cutword": [event({ "content": "Hello there, wor" }), event({ "content": "ld" }), ended(5)],
  "plain": [word(), word(), word(), ended(3)],
};

/** A server that replies with the shape that the path names. */
function shapeServer(shapes: Readonly<Record<string, readonly string[]>>): ScriptedServer {
  return scriptedServer(async ({ head, reply }) => {
    const shape = shapes[/^POST \/(\w+)\//.exec(head)?.[1] ?? ""];
    if (shape === undefined) return await reply("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
    await reply(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    for (const text of shape) {
      await new Promise((resolve) => setTimeout(resolve, GAP_MS));
      await reply(chunk(text));
    }
    await reply("0\r\n\r\n");
  });
}

function valueOf({ metrics }: RecordLine, tag: string): unknown {
  return (metrics as Record<string, { value: unknown } | undefined>)[tag]?.value;
}

/** Gaps between the chunks of a request. */
function gapsOf(record: RecordLine): number[] {
  return valueOf(record, "inter_chunk_latency") as number[];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

for (const counter of [["--use-server-token-count"], ["--tokenizer", "builtin"]]) {
  Deno.test(`profile divides by the tokens that took time (${counter[0]})`, async (t) => {
    using server = shapeServer(SHAPES);
    for (const shape of Object.keys(SHAPES)) {
      await t.step(shape, () =>
        withFolder(async (folder) => {
          const { artifacts: { json, records } } = await runProfile(folder, [
            ...["--url", `${server.host}/${shape}`, "--model", "m", "--streaming"],
            ...["--request-count", "4", "--concurrency", "2", "--isl", "4", ...counter],
          ]);
          assert.equal(records.length, 4);
          // Where the machine is busy, some chunks are read at once.
          const gaps = records.map(gapsOf);
          records.forEach((record, at) => {
            const own = gaps[at] ?? [];
            const itl = valueOf(record, "inter_token_latency") as number;
            assert.ok(Math.abs(itl * own.length - sum(own)) < 1e-5, `${itl} of ${own}`);
          });
          const seconds = sum(gaps.flat()) / 1e3;
          assert.ok(seconds > 0, "some chunks come apart");
          const { avg } = json.interactivity;
          assert.ok(Math.abs(avg / (gaps.flat().length / seconds) - 1) < 1e-6);
          const { lower, upper } = json.measurement_error.metrics.interactivity.avg;
          assert.ok(lower <= avg && avg <= upper);
        }));
    }
  });
}

Deno.test("profile shows and gates the pooled rate of tokens, files keep AIPerf's mean", async () => {
  // Chunks of the second shape come with one write.
  using server = shapeServer({ ...SHAPES, "burst": [[word(), word(), word()].join(""), ended(3)] });
  await withFolder(async (folder) => {
    const { code, stdout, artifacts: { json, records } } = await runProfile(folder, [
      ...["--url", `${server.host}/plain`, `${server.host}/burst`, "--model", "m", "--streaming"],
      ...["--request-count", "8", "--isl", "4", "--use-server-token-count"],
      ...["--slo", "interactivity>0 tokens/s"],
    ]);
    assert.equal(code, 0);
    const pooled = 16 / (sum(records.flatMap(gapsOf)) / 1e3);
    assert.ok(Math.abs(json.interactivity.avg / pooled - 1) < 1e-6);
    assert.equal(json.interactivity.unit, "tokens/sec/user");
    const rows = stdout.split("\n").filter((line) => line.startsWith("tokens/s/user"));
    const [, shown] = rows[0]?.split(/\s+/) ?? [];
    assert.equal(rows.length, 1);
    assert.ok(Math.abs(Number(shown?.replaceAll(",", "")) / pooled - 1) < 0.01, shown);
    assert.match(stdout, /interactivity > 0 tokens\/s .* met/);
    const each = records.map((record) => valueOf(record, "output_token_throughput_per_user"))
      .filter((value) => typeof value === "number");
    const mean = json.output_token_throughput_per_user.avg;
    assert.ok(Math.abs(mean / (sum(each) / each.length) - 1) < 1e-6);
    const missed = await runCli(["gate", folder, "--slo", "interactivity>1e9"]);
    assert.equal(missed.code, 3);
  });
});
