/** How load comes and goes, and what becomes of requests that are cancelled, limited or judged. */

import assert from "node:assert/strict";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { type RecordLine, withFolder } from "../support/artifacts.ts";
import { withMock } from "../support/local_mock.ts";
import { runProfile } from "../support/profile_run.ts";
import { runCli } from "../support/run_cli.ts";

const MODEL = ["--model", "m", "--isl", "5", "--tokenizer", "builtin", "--random-seed", "7"];
const STREAMS = { ttft: latencyDistribution("20"), itl: latencyDistribution("2"), tokens: 4 };

function ns({ metadata }: RecordLine, name: string): number {
  return Number((metadata as unknown as Record<string, unknown>)[name]);
}

function intendedNs(record: RecordLine | undefined): number {
  return record === undefined ? NaN : ns(record, "credit_issued_ns");
}

/** Most requests that were between these two times at once. */
function peak(spans: readonly (readonly [startNs: number, endNs: number])[]): number {
  const steps = spans.flatMap(([start, end]) => [[start, 1], [end, -1]] as const);
  let now = 0;
  return Math.max(
    ...steps.toSorted(([a, up], [b, down]) => a - b || up - down).map(([, step]) => now += step),
  );
}

Deno.test("profile has requests in the numbers that a ramp lets in", () =>
  withMock(STREAMS, (mock) =>
    withFolder(async (folder) => {
      const { code, stderr, artifacts } = await runProfile(folder, [
        ...["--url", mock.url, ...MODEL, "--streaming", "--workers", "2"],
        ...["--concurrency", "6", "--concurrency-ramp-duration", "0.5"],
        ...["--ramp-shape", "steps", "--ramp-steps", "3", "--benchmark-duration", "0.8"],
      ]);
      assert.equal(code, 0, stderr);
      const { records, json } = artifacts;
      const spans = records.map((record) =>
        [ns(record, "request_start_ns"), ns(record, "request_end_ns")] as const
      );
      const startNs = Date.parse(json.start_time) * 1e6;
      const until = (seconds: number) => spans.filter(([start]) => start < startNs + seconds * 1e9);
      assert.ok(peak(until(0.15)) <= 2, "a third of them at first");
      assert.ok(peak(until(0.3)) <= 4);
      assert.ok(peak(spans) <= 6);
      assert.deepEqual(json.inferometer.load_shape.profiling.concurrency_ramp, {
        ...{ "duration": 0.5, "shape": "steps", "steps": 3 },
      });
    })));

Deno.test("profile never has more requests without a token than it may, on several threads", () =>
  withMock(STREAMS, (mock) =>
    withFolder(async (folder) => {
      const { code, stderr, artifacts } = await runProfile(folder, [
        ...["--url", mock.url, ...MODEL, "--streaming", "--workers", "2"],
        ...["--concurrency", "8", "--prefill-concurrency", "2", "--request-count", "40"],
      ]);
      assert.equal(code, 0, stderr);
      const { records, json } = artifacts;
      assert.equal(json.request_count.avg, 40);
      const spans = records.map((record) => {
        const start = ns(record, "request_start_ns");
        const ttftMs = (record.metrics["time_to_first_token"] as { value: number }).value;
        return [start, start + ttftMs * 1e6] as const;
      });
      assert.ok(peak(spans) <= 2, String(peak(spans)));
      assert.ok(json.queue_wait.max > 0, "that others waited is told");
    })));

Deno.test("profile cancels a share on purpose, which counts neither way anywhere", () =>
  withMock({ ...STREAMS, tokens: 200 }, (mock) =>
    withFolder(async (folder) => {
      const args = [
        ...["--url", mock.url, ...MODEL, "--streaming", "--concurrency", "8"],
        ...["--request-count", "40", "--warmup-request-count", "8"],
        ...["--request-cancellation-rate", "50", "--request-cancellation-delay", "0.05"],
        ...["--goodput", "ttft:100000", "--slo", "error_rate<0.1%", "--max-error-rate", "0"],
      ];
      const { code, stdout, artifacts } = await runProfile(folder, args);
      assert.equal(code, 0, stdout);
      const { json, records } = artifacts;
      const cancelled = records.filter(({ metadata }) => metadata.was_cancelled === true);
      const count = cancelled.length;
      assert.ok(count > 5 && count < 35, String(count));
      assert.deepEqual(
        [json.requests.cancelled_on_purpose, json.requests.cancelled, json.requests.failed],
        [count, 0, 0],
      );
      assert.deepEqual([json.error_summary, json.error_request_count.avg], [[], 0]);
      assert.equal(json.request_count.avg, 40 - count);
      assert.equal(json.good_request_fraction.avg, 1);
      assert.match(stdout, new RegExp(`${count} cancelled\\s+on\\s+purpose`));
      for (const { metadata, error } of cancelled) {
        assert.equal(metadata.benchmark_phase, "profiling");
        assert.equal((error as { kind: string }).kind, "cancelled_on_purpose");
      }
      // On a busy machine not every one has its first token by then.
      assert.ok(cancelled.some(({ metrics }) => "time_to_first_token" in metrics), "it stays");
      const report = await runCli(["report", folder]);
      assert.match(report.stdout, new RegExp(`${count} cancelled\\s+on\\s+purpose`));
    })));

Deno.test("profile waits as a server says that had too many requests, and tells it", () =>
  withMock(
    { faults: new Map([["429", 0.3]]), retryAfter: 1 },
    (mock) =>
      withFolder(async (folder) => {
        const { code, stderr, stdout, artifacts } = await runProfile(folder, [
          ...["--url", mock.url, ...MODEL, "--streaming", "--concurrency", "7"],
          ...["--request-count", "14", "--on-429", "wait"],
        ]);
        assert.equal(code, 0, stderr);
        const { json } = artifacts;
        assert.deepEqual([json.request_count.avg, json.requests.failed], [14, 0]);
        const { rate_limit_replies: replies, rate_limit_seconds: seconds } = json.requests;
        assert.ok(replies > 0 && seconds >= replies, `${replies} replies, ${seconds} s`);
        assert.match(
          stdout,
          new RegExp(`${replies} (reply|replies)\\s+of\\s+429\\s+waited\\s+for`),
        );
      }),
  ));

Deno.test("profile fails replies that say too little, and stops when they are too many", () =>
  withMock({ tokens: 4 }, (mock) =>
    withFolder(async (folder) => {
      const { code, stderr, artifacts } = await runProfile(folder, [
        ...["--url", mock.url, ...MODEL, "--streaming", "--concurrency", "1"],
        ...["--request-count", "1000000", "--expect-min-tokens", "5", "--max-error-rate", "0.5"],
      ]);
      assert.equal(code, 1);
      assert.match(stderr, /error: No request succeeded/);
      const { json } = artifacts;
      assert.match(json.ended_early, /requests failed, more than --max-error-rate 0.5 allows$/);
      const [{ error_details: details }] = json.error_summary;
      assert.deepEqual([details.kind, details.message], [
        "unexpected_reply",
        "The reply has 4 output tokens, fewer than --expect-min-tokens 5",
      ]);
    })));

Deno.test("profile has users take turns, each of them once in a round", () =>
  withMock(
    { ttft: latencyDistribution("100"), itl: latencyDistribution("2"), tokens: 4 },
    (mock) =>
      withFolder(async (folder) => {
        const { code, stderr, artifacts } = await runProfile(folder, [
          ...["--url", mock.url, ...MODEL, "--streaming", "--workers", "2"],
          ...["--user-centric-rate", "20", "--num-users", "6", "--session-turns-mean", "3"],
          ...["--num-sessions", "10"],
        ]);
        assert.equal(code, 0, stderr);
        const { records, json } = artifacts;
        assert.equal(json.inferometer.load_shape.profiling.users, 6);
        const sessions = [
          ...Map.groupBy(records, ({ metadata }) => metadata.conversation_id).values(),
        ]
          .map((session) => session.toSorted((a, b) => ns(a, "turn_index") - ns(b, "turn_index")))
          .toSorted(([a], [b]) => intendedNs(a) - intendedNs(b));
        // The first is fresh, the others are the older the later they come; then places are taken.
        assert.deepEqual(sessions.map(({ length }) => length), [3, 3, 2, 2, 1, 1, 3, 3, 3, 3]);
        const zeroNs = intendedNs(sessions[0]?.[0]);
        assert.deepEqual(
          sessions.map(([first]) => Math.round((intendedNs(first) - zeroNs) / 1e6)),
          [0, 50, 100, 150, 200, 250, 500, 550, 700, 750],
        );
        for (const session of sessions) {
          for (const [turn, record] of session.slice(1).entries()) {
            const before = session[turn] as RecordLine;
            const roundNs = intendedNs(before) + 300e6;
            const dueNs = Math.max(roundNs, ns(before, "request_end_ns"));
            // A reply ends a little after its last token.
            const lateNs = intendedNs(record) - dueNs;
            assert.ok(lateNs > -1e4 && (dueNs > roundNs || lateNs < 1e4), `${lateNs} ns late`);
          }
        }
      }),
  ));

Deno.test("profile refuses load shapes that cannot be, naming option and place", async (t) => {
  const refused: readonly [args: readonly string[], message: RegExp][] = [
    [["--concurrency-ramp-duration", "5"], /--concurrency-ramp-duration: Needs --concurrency/],
    [["--prefill-concurrency", "2"], /--prefill-concurrency: Needs --streaming/],
    [
      ["--streaming", "--concurrency", "2", "--prefill-concurrency", "3"],
      /--prefill-concurrency: Must not exceed --concurrency/,
    ],
    [
      ["--request-rate-series", '[{"time_s":0,"qps":1},{"time_s":5,"qps":0}]'],
      /--request-rate-series: column 41: qps: /,
    ],
    [["--request-rate-series", "nowhere.json"], /nowhere\.json: File does not exist/],
    [["--expect-regex", "(a"], /--expect-regex: Not a pattern in RE2's syntax/],
    [
      ["--request-rate", "5", "--arrival-pattern", "concurrency-burst"],
      /--arrival-pattern: concurrency-burst has no rate/,
    ],
    [["--request-cancellation-delay", "1"], /Needs --request-cancellation-rate/],
  ];
  for (const [args, message] of refused) {
    await t.step(args.join(" "), async () => {
      const { code, stderr } = await runCli(["profile", "--model", "m", ...args]);
      assert.match(stderr, message);
      assert.equal(code, 2);
    });
  }
});
