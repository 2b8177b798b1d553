/** Returns the parsed text of another process; undefined if there is no text, or it is not JSON. */
export function jsonOf(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
