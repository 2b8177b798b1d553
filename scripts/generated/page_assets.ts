/** Script and style of the HTML report, as one file: `src/report/html/page_assets.json`. */

import { fileURLToPath } from "node:url";
import { browserAssets } from "./browser_assets.ts";

const BROWSER = fileURLToPath(new URL("../../src/report/html/browser/", import.meta.url));
const UPLOT = "npm:uplot@1.6.32";
/** The package's own files, in the runtime's cache. */
const PACKAGE = new URL("../", import.meta.resolve(UPLOT));

/** What stands in the file. */
export async function pageAssets(): Promise<string> {
  const license = await Deno.readTextFile(new URL("LICENSE", PACKAGE));
  const [holder = ""] = /Copyright[^\n]*/.exec(license) ?? [];
  return await browserAssets({
    entry: `${BROWSER}main.ts`,
    styles: await Promise.all([
      Deno.readTextFile(new URL("dist/uPlot.min.css", PACKAGE)),
      Deno.readTextFile(`${BROWSER}tokens.css`),
      Deno.readTextFile(`${BROWSER}page.css`),
    ]),
    banner: `/* ${UPLOT}, MIT License, ${holder.trim()} */\n`,
    plugins: [{
      name: "uplot",
      setup(build) {
        build.onResolve({ filter: /^npm:uplot@/ }, () => ({
          path: fileURLToPath(new URL("dist/uPlot.esm.js", PACKAGE)),
        }));
      },
    }],
  });
}
