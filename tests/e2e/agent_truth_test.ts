/** Starts of calls of recorded sessions by the server's clock, and draws by threads and shards. */

import assert from "node:assert/strict";
import { AGENTS, type ExpectedSession, replay, type Served } from "../support/agent_replay.ts";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { withFolder } from "../support/artifacts.ts";
import { withMock } from "../support/local_mock.ts";
import { PROFILE, runProfile } from "../support/profile_run.ts";
import { runCli } from "../support/run_cli.ts";

/** Factor of all recorded times. */
const SCALE = 0.05;
const RULES = ["--tool-time", `scale:${SCALE}`, "--user-time", `scale:${SCALE}`];
/** How much later a loaded machine may start a call, for each call before it, in milliseconds. */
const SLACK_MS = 40;
/** How late the first call may reach the server: the others then seem earlier, in milliseconds. */
const FIRST_LATE_MS = 20;

function expectedOf(text: string): readonly ExpectedSession[] {
  return (JSON.parse(text) as { sessions: readonly ExpectedSession[] }).sessions;
}

/** Checks starts against planned ones, both from the first start of the session. */
function checkStarts(
  found: ReadonlyMap<string, number>,
  planned: ReadonlyMap<string, number>,
  slackMs: number,
): void {
  const firstOf = (times: ReadonlyMap<string, number>): number => Math.min(...times.values());
  for (const [call, ms] of planned) {
    const startMs = (found.get(call) ?? NaN) - firstOf(found);
    const plannedMs = ms - firstOf(planned);
    assert.ok(
      startMs >= plannedMs - FIRST_LATE_MS,
      `${call} starts at ${startMs} ms, not ${plannedMs} ms`,
    );
    assert.ok(
      startMs <= plannedMs + slackMs,
      `${call} starts at ${startMs} ms, not ${plannedMs} ms`,
    );
  }
}

for (
  const file of [
    ...["weka_linear_compaction.json", "weka_flat_fanout.json", "weka_subagents_tiered.json"],
    ...["dynamo_tools_children.jsonl", "tracelab_subagent.jsonl"],
  ]
) {
  Deno.test(`calls of ${file} start as recorded if replies take as long as recorded`, async () => {
    const text = await Deno.readTextFile(`${AGENTS}${file.replace(/\.jsonl?$/, "")}.expected.json`);
    const calls = expectedOf(text).flatMap((session) => session.calls);
    // Prompts are told apart by their lengths; equal ones are sent in their recorded order.
    const durations = Map.groupBy(
      calls.toSorted((a, b) => (a.recorded_start_ms ?? 0) - (b.recorded_start_ms ?? 0)),
      (call) => call.input_tokens,
    );
    const { served, rows } = await replay(file, RULES, {
      replyMs: (body) => {
        const { messages: [message] } = JSON.parse(body) as { messages: { content: string }[] };
        const content = message?.content.replace(/\[rid:\d+\]\n\n/, "") ?? "";
        const call = durations.get(new TextEncoder().encode(content).length)?.shift();
        assert.ok(call !== undefined, "an unknown prompt");
        return ((call.recorded_end_ms ?? 0) - (call.recorded_start_ms ?? 0)) * SCALE;
      },
    });
    const found = new Map(rows.map((row) => [
      row.call,
      (served.get(row.x_request_id) as Served).arrivedMs,
    ]));
    const planned = new Map(calls.map((call) => [call.id, (call.recorded_start_ms ?? 0) * SCALE]));
    checkStarts(found, planned, SLACK_MS * calls.length);
  });
}

for (
  const file of ["dag_nested.jsonl", "otel_otlp.json", "agentic_mooncake_v2.jsonl"]
) {
  Deno.test(`calls of ${file} start as planned by the log of the mock`, async () => {
    const text = await Deno.readTextFile(`${AGENTS}${file.replace(/\.jsonl?$/, "")}.expected.json`);
    const sessions = expectedOf(text);
    const times = {
      ttft: latencyDistribution(String(1000 * SCALE)),
      itl: latencyDistribution("0"),
    };
    await withMock({ ...times, truth: true }, async ({ url }) => {
      await withFolder(async (folder) => {
        const run = await runProfile(`${folder}/run`, [
          ...["--url", url, "--input-file", `${AGENTS}${file}`, ...RULES, "--streaming"],
          ...["--tokenizer", `${AGENTS}tok_bytes`, "--model", "m"],
        ]);
        assert.equal(run.code, 0, run.stderr);
        const log = await (await fetch(`${url}/mock/truth`)).text();
        const received = new Map(
          log.trim().split("\n").map((line) => {
            const [requestId = "", receivedNs] = line.split(" ");
            return [requestId, Number(receivedNs) / 1e6];
          }),
        );
        const lines = await Deno.readTextFile(`${folder}/run/profile_export.jsonl`);
        const rows = lines.trim().split("\n").map((line) => JSON.parse(line).metadata);
        for (const [number, session] of sessions.entries()) {
          const found = new Map<string, number>(
            rows.filter((row) => row.session_num === number)
              .map((row) => [row.call, received.get(row.x_request_id) as number]),
          );
          const starts = session.schedules["fixed_1000"]?.start_ms ?? {};
          const planned = new Map(
            Object.entries(starts).filter(([call]) => found.has(call))
              .map(([call, ms]) => [call, ms * SCALE]),
          );
          assert.equal(planned.size, found.size);
          checkStarts(found, planned, SLACK_MS * found.size);
        }
      });
    });
  });
}

Deno.test("threads and shards change no body, marker or start of recorded sessions", async () => {
  const args = [
    ...["--tool-time", "none", "--user-time", "none", "--random-seed", "7", "--concurrency", "4"],
    ...["--trajectory-start-min-ratio", "0", "--trajectory-start-max-ratio", "0.6"],
    ...["--history", "recorded"],
  ];
  const drawsOf = async (...runs: readonly (readonly string[])[]): Promise<string[]> => {
    const bodies: string[] = [];
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      async (request) => {
        if (request.method !== "POST") return new Response("", { status: 404 });
        bodies.push(await request.text());
        return Response.json({
          "choices": [{ "message": { "content": "reply" }, "finish_reason": "stop" }],
        });
      },
    );
    await withFolder(async (folder) => {
      await Promise.all(runs.map(async (more, number) => {
        const run = await runCli([
          ...[...PROFILE, "--url", `http://127.0.0.1:${server.addr.port}`, "--model", "m"],
          ...["--artifact-dir", `${folder}/${number}`, "--tokenizer", `${AGENTS}tok_bytes`],
          ...["--input-file", `${AGENTS}otel_sessions.jsonl`, ...args, ...more],
        ]);
        assert.equal(run.code, 0, run.stderr);
      }));
    });
    return bodies.sort();
  };
  const one = await drawsOf(["--workers", "1"]);
  assert.ok(one.length > 0);
  assert.deepEqual(await drawsOf(["--workers", "4"]), one);
  assert.deepEqual(await drawsOf(["--shard", "0/2"], ["--shard", "1/2"]), one);
});
