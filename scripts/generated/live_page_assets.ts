/** Script and style of the live page, as one file: `src/live/live_page_assets.json`. */

import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const BROWSER = fileURLToPath(new URL("../../src/live/browser/", import.meta.url));

/** What stands in the file. The page's policy names the hashes, so that a browser runs nothing else. */
export async function livePageAssets(): Promise<string> {
  const { outputFiles: [bundle] } = await esbuild.build({
    entryPoints: [`${BROWSER}main.ts`],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    legalComments: "none",
    write: false,
    logLevel: "warning",
  });
  const { code: style } = await esbuild.transform(
    await Deno.readTextFile(`${BROWSER}live.css`),
    { loader: "css", minify: true },
  );
  await esbuild.stop();
  const script = bundle?.text.trim() ?? "";
  if (/<\/script|<!--/i.test(script)) throw new Error("The script would end its own element");
  return `${
    JSON.stringify(
      {
        "script": script,
        "scriptHash": await hashOf(script),
        "style": style.trim(),
        "styleHash": await hashOf(style.trim()),
      },
      null,
      2,
    )
  }\n`;
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
