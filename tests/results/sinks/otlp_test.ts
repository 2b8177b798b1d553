import assert from "node:assert/strict";
import fc from "fast-check";
import type { RequestRecord } from "../../../src/measurement/metrics/request_record.ts";
import type { OtlpPlan } from "../../../src/config/plan/systems_plan.ts";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import { BucketCounter } from "../../../src/results/sinks/bucket_counter.ts";
import { OtlpContext } from "../../../src/results/sinks/otlp_context.ts";
import {
  metricsMessage,
  partialSuccess,
  spansMessage,
} from "../../../src/results/sinks/otlp_message.ts";
import { RequestMeter } from "../../../src/results/sinks/request_meter.ts";
import { isSampled, requestSpans, traceId } from "../../../src/results/sinks/request_spans.ts";
import { resultGauges } from "../../../src/results/sinks/result_gauges.ts";
import { recordWith } from "../../support/records.ts";
import { BASE_EPOCH_NS, MACHINE, reportWith } from "../../support/reports.ts";
import { parseOtlp, systemsTest } from "../../support/systems_python.ts";

const PLAN = { provider: "vllm", resourceAttributes: [["team", "infra"]] } as unknown as OtlpPlan;
const ID = "0497f286-61bd-41ce-a8b8-97da0f8f5504";

const context = new OtlpContext({
  plan: {
    benchmarkId: "0123456789ab",
    models: ["a", "b"],
    endpointType: "chat",
    cliCommand: "inferometer profile",
    targets: [{ origin: { hostname: "node1", port: 8000 } }],
  } as unknown as RunPlan,
  baseEpochNs: BASE_EPOCH_NS,
  machine: MACHINE,
  tokenizer: "builtin",
  hasImages: false,
  threads: [],
}, PLAN);

// deno-lint-ignore no-explicit-any -- messages are read as a stranger reads them
type Message = any;

function attributes(part: Message): Record<string, unknown> {
  return Object.fromEntries(
    part.attributes.map(({ key, value }: Message) => [key, Object.values(value)[0]]),
  );
}

function spansOf(record: RequestRecord, requestId = ID, error?: string): Message[] {
  const trace = traceId(requestId, record, context.benchmarkId);
  return requestSpans(context, record, { requestId, finishReason: "stop", error }, trace);
}

Deno.test("BucketCounter puts each value into the one bucket that it belongs to", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 1 }),
      fc.array(fc.integer({ min: -60, max: 60 })),
      (someBounds, values) => {
        const bounds = someBounds.toSorted((a, b) => a - b);
        const counter = new BucketCounter(bounds);
        values.forEach((value) => counter.add(value));
        const wanted = [...bounds, Infinity].map((upper, i) =>
          values.filter((value) => value <= upper && value > (bounds[i - 1] ?? -Infinity)).length
        );
        assert.deepEqual(counter.counts, wanted);
        assert.equal(counter.count, values.length);
        assert.equal(counter.sum, values.reduce((sum, value) => sum + value, 0));
      },
    ),
  );
});

Deno.test("RequestMeter counts requests by the conventions, failures by their kind", () => {
  const meter = new RequestMeter(context);
  meter.add(recordWith({ index: 0 }));
  meter.add(recordWith({ index: 1, model: 1 }));
  meter.add(recordWith({ index: 2, error: "http_status", status: 503 }));
  meter.add(recordWith({ index: 4, phase: 0 }));
  meter.add(recordWith({ index: 6, error: "cancelled" }));
  const metrics = new Map(meter.metrics().map((metric: Message) => [metric.name, metric]));
  const duration = metrics.get("gen_ai.client.operation.duration");
  assert.deepEqual(
    duration.histogram.dataPoints.map((point: Message) => [
      attributes(point)["gen_ai.request.model"],
      attributes(point)["error.type"],
      point.count,
      point.sum,
    ]),
    [["a", undefined, "1", 0.1], ["b", undefined, "1", 0.1], ["a", "503", "1", 0.101]],
  );
  const [point] = duration.histogram.dataPoints;
  assert.equal(attributes(point)["server.address"], "node1");
  assert.equal(attributes(point)["server.port"], "8000");
  assert.equal(attributes(point)["gen_ai.provider.name"], "vllm");
  assert.equal(point.explicitBounds[4], 0.16);
  assert.equal(point.startTimeUnixNano, String(BASE_EPOCH_NS + 1_000_000_000n));
  const tokens = metrics.get("gen_ai.client.token.usage").histogram.dataPoints;
  assert.deepEqual(
    tokens.map((point: Message) => [attributes(point)["gen_ai.token.type"], point.sum]),
    [["input", 10], ["output", 5], ["input", 10], ["output", 5]],
  );
  const chunks = metrics.get("gen_ai.client.operation.time_per_output_chunk").histogram;
  assert.deepEqual(chunks.dataPoints.map(({ count }: Message) => count), ["2", "2"]);
  const requests = metrics.get("inferometer.requests").sum;
  assert.deepEqual(requests.dataPoints.map(({ asInt }: Message) => asInt), ["1", "1", "1"]);
});

Deno.test("requestSpans gives a trace of the request's phases under its own ID", () => {
  const [root, ...children] = spansOf(recordWith({
    reused: 0,
    connectingNs: 5e6,
    dnsNs: 1e6,
    sendStartNs: 1e9 + 6e6,
    sendEndNs: 1e9 + 7e6,
  }));
  assert.equal(root.traceId, ID.replaceAll("-", ""));
  assert.equal(root.name, "chat a");
  assert.equal(root.kind, 3);
  assert.equal(root.status, undefined);
  const { "gen_ai.usage.output_tokens": tokens } = attributes(root);
  assert.equal(tokens, "5");
  assert.equal(root.events[0].timeUnixNano, String(BASE_EPOCH_NS + 1_080_000_000n));
  assert.deepEqual(children.map(({ name }) => name), ["connect", "send", "wait", "receive"]);
  let end = BigInt(root.startTimeUnixNano);
  for (const child of children) {
    assert.equal(child.parentSpanId, root.spanId);
    assert.equal(child.traceId, root.traceId);
    assert.ok(BigInt(child.startTimeUnixNano) >= end, child.name);
    end = BigInt(child.endTimeUnixNano);
  }
  assert.ok(end <= BigInt(root.endTimeUnixNano));
  const ids = [root, ...children].map(({ spanId }) => spanId);
  assert.equal(new Set(ids).size, ids.length);
});

Deno.test("requestSpans marks what failed, and keeps to what is known of it", () => {
  const none = { firstBodyNs: NaN, lastBodyNs: NaN, headNs: NaN, lastEventNs: NaN, status: 0 };
  const fields = {
    ...none,
    chunkNs: new Float64Array(0),
    completionTokens: NaN,
    outputTokens: NaN,
  };
  const [root, ...children] = spansOf(recordWith({ ...fields, error: "timeout" }), "", "too slow");
  assert.deepEqual(root.status, { "code": 2, "message": "too slow" });
  assert.equal(attributes(root)["error.type"], "timeout");
  assert.ok(!("gen_ai.usage.output_tokens" in attributes(root)));
  assert.match(root.traceId, /^[0-9a-f]{32}$/);
  assert.deepEqual(children.map(({ name }) => name), ["send", "wait"]);
  assert.equal(children[1].endTimeUnixNano, root.endTimeUnixNano);
  assert.deepEqual(spansOf(recordWith({ startNs: NaN, error: "worker_lost" })), []);
});

Deno.test("traceId tells requests apart that have no ID, or one that is no UUID", () => {
  const first = recordWith({ index: 1 });
  const ids = [
    traceId("", first, "run"),
    traceId("", recordWith({ index: 2 }), "run"),
    traceId("", first, "another run"),
    traceId("mine", first, "run"),
  ];
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) {
    // All four parts of an ID are of use.
    assert.equal(new Set(id.match(/.{8}/g)).size, 4, id);
  }
  assert.equal(traceId("", first, "run"), ids[0]);
  // Worked out by another program: collectors know the traces of earlier exports by their IDs.
  assert.equal(traceId("mine", first, "run"), "3e82c9dde48e0f8cd97338111c805942");
});

Deno.test("isSampled picks the share that was asked for, always the same traces", () => {
  const traces = Array.from({ length: 20_000 }, () => crypto.randomUUID().replaceAll("-", ""));
  const share = (ratio: number): string[] => traces.filter((trace) => isSampled(trace, ratio));
  assert.equal(share(1).length, traces.length);
  assert.equal(share(0).length, 0);
  const tenth = share(0.1);
  // Six standard deviations.
  assert.ok(Math.abs(tenth.length - 2000) < 255, String(tenth.length));
  const half = new Set(share(0.5));
  assert.ok(tenth.every((trace) => half.has(trace)), "a larger share has the smaller one in it");
});

Deno.test("partialSuccess reads what was refused", () => {
  assert.deepEqual(partialSuccess(""), { rejected: 0, reason: "" });
  assert.deepEqual(partialSuccess("null"), { rejected: 0, reason: "" });
  assert.deepEqual(partialSuccess('{"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}}'), {
    rejected: 3,
    reason: "no",
  });
});

await systemsTest(
  "opentelemetry.proto",
  "messages are what OpenTelemetry's own definitions read, to the last field",
  async (python) => {
    const meter = new RequestMeter(context);
    const records = [
      recordWith(),
      recordWith({ index: 1, model: 1, error: "timeout", lastEventNs: NaN }),
      recordWith({ index: 2, error: "connect", firstBodyNs: NaN, chunkNs: new Float64Array(0) }),
    ];
    records.forEach((record) => meter.add(record));
    const spans = records.flatMap((record) => spansOf(record, crypto.randomUUID(), "why \ud800"));
    const names = await parseOtlp(python, [
      [
        "metrics",
        metricsMessage(context.resource, [...meter.metrics(), ...resultGauges(reportWith())]),
      ],
      ["traces", spansMessage(context.resource, spans)],
    ]);
    for (
      const name of [
        ...["gen_ai.client.operation.duration", "gen_ai.client.token.usage"],
        ...["inferometer.requests", "inferometer.run.request_latency", "chat b", "receive"],
      ]
    ) {
      assert.ok(names.includes(name), name);
    }
  },
);
