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
import type { ServerRoles } from "../../../src/report/model/server_roles.ts";
import { serverTruth } from "../../../src/report/model/server_truth.ts";
import { ttftSplit } from "../../../src/report/model/ttft_split.ts";
import { endpointOf, reportOf, scrapedEndpoint } from "../../support/metrics_pages.ts";

const CAPTURES = "/work/shared/cases/servers/captures2";
const hasCaptures = await Deno.stat(CAPTURES).then(() => true, () => false);
const URLS = {
  front: "http://f:1/metrics",
  prefill: "http://p:1/metrics",
  decode: "http://d:1/metrics",
};

/** Means of requests, in milliseconds. */
function resultsOf(
  means: Partial<Record<MetricTag, number>>,
  count: number,
): MetricResults {
  return new Map(
    Object.entries(means).map(([tag, ms]): [MetricTag, MetricResult] => {
      const metric = { tag: tag as MetricTag, header: tag, unit: "ms", flags: [] };
      return [metric.tag, { metric, summary: summarize(new Float64Array(count).fill(ms)) }];
    }),
  );
}

/** A page of vLLM's histograms: mean milliseconds by name, of `count` requests. */
function page(means: Readonly<Record<string, number>>, count: number, more = ""): string {
  return more +
    Object.entries(means).map(([name, ms]) =>
      `# TYPE vllm:${name} histogram\nvllm:${name}_bucket{le="+Inf"} ${count}\n` +
      `vllm:${name}_sum ${ms * count / 1e3}\nvllm:${name}_count ${count}\n`
    ).join("");
}

const ENGINE = [
  "time_to_first_token_seconds",
  "request_queue_time_seconds",
  "request_prefill_time_seconds",
] as const;

/** A page with time to first token, queue and prefill of an engine. */
function enginePage([ttft, queue, prefill]: readonly number[], count: number, more = ""): string {
  const means = [ttft, queue, prefill].map((ms, at) => [ENGINE[at], ms]);
  return page(Object.fromEntries(means), count, more);
}

/** Roles of pages that count from zero to what is given. */
function rolesOf(
  pages: Readonly<Partial<Record<keyof typeof URLS | "engine", (count: number) => string>>>,
  count: number,
): ServerRoles {
  const endpoints = Object.entries(pages).map(([place, of]) => {
    const known = place === "engine" ? undefined : place as keyof typeof URLS;
    const url = known === undefined ? "http://e:1/metrics" : URLS[known];
    const series = endpointOf([[0, of(0)], [0.5, of(count)], [1, of(count)]]);
    return scrapedEndpoint(series, { url, ...(known === undefined ? {} : { place: known }) });
  });
  return reportOf(endpoints, { start: 0.1, end: 1 }).roles;
}

function split(results: MetricResults, roles: ServerRoles | undefined) {
  return ttftSplit({ name: "run", results, roles });
}

const rounded = (values: Readonly<Record<string, number | null>>) =>
  Object.fromEntries(
    Object.entries(values).map((
      [name, ms],
    ) => [name, ms === null ? null : Math.round(ms * 1e3) / 1e3]),
  );

Deno.test("ttftSplit of an engine adds up to the client's mean, with reasons for what is null", () => {
  const roles = rolesOf({ engine: (count) => enginePage([90, 20, 65], count) }, 50);
  const found = split(resultsOf({ "time_to_first_token": 100 }, 50), roles);
  assert.deepEqual(rounded(found.values), {
    "network_and_client": null,
    front: null,
    queue: 20,
    prefill: 65,
    "kv_transfer": null,
    "first_decode_step": null,
    "network_and_front": 10,
    "engine_rest": 5,
  });
  assert.match(found.reasons["front"] ?? "", /no front/);
  assert.match(found.reasons["kv_transfer"] ?? "", /no instance only prefills/);
  assert.equal(found.basis?.source, "server metrics");
});

Deno.test("ttftSplit of a pair takes transfers by request, also where each has several", () => {
  const transfers = (count: number) =>
    `# TYPE vllm:nixl_xfer_time_seconds histogram\n` +
    `vllm:nixl_xfer_time_seconds_bucket{le="+Inf"} ${2 * count}\n` +
    `vllm:nixl_xfer_time_seconds_sum ${0.02 * count}\nvllm:nixl_xfer_time_seconds_count ${
      2 * count
    }\n`;
  const roles = rolesOf({
    front: (count) => page({ "time_to_first_token_seconds": 98 }, count),
    prefill: (count) => enginePage([60, 5, 54], count),
    decode: (count) => enginePage([30, 2, 8], count, transfers(count)),
  }, 40);
  const found = split(resultsOf({ "time_to_first_token": 100 }, 40), roles);
  assert.deepEqual(rounded(found.values), {
    "network_and_client": 2,
    front: 8,
    queue: 5,
    prefill: 54,
    "kv_transfer": 20,
    "first_decode_step": 8,
    "engine_rest": 1,
    "decode_queue": 2,
  });
  assert.equal(found.basis?.dispatch, "sequential");
});

Deno.test("ttftSplit of a pair has no transfers where some failed, whose time is not reported", () => {
  const transfers = (count: number) =>
    page({ "nixl_xfer_time_seconds": 20 }, count) +
    `# TYPE vllm:nixl_num_failed_transfers counter\nvllm:nixl_num_failed_transfers_total ${
      count / 40
    }\n`;
  const roles = rolesOf({
    front: (count) => page({ "time_to_first_token_seconds": 98 }, count),
    prefill: (count) => enginePage([60, 5, 54], count),
    decode: (count) => enginePage([30, 2, 8], count, transfers(count)),
  }, 40);
  const found = split(resultsOf({ "time_to_first_token": 100 }, 40), roles);
  assert.equal(found.values["kv_transfer"], null);
  assert.match(found.reasons["kv_transfer"] ?? "", /some transfers failed/);
});

Deno.test("serverTruth splits the whole run, and the part that is shown where it can", () => {
  const roles = rolesOf({ engine: (count) => enginePage([90, 20, 65], count) }, 50);
  const steady = rolesOf({ engine: (count) => enginePage([95, 25, 65], count) }, 30);
  const [plan, requests] = [{} as RunPlan, {} as RequestCounts];
  const results = resultsOf({ "time_to_first_token": 99 }, 50);
  const truth = (count: number) => {
    const shown = resultsOf({ "time_to_first_token": 100 }, count);
    return serverTruth({
      ...{ plan, requests, results, roles },
      shown: { name: "steady", roles: steady, results: shown },
    });
  };
  const [other, same] = [truth(33), truth(30)];
  assert.equal(other.ttftSplit.values["queue"], 20);
  assert.match(other.shownTtft.reasons[""] ?? "", /the engines count 30 first tokens/);
  assert.deepEqual([same.ttftSplit.values["queue"], same.shownTtft.values["queue"]], [20, 25]);
  assert.equal(same.shownTtft.basis?.window, "steady");
});

Deno.test("ttftSplit by replies where there are no server metrics", () => {
  const reported = { "reported_queue_time": 10, "reported_prefill_time": 70 } as const;
  const ttft = { "time_to_first_token": 100, "reported_time_to_first_token": 80 } as const;
  const found = split(resultsOf({ ...ttft, ...reported }, 20), undefined);
  assert.equal(found.basis?.source, "replies");
  assert.deepEqual([found.values["queue"], found.values["network_and_front"]], [10, 20]);
});

Deno.test("ttftSplit says why there is none", () => {
  const none = split(resultsOf({ "request_latency": 100 }, 5), undefined);
  assert.match(none.reasons[""] ?? "", /^not split: replies are not streamed/);
  assert.equal(none.values["queue"], null);
  const roles = rolesOf({ engine: (count) => enginePage([190, 20, 65], count) }, 5);
  const negative = split(resultsOf({ "time_to_first_token": 100 }, 5), roles);
  assert.match(negative.reasons[""] ?? "", /client 100.0 ms, engines 190.0 ms/);
});

Deno.test({
  name: "ttftSplit of the captured vLLM pair adds up to the client's mean",
  ignore: !hasCaptures,
  async fn() {
    const folder = `${CAPTURES}/vllm-pd-example-connector`;
    const text = (name: string) => Deno.readTextFile(`${folder}/${name}.txt`);
    const endpoints = await Promise.all((["prefill", "decode"] as const).map(async (place) => {
      const [before, after] = [await text(`${place}_after_one`), await text(`${place}_after_load`)];
      const series = endpointOf([[0, before], [0.5, after], [1, after]]);
      return scrapedEndpoint(series, { url: URLS[place], place });
    }));
    const { roles } = reportOf(endpoints, { start: 0.1, end: 1 });
    const lines = (await Deno.readTextFile(`${folder}/load.jsonl`)).trim().split("\n");
    const times = lines.map((line) => JSON.parse(line)["first_text_ms"] as number);
    const metric = { tag: "time_to_first_token", header: "", unit: "ms", flags: [] } as const;
    const summary = summarize(Float64Array.from(times));
    const found = split(new Map([["time_to_first_token", { metric, summary }]]), roles);
    const sum = found.parts.reduce((sum, { ms }) => sum + ms, 0);
    assert(Math.abs(sum - summary.avg) < 1e-6, JSON.stringify(found));
    assert.equal(found.basis?.dispatch, "sequential");
  },
});

Deno.test({
  name: "ttftSplit of the captured replies of Dynamo leaves what follows the prefill's token",
  ignore: !hasCaptures,
  async fn() {
    const splitOf = async (folder: string) => {
      const text = await Deno.readTextFile(`${CAPTURES}/${folder}/load.jsonl`);
      const lines = text.trim().split("\n").map((line) => JSON.parse(line));
      const works = lines.map(({ rest }) => readServerWork(rest) ?? {});
      const column = (tag: MetricTag, ns: readonly (number | undefined)[]) => {
        const known = ns.filter((value) => value !== undefined).map((value) => value / 1e6);
        const metric = { tag, header: "", unit: "ms", flags: [] };
        const result = { metric, summary: summarize(Float64Array.from(known)) };
        return known.length === 0 ? [] : [[tag, result] as const];
      };
      const client = lines.map(({ first_text_ms: ms }) => (ms as number) * 1e6);
      return split(
        new Map<MetricTag, MetricResult>([
          ...column("time_to_first_token", client),
          ...column("reported_queue_time", works.map(({ queueNs }) => queueNs)),
          ...column("reported_prefill_time", works.map(({ prefillNs }) => prefillNs)),
          ...column("reported_time_to_first_token", works.map(({ ttftNs }) => ttftNs)),
        ]),
        undefined,
      );
    };
    const [pair, together] = [await splitOf("dynamo-disagg"), await splitOf("dynamo-agg")];
    assert.equal(Math.round(pair.values["transfer_decode_and_front"] ?? NaN), 74);
    assert.equal(Math.round(pair.basis?.clientMs ?? NaN), 108);
    assert.equal(Math.round(together.values["network_and_front"] ?? NaN), 5);
    assert.equal(Math.round(together.basis?.clientMs ?? NaN), 63);
  },
});
