// deno-lint-ignore-file no-console
/**
 * Builds the site of the documentation, which fails at dead links, and looks at it in Chromium from
 * a static file server, without a network: pages, and the search. `--site DIR` takes one that is
 * built. Where npm or Chromium is missing, it says so and leaves that out.
 */

import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { findProgram } from "../tests/support/browser_process.ts";
import { ChromiumPage, findChromium } from "../tests/support/chromium.ts";
import { serveFolder } from "../tests/support/serve_folder.ts";

const ROOT = new URL("../", import.meta.url);
const WORD = "goodput";
const SCREEN = { width: 1280, height: 900 };
/** Names lead nowhere, whatever a page asks for. */
const NO_NETWORK = ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"];
const MAX_WAIT_MS = 60_000;

/** An expression whose value is true as soon as the condition is, at every change of the page. */
function until(condition: string): string {
  return `new Promise((resolve, reject) => {
    const look = () => { if (${condition}) { seen.disconnect(); resolve(true); } };
    const seen = new MutationObserver(look);
    seen.observe(document, { subtree: true, childList: true, attributes: true });
    setTimeout(() => reject(new Error(${JSON.stringify(condition)})), ${MAX_WAIT_MS});
    look();
  })`;
}

/** Fails unless the pages of a site and its search work without a network. */
async function look(folder: string, chromium: string): Promise<void> {
  await using server = serveFolder(folder);
  const page = await ChromiumPage.start(chromium, NO_NETWORK);
  try {
    for (const path of ["/", "/options.html", "/endpoints.html"]) {
      await page.open(server.url + path, SCREEN);
      const words = await page.evaluate("document.querySelector('main').innerText.length");
      assert.ok(Number(words) > 500, `${path} is empty`);
    }
    await page.evaluate("document.querySelector('.VPNavBarSearch button').click()");
    await page.evaluate(until("document.querySelector('#localsearch-input')"));
    await page.evaluate(`{
      const input = document.querySelector('#localsearch-input');
      input.value = ${JSON.stringify(WORD)};
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
    const hits = "document.querySelectorAll('.VPLocalSearchBox .result')";
    await page.evaluate(until(`${hits}.length > 0`));
    const found = await page.evaluate(`[...${hits}].map((hit) => hit.getAttribute('href'))`);
    await page.evaluate(`${hits}[0].click()`);
    await page.evaluate(until("!document.querySelector('.VPLocalSearchBox')"));
    await page.evaluate(until(
      `document.querySelector('main').innerText.toLowerCase().includes(${JSON.stringify(WORD)})`,
    ));
    const outside = page.requests.filter((url) =>
      !url.startsWith(`${server.url}/`) && !/^(data|blob|about):/.test(url)
    );
    assert.deepEqual(outside, []);
    assert.deepEqual(page.problems, []);
    console.log(`The search finds ${WORD} ${(found as string[]).length} times: ${found}`);
  } finally {
    await page.close();
  }
}

const { values } = parseArgs({ args: Deno.args, options: { site: { type: "string" } } });
const chromium = findChromium();
if (values.site === undefined && findProgram(["npx"]) === undefined) {
  console.log("Skipped: there is no npx to build the site with");
} else {
  if (values.site === undefined) {
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: ["task", "docs"],
      cwd: ROOT,
    }).spawn().status;
    assert.ok(success, "The site cannot be built");
  }
  const folder = values.site ?? new URL("dist/site", ROOT).pathname;
  if (chromium === undefined) console.log("Skipped: there is no Chromium to look at the site with");
  else await look(folder, chromium);
}
