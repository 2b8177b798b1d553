/** Most characters of a page that a message quotes. */
const MAX_QUOTED = 40;

/** A text of a page as a message quotes it: short, in quotes, control characters escaped. */
export function quoted(text: string): string {
  return JSON.stringify(text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED)}...`);
}
