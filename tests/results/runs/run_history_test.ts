import assert from "node:assert/strict";
import { chartSvg } from "../../../src/core/chart/chart_svg.ts";
import { parseFigureName } from "../../../src/config/gate/slo.ts";
import { parseTagFilters, runHistory } from "../../../src/results/runs/run_history.ts";
import { runsJson } from "../../../src/results/runs/runs_json.ts";
import { runTable } from "../../../src/results/runs/run_table.ts";
import { trendChart } from "../../../src/results/runs/trend_chart.ts";
import { trendText } from "../../../src/results/runs/trend_text.ts";
import { UsageError } from "../../../src/config/options/usage_error.ts";
import { displayWidth } from "../../../src/report/console/display_width.ts";
import { withFolder } from "../../support/artifacts.ts";

/** What AIPerf's summary has, as far as lists need it. */
function summary(
  day: number,
  p99: number,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    "aiperf_version": "0.13.0",
    "time_to_first_token": { "unit": "ms", "avg": 1, "p50": p99 / 2, "p99": p99 },
    "min_request_timestamp": { "unit": "ns", "avg": Date.UTC(2026, 0, day) * 1e6 },
    "input_config": {
      "models": { "items": [{ "name": "q\u001b[2Jwen" }] },
      "phases": [{
        "name": "profiling",
        "kind": "profiling",
        "type": "concurrency",
        "concurrency": 8,
      }],
    },
    // AIPerf's names no zone.
    "start_time": `2026-01-0${day}T00:00:00.000000`,
    ...more,
  };
}

/** Writes a run's summary. */
async function write(folder: string, name: string, value: unknown): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/${name}`, JSON.stringify(value));
}

const NAME = "profile_export_aiperf.json";

/** A folder with runs of every kind, and things that are none. */
async function withRuns(test: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const tagged = { "aiperf_version": "inferometer/0.1.0", "tags": { "gpu": "a", "n": "1" } };
    await write(`${folder}/third`, NAME, summary(3, 30, tagged));
    await write(`${folder}/deep/er/first`, NAME, summary(1, 10));
    await write(
      `${folder}/second`,
      "mine.json",
      summary(2, 20, {
        ...tagged,
        ...{ "tags": { "gpu": "b" }, "was_cancelled": true },
        "measurement_error": { "verdict": "doubtful" },
      }),
    );
    await Deno.writeTextFile(`${folder}/second/mine.jsonl`, "");
    await write(`${folder}/third`, "gate.json", { "met": false });
    await write(`${folder}/third/run`, NAME, summary(9, 1));
    await write(`${folder}/node_modules/x`, NAME, summary(9, 1));
    await write(`${folder}/other`, "package.json", { "name": "x" });
    await write(`${folder}/broken/run`, "run.json", "no manifest");
    await Deno.mkdir(`${folder}/killed`);
    await Deno.writeTextFile(`${folder}/killed/profile_export.jsonl`, "{}\n");
    await Deno.symlink(folder, `${folder}/loop`);
    await test(folder);
  });
}

Deno.test("runHistory finds the runs below a folder, the oldest first, and nothing else", () =>
  withRuns(async (folder) => {
    const { runs } = await runHistory(folder, { tags: [], figure: undefined });
    assert.deepEqual(
      runs.map(({ folder, state, verdict, gatesMet, product }) => [
        ...[folder, state, verdict, gatesMet, product],
      ]),
      [
        ["deep/er/first", "complete", undefined, undefined, "aiperf/0.13.0"],
        ["second", "interrupted", "doubtful", undefined, "inferometer/0.1.0"],
        ["third", "complete", undefined, false, "inferometer/0.1.0"],
        ["broken", "unreadable", undefined, undefined, undefined],
        ["killed", "killed", undefined, undefined, undefined],
      ],
    );
    assert.equal(runs[0]?.startMs, Date.UTC(2026, 0, 1));
    assert.match(runs[3]?.problem ?? "", /run\.json/);
  }));

Deno.test("runHistory keeps the runs with every tag that is asked for", () =>
  withRuns(async (folder) => {
    const found = async (...tags: string[]) =>
      (await runHistory(folder, { tags: parseTagFilters(tags), figure: undefined })).runs
        .map(({ folder }) => folder);
    assert.deepEqual(await found("gpu"), ["second", "third"]);
    assert.deepEqual(await found("gpu=a"), ["third"]);
    assert.deepEqual(await found("gpu", "n=1"), ["third"]);
    assert.deepEqual(await found("gpu=b", "n"), []);
    assert.throws(() => parseTagFilters(["=a"]), UsageError);
  }));

Deno.test("a figure over time is there as text, as a picture and as JSON", () =>
  withRuns(async (folder) => {
    const figure = parseFigureName("ttft.p99", "--metric");
    const history = await runHistory(folder, { tags: [], figure });
    assert.deepEqual(history.points.map(({ value, unit }) => [value, unit]), [
      ...[[10, "ms"], [20, "ms"], [30, "ms"]],
    ]);
    const text = trendText("ttft.p99", history.points, 80);
    const bars = [...text.matchAll(/█+/g)].map(([bar]) => bar.length);
    assert.equal(bars.length, 3);
    const [first = 0, , last = 0] = bars;
    assert.ok(Math.abs(last / first - 3) < 0.4, text);
    for (const line of text.split("\n")) assert.ok(displayWidth(line) <= 80, line);
    const chart = trendChart("ttft.p99", history.points);
    assert.deepEqual(chart.series[0]?.x, [0, 1, 2]);
    assert.equal(chart.x.unit, "days");
    assert.match(chart.title, /10 ms in the first of 3 runs, 30 ms in the last/);
    const svg = chartSvg(chart, { width: 900, height: 340, isFile: true });
    assert.match(svg, /^<svg xmlns=/);
    const json = JSON.parse(runsJson(history, figure));
    assert.deepEqual(json.trend.points.map(({ value }: { value: number }) => value), [10, 20, 30]);
    assert.equal(json.runs.length, 5);
    assert.equal(json.runs[4].start_time, null);
  }));

Deno.test("trendChart draws a single run, and several of one moment", () =>
  withRuns(async (folder) => {
    const figure = parseFigureName("ttft.p50", "--metric");
    const { points: [point] } = await runHistory(folder, { tags: [], figure });
    assert.ok(point);
    for (const points of [[point], [point, point]]) {
      const svg = chartSvg(trendChart("x<y", points), { width: 900, height: 340, isFile: true });
      assert.doesNotMatch(svg, /NaN|Infinity|x<y/);
    }
  }));

Deno.test("runTable fits on the screen and steers no terminal", () =>
  withRuns(async (folder) => {
    const { runs } = await runHistory(folder, { tags: [], figure: undefined });
    for (const width of [80, 100, 160, 240]) {
      const table = runTable(runs, width);
      assert.ok(!table.includes("\u001b[2J"));
      for (const line of table.split("\n")) assert.ok(displayWidth(line) <= width, line);
      for (const run of runs) assert.ok(table.includes(run.folder), run.folder);
    }
    assert.match(runTable(runs, 240), /gates MISSED/);
  }));

Deno.test("runHistory names a manifest that cannot be read as damage", () =>
  withFolder(async (folder) => {
    await write(`${folder}/one`, NAME, summary(1, 10));
    await Deno.mkdir(`${folder}/one/run`);
    await Deno.writeTextFile(`${folder}/one/run/run.json`, '{"format": "infer');
    const { runs } = await runHistory(folder, { tags: [], figure: undefined });
    assert.match(runs[0]?.damage.join() ?? "", /^run\/run\.json: /);
  }));

Deno.test("runHistory counts sessions in the load of runs whose sessions have several requests", () =>
  withFolder(async (folder) => {
    const phase = { "name": "profiling", "kind": "profiling" };
    const configured = (phases: Readonly<Record<string, unknown>>) => ({
      "input_config": {
        "models": { "items": [{ "name": "m" }] },
        "phases": [{ ...phase, ...phases }],
      },
      "sessions": { "started": 9 },
    });
    const closed = { "type": "concurrency", "concurrency": 8, "sessions": 9 };
    const open = { "type": "poisson", "rate": 0.5, "concurrency": 1 };
    const users = { "inferometer": { "load_shape": { "profiling": { "users": 3 } } } };
    await write(`${folder}/a`, NAME, summary(1, 10, configured(closed)));
    await write(`${folder}/b`, NAME, summary(2, 10, configured(open)));
    await write(`${folder}/c`, NAME, summary(3, 10, { ...configured(open), ...users }));
    await write(`${folder}/d`, NAME, summary(4, 10));
    const { runs } = await runHistory(folder, { tags: [], figure: undefined });
    assert.deepEqual(runs.map(({ load }) => load), [
      "8 sessions in progress, 9 sessions",
      "0.500 sessions/s, at most 1 session in progress",
      "0.500 requests/s, at most 1 session in progress",
      "8 in flight",
    ]);
  }));
