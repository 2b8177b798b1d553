/** The pages in Firefox, where there is one. */

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { independentLoad } from "../../scripts/bench/observations/simulated_runs.ts";
import { comparisonPage } from "../../src/report/html/comparison_page.ts";
import { reportPage } from "../../src/report/html/report_page.ts";
import { withFolder } from "../support/artifacts.ts";
import { comparisonView } from "../support/comparison_views.ts";
import { CHARTS_DRAWN } from "../support/chromium.ts";
import { findFirefox, FirefoxPage } from "../support/firefox.ts";
import { finishedRun, type MadeRequest, steadyRequests, viewOf } from "../support/run_views.ts";
import { keepScreenshot } from "../support/screenshots.ts";

const firefox = findFirefox();

/** Some of which fail. */
function* requests(): Generator<MadeRequest> {
  for (const request of steadyRequests(200, 0.5)) {
    const isBad = (request.startNs ?? 0) % 7 === 0;
    yield { ...request, ...(isBad ? { error: "timeout" as const, message: "No reply" } : {}) };
  }
}

Deno.test({
  name: "Firefox draws every picture of the pages, zooms them, and loads nothing else",
  ignore: firefox === undefined,
  fn: () =>
    withFolder(async (folder) => {
      const load = independentLoad(400, 8);
      const summary = { summaryJson: "{}", summaryName: "a.json" };
      const pages = {
        "report": reportPage(viewOf(await finishedRun(requests())), summary),
        "compare": comparisonPage(
          comparisonView([["old", [load.run(1, 1)]], ["new", [load.run(2, 1.2)]]]),
          summary,
        ),
      };
      const page = await FirefoxPage.start(firefox as string);
      try {
        for (const [name, text] of Object.entries(pages)) {
          const path = `${folder}/${name}.html`;
          await Deno.writeTextFile(path, [...text].join(""));
          const url = pathToFileURL(path).href;
          await page.open(url, { width: 1240, height: 900 });
          await page.evaluate(CHARTS_DRAWN);
          await keepScreenshot(`firefox_${name}.png`, () => page.screenshot());
          assert.equal(
            await page.evaluate(`[...document.querySelectorAll("figure.chart")]
              .every((figure) => figure.querySelector("canvas") !== null)`),
            true,
            name,
          );
          assert.equal(
            await page.evaluate(`document.documentElement.scrollWidth <= innerWidth`),
            true,
          );
          await page.evaluate(`(() => {
            const host = document.querySelector("#chart-time-latency .live");
            host.focus();
            host.dispatchEvent(new KeyboardEvent("keydown", { key: "+" }));
          })()`);
          assert.match(
            await page.evaluate(`document.getElementById("announcements").textContent`) as string,
            /^Shown: /,
          );
          assert.deepEqual(page.problems, [], name);
          // The browser's own fonts are data, and it does not count files.
          assert.deepEqual(page.requests.filter((url) => !/^(data|file):/.test(url)), [], name);
        }
      } finally {
        await page.close();
      }
    }),
});
