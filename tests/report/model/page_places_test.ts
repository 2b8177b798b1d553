/** Places of servers: as stated, by labels, and by what their pages count. */

import assert from "node:assert/strict";
import { clientFacing } from "../../../src/report/model/client_facing.ts";
import type { ScrapedEndpoint } from "../../../src/report/model/scraped_endpoint.ts";
import { judgeSlos } from "../../../src/config/gate/judge_slos.ts";
import { parseSlos } from "../../../src/config/gate/slo.ts";
import { judgedRun } from "../../../src/report/model/judged_run.ts";
import { endpointOf, reportOf, scrapedEndpoint } from "../../support/metrics_pages.ts";

const WINDOW = { start: 0.5, end: 3 };

/** Totals of a vLLM instance, and its prefix cache. */
interface Counts {
  readonly requests: number;
  readonly prompt: number;
  readonly generation: number;
  readonly hits?: number;
  readonly external?: number;
  readonly received?: number;
  readonly running?: number;
}

function page(
  { requests, prompt, generation, hits = 0, external = 0, received = 0, running = 0 }: Counts,
) {
  const counter = (name: string, value: number, labels = ""): string =>
    `# TYPE vllm:${name} counter\nvllm:${name}${labels} ${value}\n`;
  return counter("request_success_total", requests, '{finished_reason="length"}') +
    counter("prompt_tokens_total", prompt) + counter("generation_tokens_total", generation) +
    counter("prefix_cache_queries_total", prompt) + counter("prefix_cache_hits_total", hits) +
    counter("external_prefix_cache_queries_total", prompt) +
    counter("external_prefix_cache_hits_total", external) +
    (received === 0 ? "" : `# TYPE vllm:nixl_bytes_transferred histogram
vllm:nixl_bytes_transferred_bucket{le="+Inf"} ${requests}
vllm:nixl_bytes_transferred_sum ${received}
vllm:nixl_bytes_transferred_count ${requests}
`) +
    `# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running ${running}\n`;
}

const NONE: Counts = { requests: 0, prompt: 0, generation: 0 };

function endpoint(
  name: string,
  counts: Counts,
  changes: Partial<ScrapedEndpoint> = {},
): ScrapedEndpoint {
  const last = page(counts);
  const series = endpointOf([[0, page({ ...NONE, running: counts.running ?? 0 })], [1, last], [
    2.5,
    last,
  ]]);
  return scrapedEndpoint(series, { url: `http://${name}:8000/metrics`, ...changes });
}

const PREFILL = { requests: 20, prompt: 8000, generation: 20, hits: 3200, running: 1 };
const DECODE = {
  requests: 20,
  prompt: 8000,
  generation: 900,
  hits: 3200,
  external: 4000,
  running: 3,
};
const ROUTER = { requests: 20, prompt: 8000, generation: 900, running: 4 };

Deno.test("a pair of prefill and decode is found by its counts", () => {
  const { roles } = reportOf([endpoint("p", PREFILL), endpoint("d", DECODE)], WINDOW);
  assert.deepEqual(roles.places.map(({ pool }) => pool), ["prefill", "decode"]);
  assert.equal(roles.share("prefix_hit_share"), 0.4, "of the instance that prefills");
  assert.equal(roles.share("external_hit_share"), 0, "a transfer is no hit");
  assert.equal(roles.figure("running")?.stats["max"], 4);
});

Deno.test("instances are unified where outputs of one token are all that tells them apart", () => {
  const [long, short] = [{ ...DECODE, hits: 0, external: 0 }, {
    ...PREFILL,
    prompt: 300,
    requests: 5,
    generation: 5,
  }];
  const { roles } = reportOf([endpoint("a", long), endpoint("b", short)], WINDOW);
  assert.deepEqual(roles.pools, []);
  assert.equal(clientFacing(roles, "requests", new Set())?.stats["total"], 25);
});

Deno.test("a pair is found where some requests are prefilled by the decode instance", () => {
  const some = { requests: 12, prompt: 6600, generation: 12, hits: 2000, running: 1 };
  const { roles } = reportOf([endpoint("p", some), endpoint("d", DECODE)], WINDOW);
  assert.deepEqual(roles.places.map(({ pool }) => pool), ["prefill", "decode"]);
  assert.equal(clientFacing(roles, "requests", new Set())?.stats["total"], 20);
  assert.equal(clientFacing(roles, "prompt_tokens", new Set())?.stats["total"], 8000);
});

Deno.test("a pair is found by its transfers where replies have one token", () => {
  const counts = { requests: 20, prompt: 8000, generation: 20 };
  const { roles } = reportOf([
    endpoint("router", counts, { isOwn: true }),
    endpoint("p", counts),
    endpoint("d", { ...counts, received: 5e6 }),
  ], WINDOW);
  assert.deepEqual(roles.places, [
    { pool: undefined, isFront: true },
    { pool: "prefill", isFront: false },
    { pool: "decode", isFront: false },
  ]);
  assert.equal(clientFacing(roles, "requests", new Set())?.stats["total"], 20);
});

Deno.test("the page of a router that counts what instances count is that of a front", () => {
  const own = endpoint("router", ROUTER, { isOwn: true });
  const { roles } = reportOf([own, endpoint("p", PREFILL), endpoint("d", DECODE)], WINDOW);
  assert.deepEqual(roles.places.map(({ isFront }) => isFront), [true, false, false]);
  assert.deepEqual(roles.pools, ["prefill", "decode"]);
  assert.equal(roles.figure("running")?.stats["max"], 4);
  assert.equal(clientFacing(roles, "generation_tokens", new Set())?.layer, "front");
  const replicas = [endpoint("a", { ...ROUTER, requests: 12, prompt: 5000, generation: 500 })];
  replicas.push(endpoint("b", { ...ROUTER, requests: 8, prompt: 3000, generation: 400 }));
  const aggregated = reportOf([own, ...replicas], WINDOW);
  assert.equal(aggregated.roles.figure("requests")?.stats["total"], 20, "counted once");
  assert.deepEqual(aggregated.roles.pools, []);
});

Deno.test("an engine that others are named beside is no front", () => {
  const own = endpoint("a", ROUTER, { isOwn: true });
  const { roles } = reportOf([
    own,
    endpoint("b", { ...ROUTER, requests: 7, prompt: 900, generation: 70 }),
  ], WINDOW);
  assert.deepEqual(roles.places.map(({ isFront }) => isFront), [false, false]);
  assert.equal(roles.figure("requests")?.stats["total"], 27);
});

Deno.test("what the user states holds, and objectives name it by role and layer", () => {
  const report = reportOf([
    endpoint("gate", ROUTER, { place: "front" }),
    endpoint("x", { ...ROUTER, running: 2 }, { place: "prefill" }),
    endpoint("y", { ...ROUTER, running: 7 }, { place: "decode" }),
  ], WINDOW);
  const run = judgedRun({ results: new Map(), measurementError: undefined }, report);
  const slos = parseSlos([
    "server.running{layer=front}.max<=4",
    "server.running{role=prefill}.max<=2",
    "server.running{role=decode}.max<=7",
    "server.running{role=decode,layer=engine}.max<7",
    "server.vllm:num_requests_running{role=prefill}.max<=2",
    "server.running{role=front}.max<=4",
    "server.vllm:num_requests_running{role=front}.max<=4",
    "server.running{role=unified}.max<100",
  ]);
  assert.deepEqual(judgeSlos(slos, run).map(({ met }) => met), [
    ...[true, true, true, false, true],
    ...[true, true],
    false,
  ]);
});

Deno.test("of a pair, the client is compared with the pool that does the work", () => {
  const { roles } = reportOf([endpoint("p", PREFILL), endpoint("d", DECODE)], WINDOW);
  const total = (role: "requests" | "prompt_tokens" | "generation_tokens") =>
    clientFacing(roles, role, new Set(["http://d:8000/metrics"]))?.stats["total"];
  assert.deepEqual([total("requests"), total("prompt_tokens"), total("generation_tokens")], [
    20,
    8000,
    900,
  ]);
  assert.equal(clientFacing(roles, "ttft", new Set()), undefined);
});
