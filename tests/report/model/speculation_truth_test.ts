import assert from "node:assert/strict";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import { readServerWork } from "../../../src/client/endpoint/protocol/server_work.ts";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import type {
  MetricResult,
  MetricResults,
} from "../../../src/measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../../src/measurement/metrics/metric_tag.ts";
import type { RequestCounts } from "../../../src/report/model/request_counts.ts";
import {
  type SpeculationTruth,
  speculationTruth,
} from "../../../src/report/model/speculation_truth.ts";
import { speculationTruthItems } from "../../../src/report/console/speculation_truth_items.ts";
import type { ServerRoles } from "../../../src/report/model/server_roles.ts";
import { reportOfPages } from "../../support/metrics_pages.ts";

const CAPTURES = "/work/shared/cases/servers/captures2";
const hasCaptures = await Deno.stat(CAPTURES).then(() => true, () => false);
const NO_RESULTS: MetricResults = new Map();

function truthOf(roles: ServerRoles | undefined, results: MetricResults = NO_RESULTS) {
  const [plan, requests] = [{} as RunPlan, {} as RequestCounts];
  return speculationTruth({ plan, requests, results, roles });
}

function rolesOf(before: string, after: string): ServerRoles {
  const pages = [[0, before], [0.5, after], [1, after]] as const;
  return reportOfPages(pages, { start: 0.1, end: 1 }).roles;
}

/** Results of metrics of requests, each with its values. */
function resultsOf(values: Partial<Record<MetricTag, readonly number[]>>, requests: number) {
  const results = new Map<MetricTag, MetricResult>();
  for (const [tag, of] of Object.entries(values)) {
    const metric = { tag: tag as MetricTag, header: tag, unit: "", flags: [] };
    results.set(metric.tag, { metric, summary: summarize(Float64Array.from(of)) });
  }
  const metric = { tag: "request_count" as const, header: "", unit: "", flags: [] };
  return results.set("request_count", { metric, value: requests });
}

function close(actual: SpeculationTruth, expected: Partial<SpeculationTruth>): void {
  for (const [name, value] of Object.entries(expected)) {
    const found = actual[name as keyof SpeculationTruth];
    const [some, wanted] = [[found].flat(), [value].flat()];
    assert.equal(some.length, wanted.length, name);
    wanted.forEach((one, at) => {
      const other = some[at];
      const isClose = typeof one === "number" && typeof other === "number"
        ? Math.abs(one - other) < 1e-9
        : one === other;
      assert(isClose, `${name}: ${other} instead of ${one}`);
    });
  }
}

/** A page of vLLM; counters by their names without prefix. */
function vllmPage(counters: Readonly<Record<string, number>>): string {
  return Object.entries(counters).map(([name, value]) => {
    if (name.endsWith("_seconds")) {
      return `# TYPE vllm:${name} histogram\nvllm:${name}_bucket{le="+Inf"} ${value}\n` +
        `vllm:${name}_sum ${value / 10}\nvllm:${name}_count ${value}\n`;
    }
    const [metric, label = ""] = name.split(" ");
    return `# TYPE vllm:${metric} counter\nvllm:${metric}_total{${label}} ${value}\n`;
  }).join("");
}

Deno.test("speculationTruth takes increases of counters, by token and by position", () => {
  const page = (k: number) =>
    vllmPage({
      "spec_decode_num_drafts": 100 * k,
      "spec_decode_num_draft_tokens": 300 * k,
      "spec_decode_num_accepted_tokens": 150 * k,
      'spec_decode_num_accepted_tokens_per_pos position="0"': 80 * k,
      'spec_decode_num_accepted_tokens_per_pos position="1"': 60 * k,
      'spec_decode_num_accepted_tokens_per_pos position="2"': 10 * k,
      // 10 requests, 130 steps, 150 accepted, 4 of them cut off.
      "generation_tokens": 286 * k,
      "request_success": 10 * k,
      "time_to_first_token_seconds": 10 * k,
      "inter_token_latency_seconds": 130 * k,
    });
  const { values, reasons } = truthOf(rolesOf(page(3), page(4)));
  close(values, {
    "acceptance_rate": 0.5,
    "acceptance_length": 2.5,
    "tokens_per_step": 276 / 130,
    "drafted_share": 100 / 130,
    "per_position": [0.8, 0.6, 0.1],
    "per_position_conditional": [0.8, 0.75, 1 / 6],
    "accepted_not_sent": 4,
    source: "counters",
  });
  assert.equal(values.acceptance_rate_request_mean, null);
  assert.equal(reasons["acceptance_rate_request_mean"], "replies do not report drafts");
});

Deno.test("speculationTruth has another reason for counts that do not add up than for missing steps", () => {
  const page = (k: number) =>
    vllmPage({
      "spec_decode_num_drafts": 10 * k,
      "spec_decode_num_draft_tokens": 30 * k,
      "spec_decode_num_accepted_tokens": 15 * k,
      "generation_tokens": 50 * k,
      "time_to_first_token_seconds": k,
      "inter_token_latency_seconds": 20 * k,
    });
  const { values, reasons } = truthOf(rolesOf(page(1), page(2)));
  assert.equal(values.accepted_not_sent, null);
  assert.match(reasons["accepted_not_sent"] ?? "", /more tokens than their steps/);
});

Deno.test("speculationTruth by replies alone leaves requests without drafts out, and counts them", () => {
  const results = resultsOf({
    "reported_draft_tokens": [10, 30],
    "reported_accepted_tokens": [10, 6],
    "reported_acceptance_rate": [1, 0.2],
  }, 5);
  const { values, reasons } = truthOf(undefined, results);
  close(values, {
    "acceptance_rate": 0.4,
    "acceptance_length": null,
    "acceptance_rate_request_mean": 0.6,
    "acceptance_length_request_mean": null,
    "requests_with_drafts": 2,
    "requests_without_drafts": 3,
    "per_position": [],
    source: "replies",
  });
  assert.equal(reasons["acceptance_length"], "the servers do not count drafts");
  assert.match(reasons["acceptance_length_request_mean"] ?? "", /not the number of drafts/);
});

Deno.test("speculationTruth of servers without drafts gives a reason for each null", () => {
  const page = (k: number) => vllmPage({ "generation_tokens": 50 * k, "request_success": k });
  const plain = truthOf(rolesOf(page(1), page(2)));
  assert.equal(plain.values.acceptance_rate, null);
  assert.equal(plain.values.tokens_per_step, null);
  assert.match(plain.reasons["acceptance_rate"] ?? "", /no server reports drafts/);
  const drafts = (k: number) => page(k) + vllmPage({ "spec_decode_num_draft_tokens": 9 });
  assert.match(
    truthOf(rolesOf(drafts(1), drafts(2))).reasons["acceptance_rate"] ?? "",
    /had no drafts in this run/,
  );
});

Deno.test("speculationTruth of SGLang computes accepted tokens from verify calls", () => {
  const page = (k: number) =>
    `# TYPE sglang:spec_verify_calls_total counter\nsglang:spec_verify_calls_total ${40 * k}\n` +
    `# TYPE sglang:generation_tokens_total counter\nsglang:generation_tokens_total ${110 * k}\n` +
    `# TYPE sglang:num_requests_total counter\nsglang:num_requests_total ${10 * k}\n` +
    `# TYPE sglang:spec_accept_rate gauge\nsglang:spec_accept_rate 0.35\n`;
  const { values } = truthOf(rolesOf(page(1), page(2)));
  close(values, { "acceptance_length": 2.5, "acceptance_rate": 0.35, source: "gauge" });
});

Deno.test("speculationTruth of TensorRT-LLM takes drafts from their first position", () => {
  const of = (kind: string, position: number, value: number) =>
    `trtllm_spec_decode_${kind}_tokens_total{token_position="${position}"} ${value}\n`;
  const page = (k: number) =>
    "# TYPE trtllm_spec_decode_drafted_tokens counter\n" + of("drafted", 0, 50 * k) +
    of("drafted", 1, 40 * k) + "# TYPE trtllm_spec_decode_accepted_tokens counter\n" +
    of("accepted", 0, 30 * k) + of("accepted", 1, 15 * k);
  const { values } = truthOf(rolesOf(page(2), page(3)));
  close(values, {
    "acceptance_rate": 0.5,
    "acceptance_length": 1.9,
    "per_position": [0.6, 0.3],
  });
});

Deno.test("speculationTruth names the gauge as the origin of a length without counted drafts", () => {
  const counter = (name: string, value: number) =>
    `# TYPE trtllm_${name} counter\ntrtllm_${name}_total ${value}\n`;
  const page = (k: number) =>
    counter("spec_decode_num_draft_tokens", 90 * k) +
    counter("spec_decode_num_accepted_tokens", 45 * k) +
    "# TYPE trtllm_spec_decode_acceptance_length gauge\ntrtllm_spec_decode_acceptance_length 2.4\n";
  const truth = truthOf(rolesOf(page(2), page(3)));
  close(truth.values, {
    "acceptance_rate": 0.5,
    "acceptance_length": 2.4,
    source: "counters",
    "length_source": "gauge",
  });
  assert.ok(speculationTruthItems(truth).includes("acceptance length 2.40 (server's gauge)"));
});

Deno.test({
  name: "speculationTruth equals the arithmetic of the captures",
  ignore: !hasCaptures,
  async fn() {
    const rolesIn = async (folder: string): Promise<ServerRoles> => {
      const text = (name: string) => Deno.readTextFile(`${CAPTURES}/${folder}/${name}.txt`);
      return rolesOf(await text("metrics_idle"), await text("metrics_after_load"));
    };
    close(truthOf(await rolesIn("vllm-ngram")).values, {
      "acceptance_rate": 593 / 1057,
      "acceptance_length": 1 + 593 / 388,
      "tokens_per_step": (1239 - 27) / 650,
      "drafted_share": 388 / 650,
      "per_position": [281 / 388, 184 / 388, 128 / 388],
      "accepted_not_sent": 31,
    });
    const llama = truthOf(await rolesIn("llamacpp-ngram"));
    close(llama.values, {
      "acceptance_rate": 46 / 151,
      "acceptance_length": 1 + 46 / 42,
      "per_position": [19 / 42, 14 / 42, 11 / 42, 2 / 42],
      "tokens_per_step": null,
    });
    assert.match(llama.reasons["tokens_per_step"] ?? "", /do not count decode steps/);
  },
});

Deno.test({
  name: "speculationTruth weights the replies of the captures by token and by request",
  ignore: !hasCaptures,
  async fn() {
    const lines = (await Deno.readTextFile(`${CAPTURES}/llamacpp-ngram/load.jsonl`)).trim()
      .split("\n");
    const works = lines.map((line) => readServerWork(JSON.parse(line)["rest"]) ?? {});
    const drafted = works.filter(({ draftTokens = 0 }) => draftTokens > 0);
    const [t, a] = (["draftTokens", "acceptedTokens"] as const).map((name) =>
      drafted.map((work) => work[name] ?? NaN)
    );
    const results = resultsOf({
      "reported_draft_tokens": t as number[],
      "reported_accepted_tokens": a as number[],
      "reported_acceptance_rate": (a as number[]).map((one, at) => one / (t?.[at] ?? NaN)),
    }, works.length);
    const { values } = truthOf(undefined, results);
    assert.equal(values.requests_without_drafts, 6);
    assert.equal(values.requests_with_drafts, works.length - 6);
    const sum = (some: readonly number[] | undefined) => some?.reduce((x, y) => x + y, 0) ?? NaN;
    close(values, { "acceptance_rate": sum(a) / sum(t) });
  },
});

Deno.test("speculationTruth has positions of replies where servers count none", () => {
  const results = resultsOf({
    ...{ "reported_draft_tokens": [9, 9], "reported_accepted_tokens": [5, 4] },
    "reported_drafts": [3, 3],
  }, 2);
  const { values } = speculationTruth({
    ...{ plan: {} as RunPlan, requests: {} as RequestCounts, roles: undefined, results },
    acceptedAt: [5, 3, 1],
  });
  assert.deepEqual(values["per_position"], [5 / 6, 3 / 6, 1 / 6]);
  assert.ok(Math.abs((values["per_position_conditional"][2] ?? NaN) - 1 / 3) < 1e-12);
});
