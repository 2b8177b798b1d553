import assert from "node:assert/strict";
import fc from "fast-check";
import { displayWidth } from "../../../src/report/console/display_width.ts";
import { serverLines } from "../../../src/report/console/server_lines.ts";
import { wrapItems } from "../../../src/report/console/wrap_items.ts";
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
  const known = names.filter((name) => !isShare(name) && engine.roles[name] !== undefined);
  if (known.length === 0) continue;
  Deno.test(`serverLines has every number of ${engine.name} within 80 columns`, () => {
    const pages = Array.from({ length: 11 }, (_, second): TimedPage => [
      second,
      briefPage(engine, second),
    ]);
    const report = reportOfPages(pages, WINDOW);
    const lines = serverLines(report, report.roles, { width: 80, hasTimes: false });
    for (const line of lines) assert.ok(displayWidth(line) <= 80, line);
    const text = lines.map((line) => line.slice(8)).join("   ");
    for (const name of names) {
      if (name === "prefix_hit_rate" && engine.roles["prefix_hits"] !== undefined) continue;
      if (isShare(name)) {
        const { label, part, whole } = SHARES[name];
        if (engine.roles[part] === undefined || engine.roles[whole] === undefined) continue;
        assert.match(text, new RegExp(`${label} \\d`));
        continue;
      }
      if (engine.roles[name] === undefined) continue;
      assert.match(text, new RegExp(`(?:^| )${ROLES[name].label} [\\d.,]+`), text);
    }
  });
}

const page = (rows: Readonly<Record<string, number>>): string =>
  Object.entries(rows).map(([name, value]) => `# TYPE ${name} gauge\n${name} ${value}\n`).join("");

Deno.test("serverLines has the mean and the largest number of running requests, and what is missing", () => {
  const pages = [8, 8, 5].map((running, second): TimedPage => [
    second,
    page({ "vllm:num_requests_running": running, "vllm:num_requests_waiting": 2 * running }),
  ]);
  const report = reportOfPages(pages, { start: 0, end: 2 });
  assert.deepEqual(serverLines(report, report.roles, { width: 80, hasTimes: true }), [
    "server  running 7 of 8   waiting 14   not reported: KV cache",
  ]);
  assert.deepEqual(serverLines(report, report.roles, { width: 120, hasTimes: true }), [
    "server  running 7 of 8   waiting 14 (max 16)   not reported: KV cache",
  ]);
});

Deno.test("serverLines has the whole run, or the nearest page, where the shown part has none", () => {
  const pages = [4, 6].map((running, at): TimedPage => [
    [1, 9][at] as number,
    page({ "vllm:num_requests_running": running }),
  ]);
  const linesOf = (run: { start: number; end: number }, shown: { start: number; end: number }) =>
    serverLines(reportOfPages(pages, run), reportOfPages(pages, shown).roles, {
      ...{ width: 80, hasTimes: true },
    });
  const missing = "not reported: waiting, KV cache";
  assert.deepEqual(linesOf({ start: 0, end: 10 }, { start: 4, end: 5 }), [
    `server  running 5 of 6   ${missing}`,
    "        over the whole run",
  ]);
  const [short = "", remark = ""] = linesOf({ start: 2, end: 4 }, { start: 2, end: 4 });
  assert.equal(short, `server  running 6 of 6   ${missing}`);
  assert.match(remark, /no page during the run, these are of 5(\.\d+)? s after its end$/);
});

Deno.test("serverLines shows bad news only where there is some", () => {
  const linesWith = (preempted: number) => {
    const pages = [0, 1].map((second): TimedPage => [
      second,
      "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 1\n" +
      `# TYPE vllm:num_preemptions counter\nvllm:num_preemptions_total ${second * preempted}\n`,
    ]);
    const report = reportOfPages(pages, { start: 0.5, end: 1 });
    return serverLines(report, report.roles, { width: 80, hasTimes: true }).join("\n");
  };
  assert.doesNotMatch(linesWith(0), /preemptions/);
  assert.match(linesWith(3), / preemptions 3( |$)/m);
});

Deno.test("serverLines adds up different engines of a layer only", () => {
  const pages = (text: string): TimedPage[] => [[0, text], [1, text]];
  const texts = [
    ...["vllm:num_requests_running 3\n", "sglang:num_running_reqs 4\n"],
    "dynamo_frontend_active_requests 9\n",
  ];
  const report = reportOf(
    texts.map((text, at) =>
      scrapedEndpoint(endpointOf(pages(text)), { url: `http://node${at}/metrics` })
    ),
    { start: 0.5, end: 1 },
  );
  const lines = serverLines(report, report.roles, { width: 80, hasTimes: true });
  assert.deepEqual(lines.map((line) => line.slice(8).replace(/:.*/, "")), [
    ...["Dynamo frontend", "vLLM", "SGLang", "all engines"],
  ]);
  assert.match(lines.at(-1) ?? "", /all engines: running 7 of 7$/);
});

Deno.test("serverLines names engines where there are several, and says how many instances are idle", () => {
  const vllm = (running: number): TimedPage[] =>
    [0, 1, 2].map((second) => [second, page({ "vllm:num_requests_running": running })]);
  const sglang: TimedPage[] = [0, 1, 2].map((
    second,
  ) => [second, page({ "sglang:num_running_reqs": 3, "sglang:token_usage": 0.25 })]);
  const report = reportOf([
    scrapedEndpoint(endpointOf(vllm(4)), { url: "http://a/metrics" }),
    scrapedEndpoint(endpointOf(vllm(0)), { url: "http://b/metrics" }),
    scrapedEndpoint(endpointOf(sglang), { url: "http://c/metrics" }),
  ], { start: 0, end: 2 });
  const text = serverLines(report, report.roles, { width: 80, hasTimes: true }).join("\n");
  assert.match(text, /vLLM: running 4 of 4 .*of 2 instances, 1 of them idle/s);
  assert.match(text, /SGLang: running 3 of 3 {3}KV cache 25(?:\.0)? %/);
  assert.match(text, /all engines: running 7 of 7/);
});

Deno.test("serverLines says what there is of servers that are not known", () => {
  const report = reportOfPages(
    [0, 1].map((second): TimedPage => [second, page({ "some_gauge": 1 })]),
    { start: 0, end: 1 },
  );
  assert.deepEqual(serverLines(report, report.roles, { width: 80, hasTimes: true }), [
    "server  1 metric, 1 series of 1 endpoint, of no engine that is known here",
  ]);
  assert.deepEqual(
    serverLines({ ...report, endpoints: [] }, report.roles, { width: 80, hasTimes: true }),
    [],
  );
});

Deno.test("wrapItems keeps every item, in order, on lines that fit", () => {
  const item = fc.stringMatching(/^[a-z]{1,12}( [a-z0-9]{1,8}){0,3}$/);
  fc.assert(fc.property(fc.array(item), fc.integer({ min: 48, max: 120 }), (items, width) => {
    const lines = wrapItems(items, width);
    for (const line of lines) assert.ok(line.length <= width, line);
    assert.deepEqual(lines.flatMap((line) => line.split("   ")), items);
  }));
});
