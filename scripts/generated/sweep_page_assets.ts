/** Script and style of the pages of sweeps, as one file: `src/report/html/sweep_page_assets.json`. */

import { fileURLToPath } from "node:url";
import { browserAssets } from "./browser_assets.ts";

const BROWSER = fileURLToPath(new URL("../../src/report/html/browser/", import.meta.url));

/** Returns the contents of the file. */
export async function sweepPageAssets(): Promise<string> {
  return await browserAssets({
    entry: `${BROWSER}sweep_main.ts`,
    styles: await Promise.all(
      ["tokens.css", "page.css", "sweep.css"].map((name) => Deno.readTextFile(`${BROWSER}${name}`)),
    ),
  });
}
