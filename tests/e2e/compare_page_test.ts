/** `compare.html` in a browser. */

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { independentLoad } from "../../scripts/bench/observations/simulated_runs.ts";
import { comparisonPage } from "../../src/report/html/comparison_page.ts";
import { withFolder } from "../support/artifacts.ts";
import { ChromiumPage, findChromium } from "../support/chromium.ts";
import { comparisonView } from "../support/comparison_views.ts";
import { keepScreenshot } from "../support/screenshots.ts";

const chromium = findChromium();
const WIDE = { width: 1240, height: 900 };

Deno.test({
  name: "compare.html is zoomed and read as one, loads nothing, and fits a phone and paper",
  ignore: chromium === undefined,
  fn: () =>
    withFolder(async (folder) => {
      const load = independentLoad(400, 8);
      const view = comparisonView([
        ["old", [load.run(1, 1)]],
        ["new", [load.run(2, 1.2)]],
        ["next", [load.run(3, 0.9), load.run(4, 1)]],
      ], { settings: [{ name: "seed", values: ["1", "2", "1"] }] });
      const path = `${folder}/compare.html`;
      const summary = { summaryJson: "{}", summaryName: "comparison.json" };
      await Deno.writeTextFile(path, [...comparisonPage(view, summary)].join(""));
      const url = pathToFileURL(path).href;
      const page = await ChromiumPage.start(chromium as string);
      try {
        await page.open(url, WIDE);
        await page.chartsDrawn();
        assert.equal(
          await page.evaluate(`[...document.querySelectorAll("figure.chart")]
            .every((figure) => figure.querySelector("canvas") !== null)`),
          true,
        );
        await keepScreenshot("compare.png", () => page.screenshot());
        await page.evaluate(`document.querySelector("#chart-time-latency .live").focus()`);
        const announced = () =>
          page.evaluate(`document.getElementById("announcements").textContent`) as Promise<string>;
        await page.press("ArrowRight");
        assert.match(await announced(), /^[\d.]+ s: .*(old|new|next) p50 [\d.]+ ms/);
        await page.press("+");
        assert.match(await announced(), /^Shown: /);
        assert.equal(await page.evaluate(`document.getElementById("reset-zoom").hidden`), false);
        await page.press("Escape");
        assert.equal(await announced(), "The whole run is shown");
        await page.open(url, { width: 390, height: 800, isDark: true });
        assert.equal(await page.evaluate("document.documentElement.scrollWidth <= 390"), true);
        await keepScreenshot("compare_phone.png", () => page.screenshot());
        await page.open(url, { width: 718, height: 1000, isPrint: true });
        await page.chartsDrawn();
        await keepScreenshot("compare_print.png", () => page.screenshot());
        assert.deepEqual(page.problems, []);
        assert.deepEqual(new Set(page.requests), new Set([url]), "nothing but the page itself");
      } finally {
        await page.close();
      }
    }),
});
