/** When calls of recorded sessions start: priming, idle caps and bursts, by the server's log. */

import assert from "node:assert/strict";
import { replay, type Served } from "../support/agent_replay.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { runCli } from "../support/run_cli.ts";
import { withFolder } from "../support/artifacts.ts";

const AGENTS_WEKA = new URL("../../docs/examples/agents_weka.json", import.meta.url).pathname;

/** How late a loaded machine may be, in milliseconds: far less than the recorded gaps of seconds. */
const SLACK_MS = 500;

function markerOf({ body }: Served): string {
  return body.match(/\[rid:\d+\]/)?.[0] ?? "";
}

Deno.test("profile primes the caches before it enters sessions in their middle", async () => {
  const { served, rows, summary, sessions: [session] } = await replay(
    "weka_subagents_tiered.json",
    [
      ...["--trajectory-start-min-ratio", "0.25", "--trajectory-start-max-ratio", "0.25"],
      ...["--history", "recorded"],
    ],
  );
  const position = session?.start_position.find(({ ratio }) => ratio === 0.25);
  const measured = new Set(rows.map((row) => row.x_request_id));
  const all = [...served];
  const primed = all.filter(([id]) => !measured.has(id)).map(([, one]) => one);
  const played = all.filter(([id]) => measured.has(id)).map(([, one]) => one);
  assert.equal(primed.length, position?.primed.length);
  assert.deepEqual(summary["priming"], { "sent": primed.length, "failed": 0 });
  for (const one of primed) {
    const body = JSON.parse(one.body);
    assert.equal(body.max_tokens ?? body.max_completion_tokens, 1);
    assert.equal(body.min_tokens, undefined);
    assert.equal(markerOf(one), markerOf(played[0] as Served));
    for (const { arrivedMs } of played) assert.ok(one.endedMs <= arrivedMs);
  }
  // What a primed call has in the cache is the head of the next call of its agent.
  const texts = (one: Served): string => JSON.parse(one.body).messages[0].content;
  const heads = primed.map((one) => texts(one).slice(0, 100));
  assert.ok(played.every((one) => heads.some((head) => texts(one).startsWith(head))));
});

Deno.test("profile sends the first calls of entered sessions after their recorded time, or at once", async () => {
  const args = [
    ...["--trajectory-start-min-ratio", "0.25", "--trajectory-start-max-ratio", "0.25"],
    ...["--tool-time", "scale:0.1", "--user-time", "scale:0.1"],
  ];
  const sincePriming = async (more: readonly string[]): Promise<number[]> => {
    const { served, rows } = await replay("weka_subagents_tiered.json", [...args, ...more]);
    const measured = new Set(rows.map((row) => row.x_request_id));
    const primedMs = Math.max(
      ...[...served].flatMap(([id, { endedMs }]) => measured.has(id) ? [] : [endedMs]),
    );
    return rows.map((row) => (served.get(row.x_request_id) as Served).arrivedMs - primedMs)
      .sort((a, b) => a - b);
  };
  // Recorded 7.9 s and 30 s after the position.
  const [spread = NaN] = await sincePriming([]);
  assert.ok(spread >= 790);
  const [burst = NaN, later = NaN] = await sincePriming(["--burst-phase-starts"]);
  assert.ok(burst < 790, `${burst} ms`);
  // The first call may reach the server late, so the distance may be shorter there.
  assert.ok(later - burst >= 2210 - SLACK_MS, `agents ${later - burst} ms apart, not 2210`);
});

Deno.test("profile lets nothing of the run be in flight no longer than --system-idle-gap-cap-seconds", async () => {
  const { served, rows } = await replay("weka_subagents_tiered.json", [
    ...["--tool-time", "recorded", "--user-time", "recorded"],
    ...["--system-idle-gap-cap-seconds", "0.05"],
  ]);
  assert.equal(rows.length, served.size);
  const spans = [...served.values()].sort((a, b) => a.arrivedMs - b.arrivedMs);
  let endedMs = spans[0]?.endedMs as number;
  for (const span of spans.slice(1)) {
    assert.ok(span.arrivedMs - endedMs <= 50 + SLACK_MS, `${span.arrivedMs - endedMs} ms idle`);
    endedMs = Math.max(endedMs, span.endedMs);
  }
});

for (
  const kind of [
    ...["system-prefix", "system-suffix", "first-turn-prefix", "first-turn-suffix"],
  ]
) {
  Deno.test(`profile marks all agents and priming calls of a session with --cache-bust ${kind}`, async () => {
    const { served, rows, summary } = await replay("otel_otlp.json", [
      ...["--cache-bust", kind, "--trajectory-start-min-ratio", "0.3"],
    ]);
    assert.ok(served.size > rows.length, "there are priming calls");
    const markers = new Set([...served.values()].map(markerOf));
    assert.equal(markers.size, 1, [...markers].join());
    assert.match([...markers].join(), /^\[rid:\d{12}\]$/);
    for (const { body } of served.values()) {
      const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] };
      const system = messages.find(({ role }) => role === "system");
      const marked = kind.startsWith("system") && system !== undefined
        ? system
        : messages.find(({ role }) => role === "user");
      const wanted = kind.endsWith("prefix") ? /^\[rid:\d+\]\n\n/ : /\n\n\[rid:\d+\]$/;
      assert.match(marked?.content ?? "", wanted);
    }
    const salt = summary["input_tokens_salt"] as { readonly avg: number } | undefined;
    if (salt !== undefined) assert.equal(salt.avg, "[rid:012345678901]\n\n".length);
  });
}

Deno.test("profile marks no measured session with --cache-bust none, and notes it", async () => {
  const { served, summary } = await replay("dag_nested.jsonl", ["--cache-bust", "none"]);
  assert.ok([...served.values()].every((one) => markerOf(one) === ""));
  assert.match(JSON.stringify(summary), /--cache-bust none/);
});

Deno.test("profile has priming calls in no count of the servers that it compares with", async () => {
  using mock = await startLocalMock(["--prefix-cache"]);
  await withFolder(async (folder) => {
    const { code, stdout, stderr } = await runCli([
      ...["profile", "--artifact-dir", `${folder}/run`, "--url", mock.url, "--streaming"],
      ...["--input-file", AGENTS_WEKA, "--tool-time", "none"],
      ...["--trajectory-start-min-ratio", "0.5", "--burst-phase-starts"],
      ...["--server-metrics-flush-period", "0"],
    ]);
    assert.equal(code, 0, stderr);
    const path = `${folder}/run/profile_export_aiperf.json`;
    const summary = JSON.parse(await Deno.readTextFile(path));
    assert.ok(summary["priming"]["sent"] > 0);
    assert.match(stdout, /^agree +requests, tokens/m);
  });
});
