/** Recorded agent sessions: when calls reach a server, and which are not sent after a failed one. */

import assert from "node:assert/strict";
import { AGENTS, type Metadata, replay, SCALE, type Served } from "../support/agent_replay.ts";
import { withFolder } from "../support/artifacts.ts";
import { withMock } from "../support/local_mock.ts";
import { runProfile } from "../support/profile_run.ts";

for (
  const file of [
    ...["dag_nested.jsonl", "dag_forks.jsonl", "otel_otlp.json", "agentic_mooncake_v2.jsonl"],
    ...["weka_subagents_tiered.json", "mlperf_rows.jsonl", "trtllm_parallel.trace.json"],
    ...["trie_rows.jsonl", "tracelab_subagent.jsonl", "dynamo_tools_children.jsonl"],
  ]
) {
  Deno.test(`profile sends each call of ${file} after all that it waits for`, async () => {
    const { served, rows, whole, sessions } = await replay(file, []);
    for (const { status, duration, critical_path: { calls: _calls, ...path } } of whole) {
      assert.equal(status, "completed");
      const parts = Object.values(path).reduce((sum, ms) => sum + ms, 0);
      assert.ok(Math.abs(parts - duration) < 1e-6, `${parts} ${duration}`);
    }
    const calls = sessions.flatMap((session) => session.calls);
    for (const row of rows) {
      assert.equal(row.call, sessions[row.session_num]?.calls[row.turn_index]?.id);
    }
    assert.equal(rows.length, calls.filter((call) => call.virtual !== true).length);
    for (const [number, session] of sessions.entries()) {
      const byId = new Map(
        rows.filter((row) => row.session_num === number)
          .map((row) => [session.calls[row.turn_index]?.id, row]),
      );
      for (const call of session.calls) {
        const row = byId.get(call.id);
        assert.ok(row !== undefined, `${call.id} is not sent`);
        const { arrivedMs } = served.get(row.x_request_id) as Served;
        for (const { call: from, on, gap_ms: gapMs } of call.after) {
          const before = byId.get(from) as Metadata;
          if (on === "start") {
            const sinceMs = (row.request_start_ns - before.request_start_ns) / 1e6;
            assert.ok(sinceMs >= gapMs * SCALE - 0.01, `${call.id}: ${sinceMs} ms after ${from}`);
          } else {
            const { endedMs } = served.get(before.x_request_id) as Served;
            const sinceMs = arrivedMs - endedMs;
            assert.ok(sinceMs >= gapMs * SCALE, `${call.id}: ${sinceMs} ms after ${from}`);
          }
        }
      }
    }
  });
}

for (const policy of ["branch", "session"] as const) {
  Deno.test(`profile leaves out calls after a failed one, with --on-failed-call ${policy}`, async () => {
    const text = "Meanwhile, list the open files.";
    const { rows, unsent, whole, sessions: [session] } = await replay(
      "dag_spawn_join.jsonl",
      // The failed call is the last one that has begun.
      ["--on-failed-call", policy, ...(policy === "session" ? ["--max-parallel-calls", "1"] : [])],
      {
        failsOn: (body) => {
          const { messages } = JSON.parse(body) as { messages: { content: string }[] };
          return messages.at(-1)?.content.endsWith(text) === true;
        },
      },
    );
    const { calls = [], failures = [] } = session ?? {};
    const sent = new Set(rows.map(({ call }) => call));
    const missing = calls.map(({ id }) => id).filter((id) => !sent.has(id));
    if (policy === "branch") {
      const failure = failures.find(({ failed }) => failed === "root#1");
      assert.deepEqual(missing, failure?.not_sent.branch);
    }
    assert.ok(missing.length > 0);
    assert.deepEqual(unsent.map(({ call }) => call), missing);
    for (const row of unsent) assert.deepEqual(row.unsent, { "because": "root#1" });
    assert.deepEqual(whole.map(({ status }) => status), ["failed"]);
  });
}

Deno.test("profile sends all calls after a failed one with --on-failed-call continue", async () => {
  const { rows, sessions: [session] } = await replay(
    "weka_flat_fanout.json",
    ["--on-failed-call", "continue"],
    {
      failsOn: (() => {
        let count = 0;
        return () => ++count === 2;
      })(),
    },
  );
  assert.equal(rows.length, session?.calls.length);
});

Deno.test("profile keeps --max-parallel-calls of a session", async () => {
  const { served } = await replay("weka_subagents_tiered.json", ["--max-parallel-calls", "1"]);
  const spans = [...served.values()].sort((a, b) => a.arrivedMs - b.arrivedMs);
  spans.slice(1).forEach(({ arrivedMs }, place) =>
    assert.ok(arrivedMs >= (spans[place]?.endedMs as number))
  );
});

Deno.test("profile sends two forks of one call with bytewise equal beginnings", async () => {
  const { served } = await replay("dag_forks.jsonl", []);
  const bodies = [...served.values()].map(({ body }) => body);
  const { messages } = JSON.parse(bodies[0] as string) as { messages: { content: string }[] };
  const marked = messages.find(({ content }) => content.startsWith("[rid:"));
  assert.ok(marked !== undefined, "a session has a marker by default");
  const head = (bodies[0] as string).split('],"model"')[0] as string;
  assert.ok(bodies.filter((body) => body.startsWith(head)).length >= 3);
});

Deno.test("profile enters sessions in their middle: calls before that are not sent", async () => {
  const { rows, sessions: [session] } = await replay("weka_subagents_tiered.json", [
    ...["--trajectory-start-min-ratio", "0.25", "--trajectory-start-max-ratio", "0.25"],
    ...["--trace-idle-gap-cap-seconds", "0.05"],
  ]);
  const position = session?.start_position.find(({ ratio }) => ratio === 0.25);
  const sent = rows.map((row) => session?.calls[row.turn_index]?.id ?? "");
  assert.deepEqual(sent.sort(), [...position?.played ?? []].sort());
});

Deno.test("profile fills the caches with sessions of short replies before the measurement", async () => {
  const file = "weka_subagents_tiered.json";
  const args = ["--random-seed", "3", "--concurrency", "2", "--trajectory-start-min-ratio", "0.25"];
  const { rows: usual } = await replay(file, args);
  const { served, rows, summary } = await replay(file, [
    ...[...args, "--agentic-cache-warmup-duration", "0.4"],
  ]);
  const ids = new Set(rows.map((row) => row.x_request_id));
  const fieldsOf = (one: Served) => JSON.parse(one.body) as Readonly<Record<string, unknown>>;
  const ahead = [...served].filter(([id]) => !ids.has(id)).map(([, one]) => one);
  assert.deepEqual(rows.map(({ call }) => call).sort(), usual.map(({ call }) => call).sort());
  assert.deepEqual(summary["priming"], { "sent": ahead.length, "failed": 0 });
  // Two users whose calls take 20 ms each: the file's only session is played again and again.
  assert.ok(ahead.length > 2 * rows.length, `${ahead.length} calls`);
  const firstMs = Math.min(...rows.map((row) => served.get(row.x_request_id)?.arrivedMs ?? NaN));
  for (const one of ahead) {
    assert.ok(one.endedMs < firstMs, "it ends before the measurement");
    const { max_completion_tokens: most, min_tokens: least } = fieldsOf(one);
    assert.deepEqual([most, least], [1, undefined]);
  }
  const measured = fieldsOf(served.get(rows[0]?.x_request_id ?? "") as Served);
  assert.ok(Number(measured["max_completion_tokens"]) > 1);
});

Deno.test("profile --history live sends results of tools with the IDs of the server's calls", async () => {
  let calls = 0;
  const answer = (body: string): object => {
    const { messages } = JSON.parse(body) as { messages: { role: string }[] };
    // Every second reply has no call: a turn with results after it is sent as recorded.
    if (++calls % 2 === 0) return { "content": "no tool is needed" };
    const tool = { "name": "f", "arguments": "{}" };
    return {
      "content": null,
      "tool_calls": [0, 1, 2].map((place) => ({
        "id": `live-${messages.length}-${place}`,
        "type": "function",
        "function": tool,
      })),
    };
  };
  const { served, rows } = await replay(
    "mlperf_rows.jsonl",
    ["--history", "live"],
    { answer },
  );
  assert.equal(rows.length, served.size);
  const ids: string[] = [];
  for (const { body } of served.values()) {
    const { messages } = JSON.parse(body) as { messages: Record<string, unknown>[] };
    const known = new Set<unknown>();
    for (const message of messages) {
      const { tool_calls: made } = message as { tool_calls?: { id: string }[] };
      for (const { id } of made ?? []) known.add(id);
      ids.push(...(made ?? []).map(({ id }) => id));
      if (message["role"] === "tool") assert.ok(known.has(message["tool_call_id"]), body);
    }
  }
  assert.ok(ids.some((id) => id.startsWith("live-")), "live calls are in the history");
  assert.ok(ids.some((id) => !id.startsWith("live-")), "recorded calls where none came");
});

Deno.test("profile writes the blocks that earlier calls of a session had, as the file implies", async () => {
  for (
    const file of ["weka_mixed_long.json", "weka_subagents_tiered.json", "otel_sessions.jsonl"]
  ) {
    const { rows, sessions } = await replay(file, ["--cache-bust", "none"]);
    const found = new Map(
      rows.map((
        row,
      ) => [`${row.session_num} ${row.call}`, row as unknown as Record<string, unknown>]),
    );
    sessions.forEach(({ calls }, session) => {
      for (const call of calls as readonly (typeof calls[number] & Record<string, unknown>)[]) {
        const row = found.get(`${session} ${call.id}`);
        assert.equal(row?.["tokens_cached_ideal"], call["cached_tokens"], `${file} ${call.id}`);
        assert.equal(row?.["tokens_new"], call["new_tokens"], `${file} ${call.id}`);
        assert.equal(row?.["reset"], call["context_reset"], `${file} ${call.id}`);
      }
    });
  }
});

Deno.test("profile counts agents that only start others, and agents that start later, as AIPerf does", () =>
  withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const agent = (id: string, delay: number) => ({
        "session_id": id,
        "turns": [{
          "messages": [{ "role": "user", "content": `I am ${id}.` }],
          ...{ "max_tokens": 2, delay },
        }],
      });
      const rows = [
        {
          ...{ "session_id": "lead", "orchestrator": true },
          "rounds": [{ "spawns": ["now"] }, { "spawns": ["now", "later"], "think_time_ms": 5 }],
        },
        ...[agent("now", 0), agent("later", 20)],
      ];
      const file = `${folder}/rounds.jsonl`;
      await Deno.writeTextFile(file, rows.map((row) => JSON.stringify(row)).join("\n"));
      const run = await runProfile(`${folder}/run`, [
        ...["--url", url, "--input-file", file, "--model", "m"],
        ...["--tokenizer", `${AGENTS}tok_bytes`, "--concurrency", "1"],
      ]);
      assert.equal(run.code, 0, run.stderr);
      const json = JSON.parse(await Deno.readTextFile(`${folder}/run/profile_export_aiperf.json`));
      assert.deepEqual(json.sessions.branch_stats, json.branch_stats, "where AIPerf has them");
      assert.deepEqual(json.branch_stats, {
        ...{ "children_spawned": 3, "children_completed": 3, "children_errored": 0 },
        ...{ "children_truncated": 0, "children_delayed": 1, "parents_suspended": 2 },
        ...{ "parents_resumed": 2, "parents_failed_due_to_child_error": 0 },
        ...{ "joins_suppressed": 0, "graphs_admitted": 1, "graphs_completed_to_end": 1 },
      });
    })));
