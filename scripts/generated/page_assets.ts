/** Script and style of the HTML report, as one file: `src/html/page_assets.json`. */

import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const BROWSER = fileURLToPath(new URL("../../src/html/browser/", import.meta.url));
const UPLOT = "npm:uplot@1.6.32";
/** The package's own files, in the runtime's cache. */
const PACKAGE = new URL("../", import.meta.resolve(UPLOT));

/** What stands in the file. Pages name the hashes, so that a browser runs nothing else. */
export async function pageAssets(): Promise<string> {
  const { outputFiles: [bundle] } = await esbuild.build({
    entryPoints: [`${BROWSER}main.ts`],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    legalComments: "none",
    write: false,
    logLevel: "warning",
    plugins: [{
      name: "uplot",
      setup(build) {
        build.onResolve({ filter: /^npm:uplot@/ }, () => ({
          path: fileURLToPath(new URL("dist/uPlot.esm.js", PACKAGE)),
        }));
      },
    }],
  });
  const styles = await Promise.all([
    Deno.readTextFile(new URL("dist/uPlot.min.css", PACKAGE)),
    Deno.readTextFile(`${BROWSER}page.css`),
  ]);
  const { code: style } = await esbuild.transform(styles.join("\n"), {
    loader: "css",
    minify: true,
  });
  await esbuild.stop();
  const license = await Deno.readTextFile(new URL("LICENSE", PACKAGE));
  const [holder = ""] = /Copyright[^\n]*/.exec(license) ?? [];
  const script = `/* ${UPLOT}, MIT License, ${holder.trim()} */\n${bundle?.text.trim()}`;
  return `${
    JSON.stringify(
      {
        "script": safe(script),
        "scriptHash": await hashOf(safe(script)),
        "style": style.trim(),
        "styleHash": await hashOf(style.trim()),
      },
      null,
      2,
    )
  }\n`;
}

/** A script inside a page must not hold what ends it. */
function safe(script: string): string {
  if (/<\/script|<!--/i.test(script)) throw new Error("The script would end its own element");
  return script;
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
