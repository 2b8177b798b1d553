/** `report.html` in a browser, and the commands that make and open it. */

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { reportPage } from "../../src/report/html/report_page.ts";
import { withFolder } from "../support/artifacts.ts";
import { ChromiumPage, findChromium } from "../support/chromium.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { PROFILE } from "../support/profile_run.ts";
import { runCli } from "../support/run_cli.ts";
import { keepScreenshot } from "../support/screenshots.ts";
import { finishedRun, type MadeRequest, steadyRequests, viewOf } from "../support/run_views.ts";

const chromium = findChromium();
if (chromium === undefined) {
  // deno-lint-ignore no-console
  console.warn("There is no Chromium: what a browser makes of report.html is not tested");
}
const WIDE = { width: 1240, height: 900 };
const HOSTILE = `</script><img src=x onerror="document.title='taken'">`;

/** Requests of ten seconds, of which some fail. */
function* requests(): Generator<MadeRequest> {
  for (const request of steadyRequests(500, 0.2)) {
    if ((request.startNs ?? 0) % 7 !== 0) yield request;
    else {yield {
        ...request,
        error: "http_status",
        status: 500,
        message: `HTTP 500 No: ${HOSTILE}`,
      };}
  }
}

/** A page of a made-up run, open in a browser. */
async function withPage(
  test: (page: ChromiumPage, url: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const path = `${folder}/report.html`;
    const view = viewOf(await finishedRun(requests(), { options: { goodput: "ttft:120" } }));
    const options = { summaryJson: '{"a":1}', summaryName: "a.json" };
    await Deno.writeTextFile(path, [...reportPage(view, options)].join(""));
    const page = await ChromiumPage.start(chromium as string);
    try {
      const url = pathToFileURL(path).href;
      await page.open(url, WIDE);
      await page.chartsDrawn();
      await test(page, url);
      assert.deepEqual(page.problems, []);
      assert.deepEqual(new Set(page.requests), new Set([url]), "nothing but the page itself");
    } finally {
      await page.close();
    }
  });
}

function browserTest(name: string, test: (page: ChromiumPage, url: string) => Promise<void>): void {
  Deno.test({ name, ignore: chromium === undefined, fn: () => withPage(test) });
}

/** Bounds of a chart's plot on the screen, scrolled to. */
async function plotOf(page: ChromiumPage, id: string) {
  return await page.evaluate(`(() => {
    const plot = document.querySelector("#chart-${id} .u-over");
    plot.scrollIntoView({ block: "center" });
    const { left, top, width, height } = plot.getBoundingClientRect();
    return { left, top, width, height };
  })()`) as { left: number; top: number; width: number; height: number };
}

/** What the page says to those who do not see it. */
async function announced(page: ChromiumPage): Promise<string> {
  return await page.evaluate(`document.getElementById("announcements").textContent`) as string;
}

browserTest(
  "report.html draws every picture, and takes nothing of what a server said",
  async (page) => {
    assert.equal(
      await page.evaluate(`[...document.querySelectorAll("figure.chart")]
      .every((figure) => figure.querySelector("canvas") !== null)`),
      true,
    );
    assert.notEqual(await page.evaluate("document.title"), "taken");
    assert.equal(await page.evaluate(`document.querySelectorAll("img").length`), 0);
    assert.equal(await page.evaluate(`document.documentElement.scrollWidth <= innerWidth`), true);
  },
);

browserTest(
  "report.html shows a stretch of time that is dragged over in all pictures of the clock",
  async (page) => {
    const { left, top, width, height } = await plotOf(page, "time-ttft");
    const y = top + height / 2;
    await page.mouse("mousePressed", left + width * 0.4, y);
    await page.mouse("mouseMoved", left + width * 0.5, y);
    await page.mouse("mouseMoved", left + width * 0.6, y);
    await page.mouse("mouseReleased", left + width * 0.6, y);
    const [from, to] = /^Shown: ([\d.]+) s to ([\d.]+) s$/.exec(await announced(page))?.slice(1) ??
      [];
    assert.ok(
      Math.abs(Number(from) - 4.04) < 0.1 && Math.abs(Number(to) - 6.06) < 0.1,
      `${from} ${to}`,
    );
    assert.equal(await page.evaluate(`document.getElementById("reset-zoom").hidden`), false);
    await keepScreenshot("zoomed.png", () => page.screenshot());
    const again = await plotOf(page, "requests");
    for (const clicks of [1, 2]) {
      await page.mouse("mousePressed", again.left + 50, again.top + 5, clicks);
      await page.mouse("mouseReleased", again.left + 50, again.top + 5, clicks);
    }
    assert.equal(await announced(page), "The whole run is shown");
  },
);

browserTest(
  "report.html shows the values under the cursor in all pictures of the clock",
  async (page) => {
    const { left, top, width, height } = await plotOf(page, "time-requests");
    await page.mouse("mouseMoved", left + width / 2, top + height / 2);
    for (const id of ["time-requests", "time-ttft", "time-latency"]) {
      const text = await page.evaluate(
        `document.querySelector("#chart-${id} .tip").textContent`,
      ) as string;
      assert.match(text, /^5(\.\d+)? s/, `${id}: ${text}`);
    }
  },
);

browserTest("report.html is read and zoomed by the keyboard alone", async (page) => {
  await page.evaluate(`document.querySelector("#chart-time-ttft .live").focus()`);
  assert.equal(
    await page.evaluate(`document.activeElement.getAttribute("aria-label").startsWith("TTFT")`),
    true,
  );
  await page.press("ArrowRight");
  const first = await announced(page);
  assert.match(first, /^[\d.]+ s: request [\d.]+ ms, median [\d.]+ ms$/);
  await page.press("ArrowRight");
  const second = await announced(page);
  assert.notEqual(second, first);
  await page.press("ArrowLeft");
  assert.equal(await announced(page), first);
  await page.press("End");
  assert.ok(parseFloat(await announced(page)) > 9);
  await page.press("+");
  assert.match(await announced(page), /^Shown: /);
  await page.press("Escape");
  assert.equal(await announced(page), "The whole run is shown");
});

browserTest("report.html tells of a request that is clicked, or gone to by keys", async (page) => {
  const { left, top, width } = await plotOf(page, "requests");
  await keepScreenshot("requests.png", () => page.screenshot());
  const places = await page.evaluate(`(() => {
    const { requests } = JSON.parse(document.getElementById("data").textContent);
    const most = Math.max(...requests.map(({ latencyMs }) => latencyMs));
    return { count: requests.length, most, start: requests[250].start };
  })()`) as { count: number; most: number; start: number };
  assert.equal(places.count, 500);
  const details = () =>
    page.evaluate(`document.getElementById("request-details").textContent`) as Promise<string>;
  await page.evaluate(`document.querySelector("#chart-requests .live").focus()`);
  await page.press("n");
  assert.match(await details(), /^Request 0: /);
  await page.press("n");
  const second = await details();
  assert.match(second, /^Request 1: valid.*wait.*latency.*TTFT.*tokens out/);
  assert.equal(
    await page.evaluate(`document.querySelectorAll("#request-details svg rect").length >= 4`),
    true,
  );
  // All over the middle: one of the marks is near.
  for (let share = 0.1; share < 1 && (await details()) === second; share += 0.1) {
    const { height } = await plotOf(page, "requests");
    const x = left + width / 2;
    await page.mouse("mousePressed", x, top + height * share);
    await page.mouse("mouseReleased", x, top + height * share);
  }
  assert.match(await details(), /^Request 2\d\d: /);
  await page.evaluate(`document.querySelector("#chart-requests .live").focus()`);
  for (let i = 0; i < 20 && !(await details()).includes("failed"); i++) await page.press("n");
  assert.match(await details(), /failed.*http_status 500: <\/script><img/);
});

browserTest("report.html changes its axes and colours", async (page) => {
  const shown = () =>
    page.evaluate(
      `[...document.querySelectorAll("#distributions [data-scale]")].filter((part) => !part.hidden)
      .map((part) => part.dataset.scale).join(" ")`,
    );
  const before = await shown();
  await page.evaluate(`document.querySelector("#distributions button[data-axis]").click()`);
  assert.notEqual(await shown(), before);
  assert.equal(
    await page.evaluate(
      `[...document.querySelectorAll("#distributions [data-scale]:not([hidden]) .uplot")]
      .every((plot) => plot.clientWidth > 300)`,
    ),
    true,
  );
  const ground = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
  assert.equal(await ground(), "rgb(250, 249, 246)");
  await page.evaluate(`document.getElementById("theme").click()`);
  assert.equal(await ground(), "rgb(14, 17, 21)");
});

browserTest("report.html fits a phone, a dark screen and paper", async (page, url) => {
  await keepScreenshot("light.png", () => page.screenshot());
  await page.open(url, { ...WIDE, isDark: true });
  assert.equal(
    await page.evaluate("getComputedStyle(document.documentElement).colorScheme"),
    "dark",
  );
  await keepScreenshot("dark.png", () => page.screenshot());
  await page.open(url, { width: 390, height: 800 });
  assert.equal(await page.evaluate("document.documentElement.scrollWidth <= 390"), true);
  await keepScreenshot("phone.png", () => page.screenshot());
  await page.open(url, { width: 718, height: 1000, isDark: true, isPrint: true });
  await page.chartsDrawn();
  assert.equal(
    await page.evaluate(`[...document.querySelectorAll("figure.chart")].every((figure) =>
      getComputedStyle(figure.querySelector(".still")).display === "block" &&
      getComputedStyle(figure.querySelector(".live")).display === "none")`),
    true,
  );
  await keepScreenshot("print.png", () => page.screenshot());
  const pdf = await page.pdf();
  assert.equal(new TextDecoder().decode(pdf.subarray(0, 5)), "%PDF-");
  await keepScreenshot("print.pdf", () => Promise.resolve(pdf));
});

browserTest("report.html names all that can be reached by the keyboard", async (page) => {
  const unnamed = await page.evaluate(`[...document.querySelectorAll("button, [tabindex]")]
    .filter((element) => !element.hidden && element.checkVisibility())
    .filter((element) => !(element.getAttribute("aria-label") || element.textContent.trim()))
    .map((element) => element.outerHTML)`);
  assert.deepEqual(unnamed, []);
  const ids = await page.evaluate(
    `[...document.querySelectorAll("[id]")].map(({ id }) => id)`,
  ) as string[];
  assert.equal(new Set(ids).size, ids.length, "no id twice");
  const levels = await page.evaluate(
    `[...document.querySelectorAll("h1, h2, h3")].map(({ tagName }) => Number(tagName[1]))`,
  ) as number[];
  assert.ok(
    levels.every((level, i) => i === 0 ? level === 1 : level <= (levels[i - 1] as number) + 1),
  );
});

/** Findings of axe-core that keep people from using a page. */
async function seriousProblems(page: ChromiumPage): Promise<unknown> {
  await page.evaluate(axe.source);
  return await page.evaluate(`axe.run(document).then(({ violations }) =>
    violations.filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => [id, nodes[0].html]))`);
}

for (const isDark of [false, true]) {
  browserTest(
    `report.html has no serious barrier on ${isDark ? "dark" : "light"} screens, wide and narrow`,
    async (page, url) => {
      for (const width of [1400, 390]) {
        await page.open(url, { width, height: 900, isDark });
        assert.deepEqual(await seriousProblems(page), [], `${width}`);
      }
    },
  );
}

browserTest(
  "report.html answers on its first screen, and says what proves the answers",
  async (page, url) => {
    await page.open(url, { width: 1400, height: 900 });
    const bottom = await page.evaluate(
      `document.querySelector(".three").getBoundingClientRect().bottom`,
    ) as number;
    assert.ok(bottom <= 900, `${bottom}`);
    const questions = await page.evaluate(
      `[...document.querySelectorAll(".three h2")].map(({ textContent }) => textContent)`,
    );
    assert.deepEqual(questions, [
      "Is it good enough?",
      "What limits it?",
      "Can I publish this number?",
    ]);
    const replies = await page.evaluate(
      `[...document.querySelectorAll(".say, .three .reply")].map(({ textContent }) => textContent)`,
    ) as string[];
    assert.equal(replies.length, 4);
    assert.ok(replies.every((text) => text.trim() !== ""), `${replies}`);
  },
);

Deno.test("profile writes report.html, unless it is told not to; report makes it all the same", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "5", "--itl", "1"]);
    const args = [
      ...PROFILE,
      "--url",
      mock.url,
      "--streaming",
      "--request-count",
      "6",
      "--osl",
      "4",
    ];
    const run = await runCli([
      ...args,
      "--artifact-dir",
      `${folder}/a`,
      "--profile-export-prefix",
      "mine",
    ]);
    assert.equal(run.code, 0, run.stderr);
    const page = await Deno.readTextFile(`${folder}/a/mine_report.html`);
    assert.match(page, /6 requests, none failed/);
    assert.match(run.stdout, /mine_report\.html/);
    const without = await runCli([...args, "--artifact-dir", `${folder}/b`, "--no-report"]);
    assert.equal(without.code, 0, without.stderr);
    await assert.rejects(Deno.stat(`${folder}/b/report.html`), Deno.errors.NotFound);
    const again = await runCli(["report", `${folder}/b`]);
    assert.equal(again.code, 0, again.stderr);
    assert.ok((await Deno.stat(`${folder}/b/report.html`)).isFile);
  }));

Deno.test("report --open hands the page to the desktop, or says where it is", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock();
    const run = await runCli([
      ...[...PROFILE, "--url", mock.url, "--request-count", "2", "--artifact-dir", `${folder}/a b`],
    ]);
    assert.equal(run.code, 0, run.stderr);
    const url = pathToFileURL(`${await Deno.realPath(folder)}/a b/report.html`).href;
    const path = `${folder}/bin`;
    await Deno.mkdir(path);
    // No desktop: only what runs the program itself.
    const plain = await runCli(["report", `${folder}/a b`, "--open"], { env: { "PATH": path } });
    assert.equal(plain.code, 0, plain.stderr);
    assert.ok(plain.stderr.includes(url), plain.stderr);
    if (Deno.env.has("INFEROMETER_BINARY") || Deno.build.os !== "linux") return;
    await Deno.writeTextFile(`${path}/xdg-open`, `#!/bin/sh\necho "$1" > "${folder}/opened"\n`, {
      mode: 0o755,
    });
    const opened = await runCli(["report", `${folder}/a b`, "--open"], { env: { "PATH": path } });
    assert.equal(opened.code, 0, opened.stderr);
    assert.equal(await Deno.readTextFile(`${folder}/opened`), `${url}\n`);
  }));

Deno.test("plot draws the pictures of a run as SVG files, also of one without streams", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "5", "--itl", "1"]);
    for (const [name, streaming] of [["a", ["--streaming"]], ["b", []]] as const) {
      const run = await runCli([
        ...["profile", "--url", mock.url, "--request-count", "20", "--osl", "4", ...streaming],
        ...["--artifact-dir", `${folder}/${name}`, "--server-metrics-flush-period", "0.1"],
      ]);
      assert.equal(run.code, 0, run.stderr);
      const { code, stdout, stderr } = await runCli(["plot", `${folder}/${name}/`]);
      assert.equal(code, 0, stderr);
      const paths = stdout.trim().split("\n");
      const files = await Array.fromAsync(Deno.readDir(`${folder}/${name}/plots`));
      const names = files.map(({ name }) => name).sort();
      assert.deepEqual(paths.map((path) => path.split("/").at(-1)).sort(), names);
      assert.equal(names.includes("ttft-cumulative.svg"), name === "a");
      for (const wanted of ["time-requests.svg", "latency-histogram.svg", "requests.svg"]) {
        assert.ok(names.includes(wanted), wanted);
      }
      for (const path of paths) {
        assert.match(await Deno.readTextFile(path), /^<svg xmlns=[^]*<\/svg>$/);
      }
    }
    const png = await runCli(["plot", `${folder}/b`, "--format", "png"]);
    assert.equal(png.code, 0, png.stderr);
    for (const path of png.stdout.trim().split("\n")) {
      const bytes = await Deno.readFile(path);
      assert.deepEqual([...bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47], path);
    }
    const unknown = await runCli(["plot", `${folder}/b`, "--format", "gif"]);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /--format: .*svg, png.*"gif"/);
    const { code, stderr } = await runCli(["plot", folder]);
    assert.equal(code, 2);
    assert.match(stderr, /contains no records of a run/);
  }));
