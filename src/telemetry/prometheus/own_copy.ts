/**
 * Returns a copy of a text in its own memory. The engine represents a longer slice as a view of the
 * original text, so keeping a name from a scrape would keep the whole scrape.
 */
export function ownCopy(text: string): string {
  return ` ${text}`.slice(1);
}
