import { CARRIAGE_RETURN, LINE_FEED, SPACE, TAB } from "./characters.ts";

/** Media type of the format 0.0.4. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const OPEN_METRICS = /^\s*application\/openmetrics-text\s*(?:;|$)/i;

/** The line that ends an OpenMetrics page. */
export const END_OF_PAGE = "# EOF";

/** Whether a content type announces OpenMetrics. */
export function isOpenMetricsType(contentType: string | undefined): boolean {
  return contentType !== undefined && OPEN_METRICS.test(contentType);
}

/** Whether the last line of a page that is not blank is `# EOF`. */
export function endsWithEof(page: string | Uint8Array): boolean {
  const codeAt = (at: number) => typeof page === "string" ? page.charCodeAt(at) : page[at];
  let end = page.length;
  while (end > 0) {
    const code = codeAt(end - 1);
    if (code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== SPACE && code !== TAB) break;
    end--;
  }
  const start = end - END_OF_PAGE.length;
  for (let index = 0; index < END_OF_PAGE.length; index++) {
    if (codeAt(start + index) !== END_OF_PAGE.charCodeAt(index)) return false;
  }
  return start === 0 || codeAt(start - 1) === LINE_FEED;
}
