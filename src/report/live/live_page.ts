/** Page that shows a run in progress: one document, which contacts only its own server. */

import { VERSION } from "../../config/plan/version.ts";
import assets from "./live_page_assets.json" with { type: "json" };

/** Content security policy of the page: run its script, use its style, connect to its origin. */
export const LIVE_PAGE_POLICY = [
  "default-src 'none'",
  `script-src '${assets.scriptHash}'`,
  `style-src '${assets.styleHash}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The page; what it shows comes later, so that it is the same for every run. */
export function livePage(): string {
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    "<title>inferometer</title>",
    `<style>${assets.style}</style>`,
    "</head>\n<body>",
    '<header><span class="brand">inferometer</span><p id="target"></p>',
    '<p id="state" role="status"></p></header>',
    '<h1 id="what"></h1><p id="so-far" role="status"></p>',
    '<main id="main"></main>',
    `<footer>inferometer ${VERSION}; it shows the run and cannot change it</footer>`,
    `<script>${assets.script}</script>\n</body>\n</html>\n`,
  ].join("\n");
}
