/** The part of `report.html` about sessions in a browser. */

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { reportPage } from "../../src/report/html/report_page.ts";
import { withFolder } from "../support/artifacts.ts";
import { ChromiumPage, findChromium } from "../support/chromium.ts";
import { madeSessions } from "../support/made_sessions.ts";
import { finishedRun, viewOf } from "../support/run_views.ts";
import { keepScreenshot } from "../support/screenshots.ts";

const chromium = findChromium();

Deno.test({
  name:
    "report.html draws sessions on wide, narrow and dark screens and on paper, and is read by keys",
  ignore: chromium === undefined,
  fn: () =>
    withFolder(async (folder) => {
      const path = `${folder}/report.html`;
      const view = viewOf(await finishedRun(madeSessions(7, 12)));
      const options = { summaryJson: "{}", summaryName: "a.json" };
      await Deno.writeTextFile(path, [...reportPage(view, options)].join(""));
      const { href } = pathToFileURL(path);
      await using page = await startPage();
      for (const [width, isDark] of [[1400, false], [390, true]] as const) {
        await page.open(href, { width, height: 900, isDark });
        await page.chartsDrawn();
        assert.equal(
          await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
          true,
        );
        const widths = await page.evaluate(
          `[...document.querySelectorAll("#sessions .plot > div > svg")].map((svg) =>
            [svg.getBoundingClientRect().width, svg.parentNode.parentNode.clientWidth])`,
        ) as [number, number][];
        assert.equal(widths.length, 4);
        assert.ok(widths.every(([drawn, room]) => drawn === room), `${widths}`);
        await page.evaluate(axe.source);
        const problems = await page.evaluate(
          `axe.run("#sessions").then(({ violations }) =>
            violations.filter(({ impact }) => impact === "serious" || impact === "critical")
              .map(({ id, nodes }) => [id, nodes[0].html]))`,
        );
        assert.deepEqual(problems, []);
        await keepScreenshot(`sessions-${width}.png`, () => page.screenshot());
      }
      await page.evaluate(`document.getElementById("plot-lanes-median").focus()`);
      await page.press("ArrowRight");
      const announced = () =>
        page.evaluate(`document.getElementById("announcements").textContent`) as Promise<string>;
      assert.match(await announced(), /^main, call 1 \(critical path\): start 0 ms, /);
      await page.press("End");
      assert.match(await announced(), /^main, call 12 .*prompt 4,300 tokens, cached 4,000 tokens/);
      assert.equal(
        await page.evaluate(`document.querySelector("#plot-lanes-median .tip").hidden`),
        false,
      );
      await page.open(href, { width: 718, height: 1000, isPrint: true });
      const pdf = await page.pdf();
      assert.equal(new TextDecoder().decode(pdf.subarray(0, 5)), "%PDF-");
      await keepScreenshot("sessions.pdf", () => Promise.resolve(pdf));
      assert.deepEqual(page.problems, []);
    }),
});

async function startPage(): Promise<ChromiumPage & AsyncDisposable> {
  const page = await ChromiumPage.start(chromium as string);
  return Object.assign(page, { [Symbol.asyncDispose]: () => page.close() });
}
