/** The window of a scenario whose run ends with the first user that has no session left. */

import assert from "node:assert/strict";
import { AGENTS } from "../support/agent_replay.ts";
import { withFolder } from "../support/artifacts.ts";
import { runProfile } from "../support/profile_run.ts";

const REPLY = "An answer of this length.";

/** Rows of a conversation of some questions. */
function conversation(id: string, questions: number): object[] {
  return Array.from({ length: questions }, (_, place) => [
    {
      ...{ "conversation_id": id, "turn": 2 * place + 1, "role": "user" },
      "content": `Question ${place} of ${id}?`,
    },
    { "conversation_id": id, "turn": 2 * place + 2, "role": "assistant", "content": REPLY },
  ]).flat();
}

/** Serves replies; those to the slow conversation only when the others are over. */
function serve(others: number): Deno.HttpServer<Deno.NetAddr> {
  const over = Promise.withResolvers<void>();
  let [left, slow] = [others, 0];
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    if (request.method !== "POST") return new Response("", { status: 404 });
    const body = await request.text();
    if (body.includes("of slow?") && slow++ > 0) {
      await over.promise;
      await new Promise((resolve) => setTimeout(resolve, 200));
    } else if (!body.includes("of slow?") && --left === 0) queueMicrotask(() => over.resolve());
    return Response.json({
      "choices": [{
        "message": { "role": "assistant", "content": REPLY },
        "finish_reason": "stop",
      }],
    });
  });
}

Deno.test("profile --scenario mlperf-agentic publishes the time until the first user has no session", () =>
  withFolder(async (folder) => {
    await using server = serve(3);
    const file = `${folder}/rows.jsonl`;
    const rows = [...conversation("slow", 5), ...conversation("a", 1), ...conversation("b", 2)];
    await Deno.writeTextFile(file, rows.map((row) => JSON.stringify(row)).join("\n"));
    const { artifacts: { json, records, consoleText }, code, stderr } = await runProfile(
      `${folder}/run`,
      [
        ...["--url", `http://127.0.0.1:${server.addr.port}`, "--input-file", file, "--model", "m"],
        ...["--scenario", "mlperf-agentic", "--concurrency", "2"],
        ...["--tokenizer", `${AGENTS}tok_bytes`, "--slo", "latency.max<100s"],
      ],
    );
    assert.equal(code, 0, stderr);
    const { steady_state: steady, sessions } = json;
    assert.deepEqual([sessions.started, sessions.completed, sessions.cut_off], [3, 2, 1]);
    const endsOf = (id: string): number[] =>
      records.filter(({ metadata }) => metadata["conversation_id"] === id)
        .map(({ metadata }) => Number(metadata["request_end_ns"]));
    assert.equal(endsOf("slow").length, 2, "no turn is sent after that");
    assert.ok(steady.end_ns >= Math.max(...endsOf("b")));
    assert.ok(steady.end_ns < Math.max(...endsOf("slow")), "the last reply comes after the window");
    const first = Math.min(...records.map(({ metadata }) => Number(metadata.request_start_ns)));
    assert.ok(Math.abs(steady.start_ns - first) < 1e6);
    // Of five replies, one comes after the window.
    assert.equal(Math.round(steady.metrics.request_throughput.avg * steady.seconds), 4);
    assert.deepEqual([json.scenario.window, json.validity.window], ["steady", "steady"]);
    assert.ok(!json.submission_reasons.includes("output_length_outside_band"));
    assert.match(consoleText, /submission to mlperf-agentic \S+, by the steady window/);
  }));
