/**
 * The same text in memory of its own. The engine makes a longer slice a window on the text that it
 * was cut from, so keeping a name of a page would keep the page.
 */
export function ownCopy(text: string): string {
  return ` ${text}`.slice(1);
}
