/** The short rows about servers, for pages of each kind of server. */

import assert from "node:assert/strict";
import { displayWidth } from "../../../src/report/console/display_width.ts";
import { serverBlocks } from "../../../src/report/console/server_blocks.ts";
import { BRIEF_ROLES } from "../../../src/telemetry/engines/engine.ts";
import { isShare, ROLES, SHARES } from "../../../src/telemetry/engines/roles.ts";
import { briefPage, SHOWN_ENGINES } from "../../support/engine_pages.ts";
import {
  endpointOf,
  reportOf,
  reportOfPages,
  scrapedEndpoint,
  type TimedPage,
} from "../../support/metrics_pages.ts";

const WINDOW = { start: 0.5, end: 10.5 };

for (const engine of SHOWN_ENGINES) {
  const names = engine.brief ?? BRIEF_ROLES;
  const levels = names.flatMap((name) =>
    isShare(name) || engine.roles[name] === undefined ? [] : [name]
  );
  if (levels.length === 0) continue;
  Deno.test(`serverBlocks has every row of ${engine.name} within 80 columns`, () => {
    const pages = Array.from({ length: 11 }, (_, second): TimedPage => [
      second,
      briefPage(engine, second),
    ]);
    const [block = [], ...others] = serverBlocks(reportOfPages(pages, WINDOW), 80);
    assert.deepEqual(others, []);
    assert.ok(block[0]?.startsWith(engine.name));
    for (const line of block) assert.ok(displayWidth(line) <= 80, line);
    const text = block.join("\n");
    const hitShare = engine.roles["prefix_hits"] !== undefined;
    for (const name of levels) {
      if (name === "prefix_hit_rate" && hitShare) continue;
      const { label, kind } = ROLES[name];
      const row = block.find((line) => line.startsWith(`${label} `));
      assert.ok(row !== undefined, `${label} is missing:\n${text}`);
      if (kind === "time") assert.match(row, / ms +100 .*~\d/, "in ms, estimates marked");
      if (engine.roles[name]?.[0]?.unit === "ratio") assert.match(row, / % +5\.5 +10\.0$/);
    }
    for (const name of names.filter(isShare)) {
      const { label, part, whole } = SHARES[name];
      if (engine.roles[part] === undefined || engine.roles[whole] === undefined) continue;
      assert.match(text, new RegExp(`^${label} +%? +\\d`, "m"));
    }
  });
}

Deno.test("serverBlocks shows bad news only where there is some", () => {
  const block = (preempted: number) => {
    const pages = [0, 1].map((second): TimedPage => [
      second,
      "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 1\n" +
      `# TYPE vllm:num_preemptions counter\nvllm:num_preemptions_total ${second * preempted}\n`,
    ]);
    return serverBlocks(reportOfPages(pages, { start: 0.5, end: 1 }), 80)[0]?.join("\n") ?? "";
  };
  assert.doesNotMatch(block(0), /preemptions/);
  assert.match(block(3), /^preemptions +3 /m);
});

Deno.test("serverBlocks adds up the endpoints of a kind, and says so", () => {
  const endpoint = (url: string, running: number) =>
    scrapedEndpoint(
      endpointOf([0, 1].map((second): TimedPage => [
        second,
        `# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running ${running}\n` +
        `# TYPE vllm:kv_cache_usage_perc gauge\nvllm:kv_cache_usage_perc ${running / 100}\n` +
        "# TYPE vllm:request_queue_time_seconds histogram\n" +
        `vllm:request_queue_time_seconds_bucket{le="+Inf"} ${second * running}\n` +
        `vllm:request_queue_time_seconds_sum ${second}\n` +
        `vllm:request_queue_time_seconds_count ${second * running}\n`,
      ])),
      { url },
    );
  const report = reportOf(
    [endpoint("http://a:1/metrics", 3), endpoint("http://b:1/metrics", 5)],
    { start: 0.5, end: 1 },
  );
  assert.deepEqual(serverBlocks(report, 80), [[
    "vLLM, 2 endpoints      avg      max    total       /s",
    "running                  8        8",
    "KV cache       %       4.0      5.0",
    "queue time     ms      250                 8     16.0",
    "  sums over 2 instances (shares: mean, and max of the largest)",
  ]]);
});

Deno.test("serverBlocks adds up different engines of a layer in a block of their own", () => {
  const pages = (text: string): TimedPage[] => [[0, text], [1, text]];
  const engines = ["vllm:num_requests_running 3\n", "sglang:num_running_reqs 4\n"];
  const front = "dynamo_frontend_active_requests 9\n";
  const report = reportOf(
    [...engines, front].map((text, at) =>
      scrapedEndpoint(endpointOf(pages(text)), { url: `http://node${at}/metrics` })
    ),
    { start: 0.5, end: 1 },
  );
  const blocks = serverBlocks(report, 80);
  assert.deepEqual(blocks.map(([title = ""]) => title.replace(/ {2}.*/, "")), [
    ...["Dynamo frontend", "vLLM", "SGLang", "all engines"],
  ]);
  assert.match(blocks.at(-1)?.[1] ?? "", /^running +7 +7$/);
});

Deno.test("serverBlocks says how many instances had nothing to do", () => {
  const page = [0, 1, 2].map((engine) =>
    `vllm:num_requests_running{engine="${engine}"} ${engine === 0 ? 5 : 0}\n`
  ).join("");
  const [block] = serverBlocks(reportOfPages([[0, page], [1, page]], { start: 0.5, end: 1 }), 80);
  assert.match(block?.join("\n") ?? "", /^ {2}sums over 3 instances, 2 of them idle \(shares: /m);
});

Deno.test("serverBlocks counts the metrics of a server that it does not know", () => {
  const pages: TimedPage[] = [[0, "my_metric 1\nother 1\n"], [1, "my_metric 2\nother 1\n"]];
  assert.deepEqual(serverBlocks(reportOfPages(pages, { start: 0.5, end: 1 }), 80), [[
    "server metrics: 2 metrics, 2 series of 1 endpoint, of no kind of server that is",
    "  known here",
  ]]);
  assert.deepEqual(serverBlocks(reportOf([], WINDOW), 80), [], "nothing was reachable");
});
