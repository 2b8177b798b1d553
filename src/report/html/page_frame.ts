/**
 * Frame around the content of every page: a policy that keeps the browser from loading, sending or
 * running anything but the page's own script and style, and the data for that script.
 */

import type { Plot } from "../../core/chart/plot.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import { escapedControls } from "../../core/files/escaped_controls.ts";
import type { PageData } from "./browser/page_data.ts";
import reportAssets from "./page_assets.json" with { type: "json" };
import { unbroken } from "./unbroken.ts";

/** Numbers of a page as a downloadable file. */
export interface PageSummary {
  /** JSON. */
  readonly summaryJson: string;
  /** Name of the summary file. */
  readonly summaryName: string;
}

/** Script and style of a page, with their hashes. */
export type PageAssets = typeof reportAssets;

/**
 * The page up to its body.
 * @param hasScript whether the page's own script may run, besides which none may
 * @param assets script and style; those of reports by default
 */
export function pageHead(
  title: string,
  { hasScript = true, assets = reportAssets }: { hasScript?: boolean; assets?: PageAssets } = {},
): string {
  const policy = [
    "default-src 'none'",
    ...(hasScript ? [`script-src '${assets.scriptHash}'`] : []),
    `style-src '${assets.styleHash}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapedMarkup(`${title} - inferometer`)}</title>`,
    `<style>${assets.style}</style>`,
    "</head>\n<body>\n",
  ].join("\n");
}

/** The bar with the buttons. They are of use only with a script, and hidden without one. */
export function pageBar(meta: string, buttons: readonly (readonly [id: string, text: string])[]) {
  return [
    '<a class="skip" href="#main">To the results</a>',
    `<header><div><span class="brand">inferometer</span> <span class="meta">${
      escapedMarkup(meta)
    }</span></div>`,
    '<div class="buttons">',
    ...buttons.map(([id, text]) => `<button id="${id}" type="button" hidden>${text}</button>`),
    '</div></header>\n<div id="announcements" class="unseen" role="status"></div>\n',
  ].join("");
}

/** A fact of a page's head. */
export type Fact = readonly [name: string, value: string, isKnown?: boolean];

/** The head of a page: its title, facts, and reasons for caution. */
export function headPart(
  title: string,
  facts: readonly Fact[],
  alerts: readonly string[] = [],
): string {
  const items = facts.map(([name, value, isKnown = true]) =>
    `<div><dt>${name}</dt><dd${isKnown ? "" : ' class="none"'}>${
      escapedMarkup(unbroken(value))
    }</dd></div>`
  );
  const notes = alerts.map((text) => `<li>${escapedMarkup(text)}</li>`);
  return `<div class="what"><h1>${escapedMarkup(title)}</h1>` +
    `<dl class="facts">${items.join("")}</dl>` +
    `${notes.length === 0 ? "" : `<ul class="alerts">${notes.join("")}</ul>`}</div>\n`;
}

/**
 * The main statement of a page.
 * @param say markup, as are the others
 * @param why empty for none
 */
export function answerPart(kicker: string, say: string, why: string, rest = ""): string {
  return `<div class="answer"><h2 class="kicker">${kicker}</h2><p class="say">${say}</p>` +
    `${why === "" ? "" : `<p class="why">${why}</p>`}${rest}</div>\n`;
}

/** A part of the page under a title. */
export function section(title: string, id: string, content: string): string {
  return `<section id="${id}" aria-labelledby="${id}-title">\n<h2 id="${id}-title">${title}</h2>\n${content}</section>\n`;
}

/** Data and script, and the end of the page. */
export function* pageEnd(
  data: PageData | readonly Plot[],
  summary: PageSummary | undefined,
  assets: PageAssets = reportAssets,
): Generator<string> {
  yield dataBlock("data", escapedControls(JSON.stringify(data, shortened)));
  if (summary !== undefined) {
    const name = escapedMarkup(summary.summaryName);
    yield dataBlock("summary", summary.summaryJson, ` data-name="${name}"`);
  }
  yield `<script>${assets.script}</script>\n</body>\n</html>\n`;
}

/** Six digits are more than a screen shows. */
function shortened(_key: string, value: unknown): unknown {
  if (typeof value !== "number" || Number.isInteger(value)) return value;
  // Most are thousandths, and have no more.
  const isShort = Math.abs(value) < 1000 && Math.round(value * 1000) / 1000 === value;
  return isShort ? value : Number(value.toPrecision(6));
}

/** Data for the script. No text in it can end the element that holds it. */
function dataBlock(id: string, json: string, attributes = ""): string {
  const safe = json.replace(
    /[<>&\u2028\u2029]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `<script type="application/json" id="${id}"${attributes}>${safe}</script>\n`;
}
