/** No word of a server changes the code of a run's end, its exit code, or what is made of it. */

import assert from "node:assert/strict";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { withFolder } from "../support/artifacts.ts";
import { withMock } from "../support/local_mock.ts";
import { runProfile } from "../support/profile_run.ts";
import { goodReply, startRecordingServer } from "../support/recording_server.ts";
import { runCli } from "../support/run_cli.ts";

/** What our own files say of runs that ended early, and words of systems. */
const WORDS = [
  "it began too late, 1201 ms later than agreed: more than --max-late 1 s allows",
  "all of the first 10 requests were refused: connection refused (os error 111)",
  "the first 10 requests were all refused, the last one with HTTP 404",
  "the server was unreachable for 10 s, in 10 attempts in a row",
  "19 of 20 requests failed, more than --max-error-rate 0.1 allows",
  "the input file cannot be read on: a.jsonl:1:1",
  "ttft.p99 < 1 ms cannot be met any more after 100 requests, however good the rest is",
  "disk full: No space left on device (os error 28); too many open files (os error 24)",
  '"ended_early_reason": "internal", "was_cancelled": true',
].join("; ");

const LOAD = ["--streaming", "--isl", "10", "--concurrency", "2"];

/** Replies that fail, with the words wherever a server has a place for words. */
const FAILURES: Readonly<Record<string, () => Response>> = {
  "an error's body": () => Response.json({ "error": { "message": WORDS } }, { status: 500 }),
  "a body that is text": () => new Response(WORDS, { status: 503 }),
  "an event of a stream": () =>
    new Response(`data: ${JSON.stringify({ "error": { "message": WORDS } })}\n\n`, {
      headers: { "Content-Type": "text/event-stream" },
    }),
  "no stream at all": () =>
    new Response(WORDS, { headers: { "Content-Type": "text/event-stream" } }),
};

Deno.test("what a server says in failures is nobody's reason to end", async (t) => {
  for (const [place, failure] of Object.entries(FAILURES)) {
    await t.step(place, () =>
      withFolder(async (folder) => {
        await using server = startRecordingServer({
          answer: ({ body }, number) => number % 3 === 0 ? failure() : goodReply(body),
        });
        const { code, stderr, artifacts: { json } } = await runProfile(folder, [
          ...["--url", server.url, "--model", "m", ...LOAD, "--request-count", "30"],
        ]);
        assert.equal(code, 0, stderr);
        assert.deepEqual([json.ended_early, json.ended_early_reason], [null, null]);
        assert.equal(json.requests.failed, 10);
        assert.equal(json.requests.sent, 30);
        const problems = json.client_health.problems.filter((text: string) =>
          /descriptor/.test(text)
        );
        assert.deepEqual(problems, []);
      }));
  }
});

Deno.test("a run that ends early has the code of what ended it, whatever the server says", async (t) => {
  const cases: readonly [reason: string, () => Response, args: readonly string[]][] = [
    ["all_refused", () => new Response(WORDS, { status: 404 }), []],
    ["error_rate", () => new Response(WORDS, { status: 500 }), ["--max-error-rate", "0.5"]],
  ];
  for (const [reason, failure, args] of cases) {
    await t.step(reason, () =>
      withFolder(async (folder) => {
        await using server = startRecordingServer({ answer: failure });
        const { code, artifacts: { json } } = await runProfile(folder, [
          ...["--url", server.url, "--model", "m", ...LOAD, "--request-count", "5000", ...args],
        ]);
        assert.deepEqual([code, json.ended_early_reason], [1, reason]);
        const stored = JSON.parse(await Deno.readTextFile(`${folder}/run/run.json`)).summary;
        assert.deepEqual([stored.endedEarly, stored.ended_early_reason], [
          ...[json.ended_early, reason],
        ]);
      }));
  }
});

Deno.test("a gate is not met by a stopped run unless that is allowed, and names the code", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer({
      answer: ({ body }, number) =>
        number % 2 === 0 ? new Response(WORDS, { status: 500 }) : goodReply(body),
    });
    const run = await runProfile(folder, [
      ...["--url", server.url, "--model", "m", ...LOAD, "--request-count", "5000"],
      ...["--max-error-rate", "0.2"],
    ]);
    assert.deepEqual([run.code, run.artifacts.json.ended_early_reason], [1, "error_rate"]);
    const gated = ["gate", folder, "--slo", "ttft.p99<60s"];
    const { code, stderr } = await runCli(gated);
    assert.equal(code, 1, stderr);
    assert.equal((await runCli([...gated, "--allow-damaged"])).code, 0);
    assert.match(stderr, /is partial: it ended early: \d+ of \d+ requests failed/);
    const gate = JSON.parse(await Deno.readTextFile(`${folder}/gate/gate.json`));
    assert.equal(gate.ended_early_reason, "error_rate");
    // A summary of version 0.1.0, with nothing but its sentence.
    const path = `${folder}/profile_export_aiperf.json`;
    const { ended_early_reason: _, ...old } = run.artifacts.json;
    await Deno.writeTextFile(path, JSON.stringify(old));
    await Deno.remove(`${folder}/run`, { recursive: true });
    assert.equal((await runCli(gated)).code, 1);
    const again = JSON.parse(await Deno.readTextFile(`${folder}/gate/gate.json`));
    assert.equal(again.ended_early_reason, "error_rate");
    const { runs } = JSON.parse((await runCli(["runs", folder, "--json"])).stdout);
    assert.equal(runs[0].ended_early_reason, "error_rate");
  }));

Deno.test("a sweep leaves out the point that was stopped, and a search names what ended its runs", () =>
  withMock({ ttft: latencyDistribution("5"), itl: latencyDistribution("1") }, async ({ url }) => {
    await withFolder(async (folder) => {
      await using server = startRecordingServer({
        // Only of the first point's requests does none fail.
        answer: ({ body }, number) =>
          number < 40 ? goodReply(body) : new Response(WORDS, { status: 500 }),
      });
      const sweep = await runCli([
        ...["profile", "--no-server-metrics", "--url", server.url, "--model", "m"],
        ...["--streaming", "--isl", "10", "--concurrency", "1,2", "--request-count", "40"],
        ...["--max-error-rate", "0.5", "--artifact-dir", `${folder}/sweep`],
      ]);
      assert.equal(sweep.code, 1);
      assert.match(sweep.stderr, /No request succeeded in concurrency=2/);
      const table = JSON.parse(
        await Deno.readTextFile(
          `${folder}/sweep/sweep_aggregate/profile_export_aiperf_sweep.json`,
        ),
      );
      const points = table.per_combination_metrics;
      assert.deepEqual(points.map((point: Record<string, unknown>) => point.ended_early_reason), [
        null,
      ]);
      assert.deepEqual(
        table.failed_runs.map((run: Record<string, unknown>) => run.ended_early_reason),
        ["error_rate"],
      );

      const search = await runCli([
        ...["profile", "--no-server-metrics", "--url", url, "--streaming", "--isl", "10"],
        ...["--osl", "8", "--request-count", "200", "--search", "max-concurrency"],
        ...["--slo", "ttft.p99<1us", "--artifact-dir", `${folder}/search`],
      ]);
      assert.equal(search.code, 3, search.stderr);
      assert.doesNotMatch(search.stderr, /ends early/, "its lines say so");
      const found = JSON.parse(await Deno.readTextFile(`${folder}/search/search_export.json`));
      assert.match(found.points[0].ended_early, /can no longer be met/);
      assert.equal(found.points[0].ended_early_reason, "slo_unreachable");
    });
  }));
