/** Pages of sweeps and of their comparisons in a browser. */

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { frontierDifference } from "../../src/measurement/compare/frontier_difference.ts";
import type { DrawnPoint } from "../../src/measurement/compare/point_draws.ts";
import type { SweepComparison } from "../../src/measurement/compare/sweep_comparison.ts";
import { sweepComparisonPage } from "../../src/report/html/sweep_comparison_page.ts";
import { sweepPage } from "../../src/report/html/sweep_page.ts";
import { pointResults } from "../../src/report/sweep/point_results.ts";
import { parseRunFigures } from "../../src/report/sweep/run_figures.ts";
import type { SweepManifest } from "../../src/report/sweep/sweep_manifest.ts";
import { sweepPoints } from "../../src/report/sweep/sweep_points.ts";
import { withFolder } from "../support/artifacts.ts";
import { ChromiumPage, findChromium } from "../support/chromium.ts";

const chromium = findChromium();
const WIDE = { width: 1240, height: 900 };
const PHONE = { width: 390, height: 844 };
const HOSTILE = `</script><img src=x onerror="document.title='taken'">`;
const LOADS = [1, 8, 64];

/** The page of a sweep whose model has a hostile name. */
function sweepMarkup(): string {
  const points = sweepPoints(
    [{ option: "concurrency", name: "concurrency", values: LOADS }],
    "grid",
  )
    .map((point, index) => {
      const tokens = 100 * (index + 1);
      const figures = parseRunFigures(JSON.stringify({
        "output_token_throughput": { "unit": "tokens/sec", "avg": tokens },
        "interactivity": { "unit": "tokens/sec/user", "avg": 100 - 20 * index },
        "time_to_first_token": { "unit": "ms", "avg": 20, "p50": 20, "p99": 10 ** (index + 1) },
        "inter_token_latency": { "unit": "ms", "avg": 10 + index },
        "requests": { "sent": 10, "succeeded": 10, "failed": 0 },
        "input_config": { "models": { "items": [{ "name": HOSTILE }] } },
        "validity": { "window": "run", "verdict": index === 1 ? "suspect" : "valid" },
        "sampling_error": {
          "output_token_throughput": { "avg": { "lower": tokens - 9, "upper": tokens + 9 } },
        },
        "diagnosis": { "code": "saturated", "text": `Saturated ${HOSTILE}`, "evidence": [] },
        "evidence": { "latency_ms": 1000, "ttft_ms": 400, "decode_ms": 600, "queue_ms": 300 },
      }));
      assert.ok(figures !== undefined);
      return pointResults({ point, runs: [{ folder: point.folder, trial: 0, figures }] }, 0.95);
    });
  const manifest = {
    product: "inferometer/test",
    shape: { kind: "sweep", trials: 1, mode: "repeated" },
    command: `inferometer profile --model ${HOSTILE}`,
    notes: [],
    isComplete: true,
  } as unknown as SweepManifest;
  const limit = { name: "ttft.p99", condition: "< 500 ms", ms: 500 };
  return [...sweepPage({ manifest, points }, undefined, { missed: new Map(), limit })].join("");
}

function drawn(speed: number, rate: number): DrawnPoint {
  return {
    ...{ speed, rate },
    draws: [0.95, 1, 1.05].map((factor) => ({ speed, rate: rate * factor })),
    intervals: { speed: [speed - 1, speed + 1], rate: [rate * 0.95, rate * 1.05] },
  };
}

/** The page of a comparison of two sweeps. */
function comparisonMarkup(): string {
  const sides = {
    before: [drawn(100, 100), drawn(80, 700), drawn(60, 1500)],
    after: [drawn(90, 90), drawn(75, 600), drawn(62, 1900)],
  };
  const sidePoints = (points: readonly DrawnPoint[]) =>
    points.map(({ intervals, rate, speed }, index) => ({
      settings: { concurrency: LOADS[index] as number },
      ...{ speed, rate, speedInterval: intervals.speed, rateInterval: intervals.rate },
      ...{ isOnFront: true, runs: 1 },
    }));
  const comparison: SweepComparison = {
    ...{ before: "old", after: HOSTILE, points: [], onlyBefore: [], onlyAfter: [] },
    sides: { before: sidePoints(sides.before), after: sidePoints(sides.after) },
    frontier: frontierDifference(sides.before, sides.after),
    ...{ isComparable: true, isPerGpu: false, minDifference: 0.01, notes: [HOSTILE] },
  };
  const summary = { summaryJson: "{}", summaryName: "compare.json" };
  return [...sweepComparisonPage(comparison, "inferometer compare a b", summary)].join("");
}

/** Findings of axe-core that keep people from using a page. */
async function seriousProblems(page: ChromiumPage): Promise<unknown> {
  await page.evaluate(axe.source);
  return await page.evaluate(`axe.run(document).then(({ violations }) =>
    violations.filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => [id, nodes[0].html]))`);
}

async function withPage(
  markup: string,
  test: (page: ChromiumPage, url: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const path = `${folder}/page.html`;
    await Deno.writeTextFile(path, markup);
    const page = await ChromiumPage.start(chromium as string);
    try {
      const url = pathToFileURL(path).href;
      await page.open(url, WIDE);
      await test(page, url);
      assert.deepEqual(page.problems, []);
      assert.deepEqual(new Set(page.requests), new Set([url]), "nothing but the page itself");
    } finally {
      await page.close();
    }
  });
}

const PAGES = [
  ["sweep.html", sweepMarkup, "frontier", /tokens\/s\/user/],
  ["compare.html of sweeps", comparisonMarkup, "difference", /difference [+-]/],
] as const;

for (const [name, markup, plot, reading] of PAGES) {
  Deno.test({
    name: `${name} draws its plots, is read by keys, and fits each screen`,
    ignore: chromium === undefined,
    fn: () =>
      withPage(markup(), async (page, url) => {
        const text = async (expression: string): Promise<string> =>
          String(await page.evaluate(expression));
        assert.doesNotMatch(await text("document.title"), /^taken$/);
        for (const size of [WIDE, PHONE, { ...WIDE, isDark: true }]) {
          await page.open(url, size);
          assert.equal(
            await page.evaluate("document.documentElement.scrollWidth"),
            await page.evaluate("document.documentElement.clientWidth"),
            "nothing is scrolled sideways",
          );
          // Drawn at its real width, so that texts keep their size.
          assert.equal(
            await page.evaluate(`[...document.querySelectorAll(".plot")].every((plot) =>
              Math.abs(plot.querySelector("svg").getBoundingClientRect().width -
                plot.clientWidth) <= 1)`),
            true,
          );
          assert.deepEqual(await seriousProblems(page), []);
        }
        await page.open(url, WIDE);
        await page.evaluate(`document.getElementById("plot-${plot}").focus()`);
        await page.press("ArrowRight");
        const tip = `document.querySelector("#plot-${plot} .tip").hidden`;
        assert.equal(await page.evaluate(tip), false);
        assert.match(await text(`document.getElementById("announcements").textContent`), reading);
        await page.press("Escape");
        assert.equal(await page.evaluate(tip), true);
      }),
  });
}
