/**
 * Endpoints in the short form of tables: host, port, and the path without `/metrics` at its end.
 * Two that would look the same keep their whole URLs.
 */
export function shortEndpoints(urls: Iterable<string>): Map<string, string> {
  const names = new Map<string, string>();
  for (const url of urls) names.set(url, shortForm(url));
  const counts = new Map<string, number>();
  for (const short of names.values()) counts.set(short, (counts.get(short) ?? 0) + 1);
  for (const [url, short] of names) if (counts.get(short) !== 1) names.set(url, url);
  return names;
}

function shortForm(url: string): string {
  return url.replace(/^[a-z]+:\/\//i, "").replace(/[?#].*$/s, "").replace(/\/+$/, "")
    .replace(/\/metrics$/, "");
}
