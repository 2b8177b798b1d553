/** Conversations of several turns through the whole program, as a server sees them. */

import assert from "node:assert/strict";
import { PROFILE_JSON_SCHEMA } from "../../src/report/export/schemas/profile_json_schema.ts";
import { PrefixCache } from "../../src/mock/prefix_cache.ts";
import { type RecordLine, withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { runProfile } from "../support/profile_run.ts";
import { runCli } from "../support/run_cli.ts";
import { valueOf } from "../support/recomputed.ts";
import { schemaProblems } from "../support/schema_problems.ts";

const SESSIONS = [
  ...["--streaming", "--concurrency", "3", "--num-sessions", "6", "--random-seed", "5"],
  ...["--session-turns-mean", "3", "--session-turns-stddev", "1", "--isl", "40", "--osl", "5"],
  ...["--tokenizer", "builtin"],
];

/** Records of each session in the order of their turns. */
function sessionsOf(records: readonly RecordLine[]): Map<unknown, RecordLine[]> {
  const sessions = Map.groupBy(records, ({ metadata }) => metadata["x_correlation_id"]);
  for (const turns of sessions.values()) {
    turns.sort((a, b) => Number(a.metadata["turn_index"]) - Number(b.metadata["turn_index"]));
  }
  return sessions;
}

Deno.test("a session's requests carry its history, and its records say which turn they are", async () => {
  using mock = await startLocalMock(["--prefix-cache"]);
  await withFolder(async (folder) => {
    const run = await runProfile(folder, [
      ...["--url", mock.url, ...SESSIONS, "--workers", "2", "--export-level", "raw"],
      ...["--session-turn-delay-mean", "5", "--session-header", "X-Session"],
      ...["--connection-reuse-strategy", "sticky-user-sessions", "--export-http-trace"],
    ]);
    assert.equal(run.code, 0, run.stderr);
    const { json, csv, records, consoleText } = run.artifacts;
    const inputs = JSON.parse(await Deno.readTextFile(`${folder}/inputs.json`));
    const lengths: number[] = inputs.data.map(({ payloads }: { payloads: [] }) => payloads.length);
    assert.ok(new Set(lengths).size > 1, "sessions have several lengths");
    const sessions = [...sessionsOf(records).values()];
    assert.equal(sessions.length, 6);
    for (const turns of sessions) {
      const number = Number(turns[0]?.metadata["session_num"]);
      assert.equal(turns.length, lengths[number]);
      turns.forEach(({ metadata }, turn) => {
        assert.equal(metadata["turn_index"], turn);
        assert.equal(metadata["conversation_id"], `session_${String(number).padStart(6, "0")}`);
        assert.equal(metadata["x_correlation_id"], turns[0]?.metadata.x_request_id);
        assert.equal(metadata["worker_id"], turns[0]?.metadata["worker_id"]);
      });
      const isl = turns.map((record) => valueOf(record, "input_sequence_length"));
      isl.slice(1).forEach((tokens, i) => {
        const own = tokens - (isl[i] as number);
        assert.equal(own, 40 + 5, "the prompt of the turn, and the reply to the one before");
      });
      // One connection for the whole session, of which the first request says what it cost.
      const reused = turns.map((record) => valueOf(record, "http_req_connection_reused"));
      assert.deepEqual(reused, turns.map((_, turn) => turn === 0 ? 0 : 1));
    }

    // What the server got is what the raw records say that it got.
    const raw = (await Deno.readTextFile(`${folder}/profile_export_raw.jsonl`)).trim().split("\n")
      .map((line) => JSON.parse(line));
    const stats = await mock.stats() as unknown as {
      served: { request_id: string; input_digest: string }[];
    };
    const digests = new Map(stats.served.map((one) => [one.request_id, one.input_digest]));
    for (const { metadata, payload } of raw) {
      const texts: string[] = payload.messages.map(({ content }: { content: string }) => content);
      assert.equal(texts.length, 2 * metadata.turn_index + 1);
      assert.equal(digests.get(metadata.x_request_id), new PrefixCache().take(texts, []).digest);
    }

    // Tables by turn, in all outputs.
    assert.deepEqual(schemaProblems(PROFILE_JSON_SCHEMA, json), []);
    const { turns, started, completed, failed, unsent_turns: unsent, tokens } = json.sessions;
    assert.deepEqual([started, completed, failed, unsent], [6, 6, 0, 0]);
    assert.ok(tokens.cached_server > 0 && json.session_ideal_hit_rate.avg > 0);
    assert.ok(json.sampling_error.session_duration.avg.upper > 0);
    const longest = Math.max(...lengths);
    assert.equal(turns.length, longest);
    turns.forEach((turn: typeof turns[number], place: number) => {
      const { metrics } = turn;
      assert.equal(turn.turn, place + 1);
      assert.equal(turn.succeeded, lengths.filter((length) => length > place).length);
      assert.equal(metrics.input_sequence_length.avg, 40 + 45 * place);
      // All but the newest message was in the cache.
      const cached = metrics.usage_prompt_cache_read_tokens.avg;
      assert.ok(place === 0 ? cached === 0 : cached > 40 * place, `turn ${place}: ${cached}`);
    });
    assert.match(csv, /\r\n\r\nTurn,Succeeded,Failed,Metric,avg,.*\r\n1,6,0,/);
    assert.match(consoleText, /turn +requests +TTFT ms .*cached %\n1 +6 /);
    const page = await Deno.readTextFile(`${folder}/report.html`);
    assert.match(
      page,
      /6 of 6 sessions completed, .*<th scope="row">1<\/th><td>6<\/td><td>0<\/td>/s,
    );
    assert.match(consoleText, /sessions: 6 of 6 completed/);
    // The page of conversations, which the report leads to, and which is made again with it.
    assert.match(page, /<a href="conversations.html">/);
    const path = `${folder}/conversations.html`;
    const conversations = await Deno.readTextFile(path);
    assert.match(conversations, /<a href="report.html">/);
    for (const id of ["turn-prompts", "turn-ttft", "turn-itl", "turn-latency", "turn-requests"]) {
      assert.match(conversations, new RegExp(`id="chart-${id}"`));
    }
    const last = 40 + 45 * (longest - 1);
    assert.match(
      conversations,
      new RegExp(
        `Prompts grow from 40\\S* to ${last}\\S* tokens, of the last [5-9]\\S+ % from a cache`,
      ),
    );
    assert.doesNotMatch(conversations, /<script/);
    await Deno.remove(path);
    assert.equal((await runCli(["report", folder])).code, 0);
    assert.equal(await Deno.readTextFile(path), conversations);
  });
});

Deno.test("a session ends with a request that fails, and the run says what was not sent", async () => {
  using mock = await startLocalMock(["--faults", "500:0.3", "--seed", "2"]);
  await withFolder(async (folder) => {
    const { code, stdout, artifacts } = await runProfile(folder, ["--url", mock.url, ...SESSIONS]);
    assert.equal(code, 0, stdout);
    const { json, records } = artifacts;
    const inputs = JSON.parse(await Deno.readTextFile(`${folder}/inputs.json`));
    let unsent = 0;
    for (const turns of sessionsOf(records).values()) {
      const failed = turns.findIndex(({ error }) => error !== undefined);
      assert.ok(failed < 0 || failed === turns.length - 1, "nothing follows a failed turn");
      unsent += inputs.data[Number(turns[0]?.metadata["session_num"])].payloads.length -
        turns.length;
    }
    const failed = records.filter(({ error }) => error !== undefined).length;
    assert.ok(failed > 0 && unsent > 0, "the seed draws failures before last turns");
    assert.equal(json.sessions.failed, failed);
    assert.equal(json.sessions.completed, 6 - failed);
    assert.equal(json.sessions.unsent_turns, unsent);
    assert.ok(json.notes.some((note: string) => note.startsWith(`${unsent} turn`)), json.notes);
  });
});

Deno.test("a number of requests is exact, and cuts sessions; it and warm-up count sessions apart", async () => {
  using mock = await startLocalMock([]);
  await withFolder(async (folder) => {
    const { code, stderr, artifacts } = await runProfile(folder, [
      ...["--url", mock.url, "--streaming", "--concurrency", "4", "--request-count", "21"],
      ...["--session-turns-mean", "5", "--osl", "2", "--isl", "20", "--workers", "2"],
      ...["--num-warmup-sessions", "2"],
    ]);
    assert.equal(code, 0, stderr);
    const { json, records } = artifacts;
    const phase = (name: string) =>
      records.filter(({ metadata }) => metadata.benchmark_phase === name);
    assert.equal(phase("warmup").length, 10);
    assert.equal(phase("profiling").length, 21);
    assert.equal(json.requests.sent, 21);
    assert.equal(json.is_complete, true);
    assert.equal(json.sessions.started * 5 - 21, json.sessions.unsent_turns);
    const names = (name: string) =>
      new Set(phase(name).map(({ metadata }) => metadata["conversation_id"]));
    assert.ok(names("warmup").isDisjointFrom(names("profiling")), "prompts of their own");
  });
});

Deno.test("sessions of several turns are refused where the API has none", async () => {
  const { code, stderr } = await runCli([
    ...["profile", "--model", "m", "--endpoint-type", "completions", "--session-turns-mean", "2"],
  ]);
  assert.equal(code, 2);
  assert.match(
    stderr,
    /--session-turns-mean: Endpoint type completions takes one prompt at a time: .*chat/,
  );
});
