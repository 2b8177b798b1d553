import assert from "node:assert/strict";
import { checkServerSlos, type KnownServers } from "../../../src/config/gate/check_server_slos.ts";
import { parseSlos } from "../../../src/config/gate/slo.ts";
import { KNOWN_METRICS } from "../../../src/telemetry/engines/engines.ts";

const VLLM = [
  { name: "vllm:num_requests_waiting", type: "gauge" },
  { name: "vllm:kv_cache_usage_perc", type: "gauge" },
  { name: "vllm:generation_tokens", type: "counter" },
  { name: "vllm:time_to_first_token_seconds", type: "histogram" },
  { name: "made_elsewhere", type: "unknown" },
];
const COMPLETE = {
  families: VLLM,
  possible: KNOWN_METRICS,
  isComplete: true,
  isRead: true,
};
/** SGLang before its first request. */
const FRESH = {
  families: [{ name: "sglang:num_running_reqs", type: "gauge" }],
  possible: KNOWN_METRICS,
  isComplete: false,
  isRead: true,
};
/** Servers that do not answer, and are not asked again. */
const NONE = { ...FRESH, families: [], isRead: false };

function check(text: string, servers: KnownServers): string[] {
  return checkServerSlos(parseSlos([text]), servers);
}

Deno.test("checkServerSlos takes what the servers report, by any of its names", () => {
  for (
    const text of [
      ...["server.kv_cache_usage.max<1", "server.vllm:kv_cache_usage_perc.max<1"],
      ...["server.num_requests_waiting.p99<3", "server.generation_tokens_total.rate>1"],
      ...["server.time_to_first_token_seconds.p99<1s", "server.made_elsewhere.total<1"],
      "ttft.p99<1s",
    ]
  ) assert.deepEqual(check(text, COMPLETE), [], text);
});

Deno.test("checkServerSlos refuses what no server reports, with the nearest name", () => {
  const refused: readonly (readonly [text: string, servers: KnownServers, message: RegExp])[] = [
    [
      "server.kv_cache_usge.max<1",
      COMPLETE,
      /^--slo: No server reports "kv_cache_usge", did you mean "kv_cache_usage"\?$/,
    ],
    [
      "server.nix.max<1",
      COMPLETE,
      /No server reports "nix", there are vllm:num_requests_waiting, /,
    ],
    // Known elsewhere, but not here, where nothing more will come.
    ["server.num_queue_reqs.max<1", COMPLETE, /No server reports "num_queue_reqs"/],
    ["server.waiting.max<1", { ...COMPLETE, families: VLLM.slice(1) }, /there are vllm:kv_cache/],
    ["server.num_runing_reqs.max<1", FRESH, /did you mean "num_running_reqs"/],
    // Not there yet, but its name is known.
    ["server.num_queue_reks.max<1", FRESH, /did you mean "num_queue_reqs"/],
    [
      "server.waiting.total<1",
      COMPLETE,
      /"waiting" is a gauge and has no total, but avg, min, max, std, p1, /,
    ],
    [
      "server.kv_cache_usge.max<1",
      NONE,
      /There are no servers' metrics, and no known .* "kv_cache_usge", did you mean "kv_cache_us/,
    ],
    ["server.entirely_unknown.max<1", NONE, /no known server reports "entirely_unknown"$/],
    ["server.generation_tokens.p99<1", COMPLETE, /is a counter and has no p99, but total, rate$/],
  ];
  for (const [text, servers, message] of refused) {
    assert.throws(() => check(text, servers), { name: "UsageError", message }, text);
  }
});

Deno.test("checkServerSlos tells what may still come", () => {
  for (
    const text of ["server.num_queue_reqs.max<1", "server.waiting.max<1", "server.own_name.max<1"]
  ) {
    const [sentence, ...others] = check(text, FRESH);
    assert.match(sentence ?? "", /No server exposes ".*" yet; server\..* is evaluated at/);
    assert.deepEqual(others, []);
  }
  const [never] = check("server.num_queue_reqs.max<1", NONE);
  assert.match(never ?? "", /No server's metrics can be read: .* counts as missed$/);
  const [none] = check("server.waiting.max<1", { ...FRESH, families: [] });
  assert.match(none ?? "", /No server's metrics can be read now: server\.waiting\.max counts/);
});
