/**
 * What `report.html` of a long run costs: the time to make it, its size, and, where there is a
 * Chromium, the time until its pictures can be used.
 */

import { pathToFileURL } from "node:url";
import { reportPage } from "../../../src/report/html/report_page.ts";
import { ChromiumPage, findChromium } from "../../../tests/support/chromium.ts";
import { finishedRun, type MadeRequest, viewOf } from "../../../tests/support/run_views.ts";
import type { BenchCase } from "../bench_case.ts";
import type { BenchRow } from "../bench_row.ts";
import { OURS } from "../product.ts";
import { atMost, type Target } from "../target.ts";

const REQUESTS = 100_000;
/** Content chunks of a reply. */
const CHUNKS = 100;
const GAP_NS = 5e6;

/** See the module's comment. */
export const reportPageCosts: BenchCase = {
  name: "report",
  description: "report.html of 100,000 requests: making it, its size, a browser with it",
  async run(context) {
    const browser = findChromium();
    const makeSeconds: number[] = [];
    const megabytes: number[] = [];
    const readyMs: number[] = [];
    for (let round = 0; round < context.rounds; round++) {
      context.progress(`report: round ${round + 1}`);
      const view = viewOf(await finishedRun(requests()));
      const startMs = performance.now();
      const text = [...reportPage(view, { summaryJson: "{}", summaryName: "a.json" })].join("");
      makeSeconds.push((performance.now() - startMs) / 1e3);
      megabytes.push(new TextEncoder().encode(text).length / 1e6);
      if (browser !== undefined) readyMs.push(await readyAfter(browser, text));
    }
    const row = (label: string, unit: string, values: number[], target: Target): BenchRow => ({
      ...{ label, unit, values: new Map([[OURS, values]]), targets: [target], machine: [] },
    });
    return [
      row("made in", "s", makeSeconds, atMost(3)),
      row("size", "MB", megabytes, atMost(5)),
      ...(browser === undefined ? [] : [row("usable after", "ms", readyMs, atMost(1000))]),
    ];
  },
};

/** Requests of which one in a hundred fails, sixteen at a time. */
function* requests(): Generator<MadeRequest> {
  for (let index = 0; index < REQUESTS; index++) {
    const startNs = 1e9 + Math.floor(index / 16) * 600e6 + index % 16 * 1e5;
    const ttftNs = Math.round(50e6 + 20e6 * ((index * 7919) % 1000) / 1000);
    const chunkNs = Float64Array.from({ length: CHUNKS }, (_, i) => startNs + ttftNs + i * GAP_NS);
    const endNs = startNs + ttftNs + CHUNKS * GAP_NS;
    yield {
      ...{ index, startNs, chunkNs, endNs, outputTokens: CHUNKS, inputTokens: 100 + index % 900 },
      ...{ requestId: crypto.randomUUID() },
      ...(index % 100 === 0 ? { error: "timeout" as const, message: "No complete reply" } : {}),
    };
  }
}

/** Milliseconds from the beginning of navigation until the page's script is through. */
async function readyAfter(browser: string, text: string): Promise<number> {
  const file = await Deno.makeTempFile({ suffix: ".html" });
  await Deno.writeTextFile(file, text);
  const page = await ChromiumPage.start(browser);
  try {
    await page.open(pathToFileURL(file).href, { width: 1240, height: 900 });
    return await page.evaluate(
      `performance.getEntriesByName("report-ready")[0].startTime`,
    ) as number;
  } finally {
    await page.close();
    await Deno.remove(file);
  }
}
