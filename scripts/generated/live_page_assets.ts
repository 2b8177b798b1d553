/** Script and style of the live page, as one file: `src/report/live/live_page_assets.json`. */

import { fileURLToPath } from "node:url";
import { browserAssets } from "./browser_assets.ts";

const BROWSER = fileURLToPath(new URL("../../src/report/live/browser/", import.meta.url));

/** What stands in the file. */
export async function livePageAssets(): Promise<string> {
  return await browserAssets({
    entry: `${BROWSER}main.ts`,
    styles: await Promise.all([
      Deno.readTextFile(`${BROWSER}../../html/browser/tokens.css`),
      Deno.readTextFile(`${BROWSER}live.css`),
    ]),
  });
}
