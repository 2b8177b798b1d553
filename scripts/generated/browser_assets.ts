/** Script and style of a page, as one file that pages are made with. */

import * as esbuild from "esbuild";

/** What a page's script and style are made of. */
export interface BrowserSources {
  /** Path of the script's entry. */
  readonly entry: string;
  /** Style sheets, in their order. */
  readonly styles: readonly string[];
  /** Stands before the script. */
  readonly banner?: string;
  readonly plugins?: esbuild.Plugin[];
}

/**
 * What stands in the file: JSON. Pages name the hashes, so that a browser runs nothing else.
 * @throws {Error} if the script would end its own element
 */
export async function browserAssets(sources: BrowserSources): Promise<string> {
  const { entry, styles, banner = "", plugins = [] } = sources;
  const { outputFiles: [bundle] } = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    legalComments: "none",
    write: false,
    logLevel: "warning",
    plugins,
  });
  const { code } = await esbuild.transform(styles.join("\n"), { loader: "css", minify: true });
  await esbuild.stop();
  const script = `${banner}${bundle?.text.trim()}`;
  if (/<\/script|<!--/i.test(script)) throw new Error("The script would end its own element");
  const style = code.trim();
  const assets = {
    "script": script,
    "scriptHash": await hashOf(script),
    "style": style,
    "styleHash": await hashOf(style),
  };
  return `${JSON.stringify(assets, null, 2)}\n`;
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
