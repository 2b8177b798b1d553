/**
 * Endpoints in the short form of tables: host, port, and the path without `/metrics` at its end.
 * Two that would look the same keep their whole URLs.
 */
export function shownEndpoints(urls: Iterable<string>): Map<string, string> {
  const shown = new Map<string, string>();
  for (const url of urls) shown.set(url, shortForm(url));
  const counts = new Map<string, number>();
  for (const short of shown.values()) counts.set(short, (counts.get(short) ?? 0) + 1);
  for (const [url, short] of shown) if (counts.get(short) !== 1) shown.set(url, url);
  return shown;
}

function shortForm(url: string): string {
  return url.replace(/^[a-z]+:\/\//i, "").replace(/[?#].*$/s, "").replace(/\/+$/, "")
    .replace(/\/metrics$/, "");
}
