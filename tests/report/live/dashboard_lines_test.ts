import assert from "node:assert/strict";
import fc from "fast-check";
import type { LiveWorker } from "../../../src/report/live/live_model.ts";
import { dashboardLines } from "../../../src/report/live/dashboard_lines.ts";
import { displayWidth } from "../../../src/report/console/display_width.ts";
import { liveModel } from "../../support/live_models.ts";

const SCREEN = { width: 80, height: 24, color: false, hasKeys: true };

Deno.test("dashboardLines show every block on 80x24", () => {
  const lines = dashboardLines(liveModel(), SCREEN).map((line) => line.trimEnd());
  assert.equal(lines.length, 24);
  assert.match(
    lines[0] as string,
    /^inferometer {2}node1:8000 \+1 {2}Qwen3-0\.6B +74 of 160 requests {2}12 s$/,
  );
  assert.match(
    lines[1] as string,
    /^closed loop, 16 in flight +SATURATED so far: 15 requests run, 1 wait$/,
  );
  assert.match(
    lines[2] as string,
    /^requests\/s +27\.1 +▁▂ ▄.* in flight 16 \/ 16 {3}ok 72 {3}failed 2$/,
  );
  assert.match(lines[3] as string, /^tokens\/s +1,736 .*sent 90 of 160 {3}tokens 8,000$/);
  assert.match(lines[4] as string, /^TTFT ms +p50 +60\.5 .*█ +p99 +111 .*█$/);
  assert.match(lines[7] as string, /^good 94\.4 % {3}time_to_first_token 100 ms 94\.4 %$/);
  assert.match(lines[8] as string, /^─ server vLLM ─+$/);
  assert.match(lines[9] as string, /^running 14\.7 .*█ {3}waiting 0 .* KV cache 0\.8 % /);
  assert.match(lines.join("\n"), /queue time 12\.3 ms/);
  assert.match(lines.join("\n"), /0: 8 in flight, 868 chunks\/s, delay p99 0\.30 ms/);
  assert.match(lines.join("\n"), / {5}2 {2}http_status 429 {2}Too \[31m many/);
  assert.match(
    lines.join("\n"),
    /read delay p50 0\.10, p99 0\.40, max 2\.10 ms {3}CPU 7\.0 % of 2/,
  );
  assert.match(lines.join("\n"), /stolen 0\.2 %\nstalled 300 ms {3}send slip p99 0\.10 ms/);
  assert.equal(lines[23], "[+/-] concurrency  [p] pause  [m] mark  [q] stop and report");
});

Deno.test("dashboardLines count sessions and their requests apart", () => {
  const sessions = { inProgress: 16, begun: 30, planned: 40, isRateOfSessions: true };
  const model = liveModel({ sessions, inFlight: 21, requestCount: Infinity });
  const lines = dashboardLines(model, SCREEN).map((line) => line.trimEnd());
  assert.match(lines[0] as string, / 30 of 40 sessions {2}12 s$/);
  assert.match(lines[1] as string, /^closed loop, 16 sessions in progress {2,}SATURATED so far/);
  assert.match(lines[2] as string, / sessions 16 \/ 16 {3}in flight 21 {3}ok 72 {3}failed 2$/);
  const load = { ...model.load, loop: "open", ratePerSecond: 0.5 } as const;
  const open = dashboardLines(liveModel({ sessions, load }), SCREEN);
  assert.match(open[1] as string, /^open loop, 0\.5 sessions\/s /);
  assert.doesNotMatch(open[2] as string, /of 0\.5/);
  const users = { ...sessions, isRateOfSessions: false };
  const ofUsers = dashboardLines(liveModel({ sessions: users, load }), SCREEN);
  assert.match(ofUsers[1] as string, /^open loop, 0\.5 requests\/s /);
});

Deno.test("dashboardLines stand side by side on a wide screen, with higher curves on a high one", () => {
  const lines = dashboardLines(liveModel(), { ...SCREEN, width: 200, height: 50 });
  assert.match(lines[2] as string, /^requests\/s .* {3}─ server vLLM ─+$/);
  const curve = lines.slice(3, 8).map((line) => line.slice(0, 98).trimEnd());
  assert.ok(curve.every((line) => /^ +[▁-█ ]+$/.test(line)), curve.join("\n"));
});

Deno.test("dashboardLines fit any screen, however much there is to say", () => {
  const many = <T>(count: number, make: (at: number) => T): T[] =>
    Array.from({ length: count }, (_, at) => make(at));
  const { results } = liveModel();
  const model = liveModel({
    model: "模型".repeat(60),
    warnings: many(20, (at) => `warning ${at} ${"x".repeat(300)}`),
    workers: many(60, (number) => ({ ...(liveModel().workers[0] as LiveWorker), number })),
    results: {
      ...results,
      servers: many(5, () => results.servers[0] as never),
      errors: many(8, () => results.errors[0] as never),
    },
  });
  const size = fc.record({
    width: fc.integer({ min: 20, max: 250 }),
    height: fc.integer({ min: 3, max: 90 }),
  });
  fc.assert(fc.property(size, ({ width, height }) => {
    const lines = dashboardLines(model, { ...SCREEN, width, height });
    assert.equal(lines.length, height);
    for (const line of lines) {
      assert.ok(displayWidth(line) <= width, `${displayWidth(line)} columns of ${width}: ${line}`);
      // deno-lint-ignore no-control-regex
      assert.ok(!/[\x00-\x1f\x7f-\x9f]/.test(line), JSON.stringify(line));
    }
    assert.match(lines.at(-1) as string, /^\[\+\/-\] concu/);
  }));
});

Deno.test("dashboardLines tell of a pause, a dead worker, a server that is not read, and the end", () => {
  const { workers, results, load } = liveModel();
  const text = (fields: Parameters<typeof liveModel>[0], screen = {}): string =>
    dashboardLines(liveModel(fields), { ...SCREEN, ...screen }).join("\n");
  const paused = text({
    load: {
      ...load,
      isPaused: true,
      changes: [{ atNs: 1, phase: "profiling", action: "concurrency", value: 18 }],
    },
  });
  assert.match(paused, /PAUSED[^]*by hand: concurrency 18[^]*\[p\] go on/);
  assert.match(
    text({ workers: [{ ...(workers[0] as LiveWorker), isAlive: false, number: 0 }] }),
    /^0: DIED$/m,
  );
  const servers = [{ url: "http://x/", kind: "", figures: [], problem: "404\x1b" }];
  assert.match(text({ results: { ...results, servers } }), /^not read: 404 *$/m);
  const stage = text({ stage: "writing 12 files" });
  assert.match(stage, /^inferometer .* writing 12 files\n/);
  assert.ok(!stage.includes("[p]"));
  assert.match(text({}, { hasKeys: false }), /\nCtrl-C stops and reports$/);
  const open = { ...load, loop: "open", concurrency: Infinity, ratePerSecond: 22 } as const;
  assert.match(text({ load: open }), /in flight 16 {3}ok[^]*\[\+\/-\] rate/);
});

Deno.test("dashboardLines are coloured only where that is wanted", () => {
  const plain = dashboardLines(liveModel(), SCREEN).join("");
  const coloured = dashboardLines(liveModel(), { ...SCREEN, color: true }).join("");
  assert.ok(!plain.includes("\x1b"));
  assert.ok(coloured.startsWith("\x1b[1minferometer"), coloured);
});

Deno.test("the head of the dashboard has the load, the elapsed of the planned time, and the phase", () => {
  const head = (fields: Parameters<typeof liveModel>[0]): string[] =>
    dashboardLines(liveModel({ requestCount: Infinity, ...fields }), SCREEN).slice(0, 2);
  const { load } = liveModel();
  const [timed, closed] = head({ plannedSeconds: 45, phase: "warmup", soFar: "" });
  assert.match(timed as string, / warm-up {2}12 of 45 s$/);
  assert.match(closed as string, /^closed loop, 16 in flight +$/);
  const open = { ...load, loop: "open", concurrency: 200, ratePerSecond: 19.25 } as const;
  const [long, offered] = head({ load: open, plannedSeconds: 7200, elapsedSeconds: 185 });
  assert.match(long as string, / 3 min of 2\.0 h$/);
  assert.match(offered as string, /^open loop, 19\.25 requests\/s +SATURATED/);
});
