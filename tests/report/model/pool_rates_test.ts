import assert from "node:assert/strict";
import { poolRates, waitedPool } from "../../../src/report/model/pool_rates.ts";
import { endpointOf, reportOf, scrapedEndpoint } from "../../support/metrics_pages.ts";

/** Waiting requests of each instance at five scrapes, and what it counts from one to the next. */
interface Instance {
  readonly pool: "prefill" | "decode";
  readonly waiting: readonly number[];
  readonly prompt: number;
  readonly generated: number;
  /** Seconds of prefill. */
  readonly prefill: number;
}

function rolesOf(instances: readonly Instance[]) {
  const endpoints = instances.map(({ pool, waiting, prompt, generated, prefill }, number) => {
    const pages = waiting.map((count, step) =>
      [
        step,
        `# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting ${count}\n` +
        `# TYPE vllm:prompt_tokens_total counter\nvllm:prompt_tokens_total ${prompt * step}\n` +
        "# TYPE vllm:generation_tokens_total counter\n" +
        `vllm:generation_tokens_total ${generated * step}\n` +
        "# TYPE vllm:request_prefill_time_seconds histogram\n" +
        `vllm:request_prefill_time_seconds_bucket{le="+Inf"} ${step}\n` +
        `vllm:request_prefill_time_seconds_sum ${prefill * step}\n` +
        `vllm:request_prefill_time_seconds_count ${step}\n`,
      ] as const
    );
    return scrapedEndpoint(endpointOf(pages), { url: `http://n${number}/metrics`, place: pool });
  });
  return reportOf(endpoints, { start: 0, end: 4 }).roles;
}

const prefill = (waiting: readonly number[]): Instance => ({
  ...{ pool: "prefill", waiting, prompt: 1000, generated: 4, prefill: 0.25 },
});
const decode = (waiting: readonly number[]): Instance => ({
  ...{ pool: "decode", waiting, prompt: 1000, generated: 90, prefill: 0.01 },
});
const NONE = [0, 0, 0, 0, 0];

Deno.test("poolRates gives rates per GPU of the pool, and per GPU of all", () => {
  const roles = rolesOf([prefill(NONE), prefill(NONE), decode(NONE)]);
  const gpus = { total: 12, prefill: 4, decode: 8 };
  const rates = poolRates(roles, "prefill", gpus);
  assert.equal(rates["prompt_tokens_per_second"], 2000);
  assert.equal(rates["prompt_tokens_per_second_per_prefill_gpu"], 500);
  assert.equal(rates["prompt_tokens_per_second_per_gpu"], 2000 / 12);
  assert.equal(rates["prefill_requests_per_instance"], 0.25);
  const decoded = poolRates(roles, "decode", gpus);
  assert.equal(decoded["generation_tokens_per_second_per_decode_gpu"], 90 / 8);
  assert.equal(decoded["generation_tokens_per_second_per_gpu"], 90 / 12);
});

Deno.test("poolRates without stated GPUs has none per GPU", () => {
  const roles = rolesOf([prefill(NONE), decode(NONE)]);
  assert(!Object.keys(poolRates(roles, "prefill", undefined)).some((name) => /gpu/.test(name)));
  const rates = poolRates(roles, "decode", { total: 2 });
  assert.equal(rates["generation_tokens_per_second_per_gpu"], 45);
  assert.equal(rates["generation_tokens_per_second_per_decode_gpu"], undefined);
});

Deno.test("waitedPool needs a queue for most of the time, and none at the other pool", () => {
  assert.deepEqual(waitedPool(rolesOf([prefill([4, 4, 4, 4, 4]), decode([0, 0, 2, 0, 0])])), {
    pool: "prefill",
    waiting: 4,
  });
  assert.equal(waitedPool(rolesOf([prefill(NONE), decode([3, 3, 3, 3, 3])]))?.pool, "decode");
  assert.equal(waitedPool(rolesOf([prefill([2, 2, 2, 2, 2]), decode([1, 1, 1, 1, 1])])), undefined);
  assert.equal(waitedPool(rolesOf([prefill([9, 9, 0, 0, 0]), decode(NONE)])), undefined);
});
