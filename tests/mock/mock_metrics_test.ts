/** The page `/metrics` against what was really served. */

import assert from "node:assert/strict";
import { ExpositionHistogram } from "../../src/mock/exposition_histogram.ts";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { MockMetrics } from "../../src/mock/mock_metrics.ts";
import { withMock } from "../support/local_mock.ts";
import type { ServedRequest } from "../support/mock_process.ts";
import { exchangeOnce, RawConnection } from "../support/raw_connection.ts";
import { isClose } from "../support/recomputed.ts";
import { until } from "../support/until.ts";

const CHAT = "/v1/chat/completions";

/** The values of a page by their names with labels, and the types by names. */
interface Page {
  readonly values: ReadonlyMap<string, number>;
  readonly types: ReadonlyMap<string, string>;
  value(name: string): number;
  /** Cumulative counts by bound, in their order. */
  buckets(name: string): [number, number][];
}

const LABELS = 'engine="0",model_name="mock-model"';

async function readPage(port: number): Promise<Page> {
  const { headers, body } = await exchangeOnce(port, "GET", "/metrics");
  assert.equal(headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  const lines = body.split("\n");
  assert.equal(lines.pop(), "", "the page ends with a line end");
  const values = new Map<string, number>();
  const types = new Map<string, string>();
  for (const line of lines) {
    if (line.startsWith("# HELP ")) continue;
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (type !== null) {
      assert.ok(!types.has(type[1] as string), `${type[1]} stands there twice`);
      types.set(type[1] as string, type[2] as string);
      continue;
    }
    const sample = /^([a-z0-9_:]+\{[^}]*\}) (\S+)$/.exec(line);
    assert.ok(sample !== null, `no sample: ${line}`);
    const [, series = "", value] = sample;
    assert.ok(!values.has(series), `${series} stands there twice`);
    values.set(series, Number(value));
  }
  const value = (name: string): number => {
    const found = values.get(name.includes("{") ? name : `vllm:${name}{${LABELS}}`);
    assert.ok(found !== undefined, `${name} is not there`);
    return found;
  };
  return {
    values,
    types,
    value,
    buckets: (name) =>
      [...values].flatMap(([series, count]): [number, number][] => {
        const match = new RegExp(`^vllm:${name}_bucket\\{le="([^"]+)",`).exec(series);
        if (match === null) return [];
        return [[match[1] === "+Inf" ? Infinity : Number(match[1]), count]];
      }),
  };
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Fails unless a histogram counts exactly these values. */
function isHistogramOf(page: Page, name: string, values: readonly number[]): void {
  assert.equal(page.types.get(`vllm:${name}`), "histogram");
  assert.equal(page.value(`${name}_count`), values.length, name);
  const sum = page.value(`${name}_sum`);
  assert.ok(isClose(sum, total(values)), `${name} sums up to ${sum}, not ${total(values)}`);
  const buckets = page.buckets(name);
  assert.equal(buckets.at(-1)?.[0], Infinity);
  for (const [bound, count] of buckets) {
    assert.equal(count, values.filter((value) => value <= bound).length, `${name} up to ${bound}`);
  }
}

function chat(stream: boolean, tokens: number, words = 1): Record<string, unknown> {
  return {
    "messages": [{ "role": "user", "content": "hello ".repeat(words) }],
    "stream": stream,
    "max_tokens": tokens,
  };
}

function isSuccess({ outcome }: ServedRequest): boolean {
  return outcome === "stop" || outcome === "length";
}

Deno.test("MockServer's counters and histograms equal what was served", () =>
  withMock({
    ttft: latencyDistribution("uniform:0:12"),
    itl: latencyDistribution("uniform:0:4"),
    tokensPerChunk: 3,
    seed: 2,
    tokens: 7,
    faults: new Map([["429", 0.1], ["in-band", 0.1], ["close", 0.1], ["reset", 0.1]]),
  }, async ({ server, stats }) => {
    const requests = Array.from({ length: 40 }, (_, index) => chat(true, 1 + index % 9, index));
    await Promise.all([0, 1, 2, 3].map(async (start) => {
      for (let index = start; index < requests.length; index += 4) {
        await exchangeOnce(server.port, "POST", CHAT, requests[index]);
      }
    }));
    for (let index = 0; index < 5; index++) {
      await exchangeOnce(server.port, "POST", CHAT, chat(false, 4, index));
      await exchangeOnce(server.port, "POST", "/v1/completions", { "prompt": "a b c" });
    }
    const served = await until("all have ended", async () => {
      const { served } = await stats();
      return served.length === 50 && served;
    });
    const page = await readPage(server.port);
    const begun = served.filter(({ outcome }) => outcome !== "429");
    const good = begun.filter(isSuccess);
    assert.ok(good.length > 10 && good.length < begun.length && begun.length < 50);

    for (const reason of ["stop", "length"]) {
      assert.equal(
        page.value(`vllm:request_success_total{finished_reason="${reason}",${LABELS}}`),
        served.filter(({ outcome }) => outcome === reason).length,
      );
    }
    assert.equal(
      page.value(`vllm:request_success_total{finished_reason="abort",${LABELS}}`),
      begun.length - good.length,
    );
    assert.equal(page.value("prompt_tokens_total"), total(begun.map((r) => r.prompt_tokens)));
    assert.equal(page.value("generation_tokens_total"), total(begun.map((r) => r.output_tokens)));
    isHistogramOf(page, "request_prompt_tokens", good.map((r) => r.prompt_tokens));
    isHistogramOf(page, "request_generation_tokens", good.map((r) => r.output_tokens));
    isHistogramOf(
      page,
      "time_to_first_token_seconds",
      begun.map(({ sent_after_ms: sent }) => (sent[0] as number) / 1000),
    );
    assert.equal(page.value("e2e_request_latency_seconds_count"), good.length);
    // A chunk of several tokens counts as so many equal gaps.
    const gaps = begun.flatMap((request) => {
      const { sent_after_ms: sent, output_tokens: tokens } = request;
      return sent.slice(1).flatMap((atMs, index) => {
        const isLast = index === sent.length - 2;
        const size = isLast ? tokens - 3 * (sent.length - 1) : 3;
        const gap = (atMs - (sent[index] as number)) / 1000 / size;
        return Array.from({ length: size }, () => gap);
      });
    });
    assert.equal(page.value("inter_token_latency_seconds_count"), gaps.length);
    assert.ok(isClose(page.value("inter_token_latency_seconds_sum"), total(gaps)));
    for (const gauge of ["num_requests_running", "num_requests_waiting", "kv_cache_usage_perc"]) {
      assert.equal(page.types.get(`vllm:${gauge}`), "gauge");
      assert.equal(page.value(gauge), 0, gauge);
    }
  }));

Deno.test("MockServer's counters stop where a client has left", () =>
  withMock({ itl: latencyDistribution("3") }, async ({ server, stats }) => {
    for (let round = 0; round < 3; round++) {
      using connection = await RawConnection.open(server.port);
      await connection.send("POST", CHAT, chat(true, 20_000));
      await until(
        "tokens come",
        async () => (await readPage(server.port)).value("generation_tokens_total") > round * 2,
      );
      connection.close();
      await until("the server notices", async () => (await stats()).served.length > round);
    }
    // Later alarms of the streams would count here.
    await exchangeOnce(server.port, "POST", CHAT, chat(true, 20));
    const { served } = await stats();
    assert.deepEqual(served.map(({ outcome }) => outcome), [
      ...["aborted", "aborted", "aborted"],
      "length",
    ]);
    const page = await readPage(server.port);
    assert.equal(page.value("generation_tokens_total"), total(served.map((r) => r.output_tokens)));
    assert.equal(page.value("kv_cache_usage_perc"), 0);
  }));

Deno.test("MockServer's gauges show who is served and who waits", () =>
  withMock({ faults: new Map([["stall", 1]]), slots: 2 }, async ({ server }) => {
    const connections: RawConnection[] = [];
    for (let count = 1; count <= 5; count++) {
      const connection = await RawConnection.open(server.port);
      connections.push(connection);
      await connection.send("POST", CHAT, chat(true, 10));
      const page = await until(`${count} requests are there`, async () => {
        const page = await readPage(server.port);
        const there = page.value("num_requests_running") + page.value("num_requests_waiting");
        return there === count && page;
      });
      assert.equal(page.value("num_requests_running"), Math.min(2, count));
      assert.ok(page.value("kv_cache_usage_perc") > 0);
    }
    for (const connection of connections) connection.close();
    await until("all have gone", async () => {
      const page = await readPage(server.port);
      return page.value("num_requests_running") + page.value("num_requests_waiting") === 0;
    });
  }));

Deno.test("MockMetrics writes a model's name as a label", () => {
  const page = new MockMetrics('a"b\\c\nd').exposition();
  assert.ok(page.includes('model_name="a\\"b\\\\c\\nd"'));
  assert.ok(page.split("\n").every((line) => line === "" || /^(#|vllm:)/.test(line)));
});

Deno.test("MockMetrics counts replies with tool calls among those that stopped", () => {
  const metrics = new MockMetrics("m");
  for (const reason of ["stop", "tool_calls", "length"]) metrics.end(reason, 1, 2, 3);
  const success = /^vllm:request_success_total\{.*finished_reason="(\w+)".*\} (\S+)$/gm;
  const counts = [...metrics.exposition().matchAll(success)]
    .map(([, reason, count]) => [reason, Number(count)] as const);
  assert.deepEqual(counts.filter(([, count]) => count > 0), [["stop", 2], ["length", 1]]);
});

Deno.test("ExpositionHistogram counts values up to each bound, bounds included", () => {
  const histogram = new ExpositionHistogram([0.1, 1, 2.5]);
  histogram.observe(0.1);
  histogram.observe(1, 3);
  histogram.observe(1.0000001);
  histogram.observe(99);
  assert.equal(
    histogram.lines("x", 'a="b"'),
    'x_bucket{le="0.1",a="b"} 1.0\n' +
      'x_bucket{le="1.0",a="b"} 4.0\n' +
      'x_bucket{le="2.5",a="b"} 5.0\n' +
      'x_bucket{le="+Inf",a="b"} 6.0\n' +
      'x_count{a="b"} 6.0\n' +
      `x_sum{a="b"} ${0.1 + 3 + 1.0000001 + 99}\n`,
  );
});
